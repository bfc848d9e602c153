// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package megascale

import (
	"context"
	"math"
	"runtime"
	"time"
	"unsafe"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/lifetime"
	"github.com/purepjrt/purepjrt/pjrt/raw"
)

// Context is one process's part in a job of several slices. Its methods may be called from any
// goroutine.
type Context struct {
	plugin *pjrt.Plugin
	ref    *lifetime.Ref[capi.MegascaleClientContext]
}

// NewContext makes a context with the settings that the process was started with
// (PJRT_Megascale_CreateDefaultClientContext). The caller closes it.
func NewContext(p *pjrt.Plugin) (*Context, error) {
	if p == nil {
		return nil, errNilPlugin
	}
	c, err := capi.Do(raw.Table(p), capi.MegascaleCreateDefaultClientContextArgs{})
	if err != nil {
		return nil, err
	}
	return adopt(p, c.ClientContext, func() {}), nil
}

// ContextOf makes a context for a client (PJRT_Megascale_CreateClientContextFromPjRtClient). The
// caller closes it.
func ContextOf(client *pjrt.Client) (*Context, error) {
	h, release, err := raw.AcquireClient(client)
	if err != nil {
		return nil, err
	}
	c, err := capi.Do(raw.TableOf(client), capi.MegascaleCreateClientContextFromPjRtClientArgs{Client: h})
	if err != nil {
		release()
		return nil, err
	}
	return adopt(client.Plugin(), c.ClientContext, release), nil
}

// adopt makes a Context from a handle. It calls release when the plugin has destroyed the context;
// libtpu first waits for the other slices.
func adopt(p *pjrt.Plugin, h *capi.MegascaleClientContext, release func()) *Context {
	table := raw.Table(p)
	return &Context{p, lifetime.New("megascale context", h, nil, func(h *capi.MegascaleClientContext) {
		go func() {
			defer release()
			_, _ = capi.Do(table, capi.MegascaleDeleteClientContextArgs{ClientContext: h}) // no caller is left to return an error to
		}()
	})}
}

// Start starts the context (PJRT_Megascale_ClientContext_Initialize); nothing else may use it
// before. When ctx ends first, Start returns ctx's error, and the context goes on starting.
func (x *Context) Start(ctx context.Context) error {
	return x.wait(ctx, func(h *capi.MegascaleClientContext) error {
		// libtpu requires args as large as those of another function, but reads only the
		// fields of this one.
		var wide struct {
			capi.Call[capi.MegascaleClientContextInitializeArgs]
			_ [capi.MegascaleClientContextUnblockPendingWorkArgsSize - capi.MegascaleClientContextInitializeArgsSize]byte
		}
		wide.Args.StructSize, wide.Args.ClientContext = capi.MegascaleClientContextUnblockPendingWorkArgsSize, h
		table := raw.Table(x.plugin)
		failure, err := wide.Raw(table)
		if err != nil {
			return err
		}
		return table.TakeError(failure)
	})
}

// Unblock lets the work of a launch that waits for other slices go on, for the time within from now
// (PJRT_Megascale_ClientContext_UnblockPendingWork). The time is rounded up to milliseconds.
// Unblock waits until the runtime has told the other processes; if there are none, that takes
// libtpu 15 seconds. When ctx ends first, Unblock returns ctx's error, and the runtime goes on.
func (x *Context) Unblock(ctx context.Context, launch int, within time.Duration) error {
	if launch < math.MinInt32 || launch > math.MaxInt32 || within < 0 {
		return pjrt.ErrInvalidArgument.Errorf("the launch %d does not fit into 32 bits, or the time %v is negative", launch, within)
	}
	return x.wait(ctx, func(h *capi.MegascaleClientContext) error {
		var c capi.Call[capi.MegascaleClientContextUnblockPendingWorkArgs]
		c.Args.ClientContext, c.Args.LaunchID = h, int32(launch)
		c.Args.ExpireAfterMs = int64((within + time.Millisecond - 1) / time.Millisecond)
		return c.Do(raw.Table(x.plugin))
	})
}

// wait makes a call that may wait. When ctx ends first, the call goes on.
func (x *Context) wait(ctx context.Context, call func(*capi.MegascaleClientContext) error) error {
	_, err := raw.Abandonable(ctx, func() (struct{}, error) {
		h, err := x.acquire()
		if err != nil {
			return struct{}{}, err
		}
		defer x.ref.Release()
		return struct{}{}, call(h)
	}, func(struct{}) error { return nil })
	return err
}

// Port returns the network port on which the context listens
// (PJRT_Megascale_ClientContext_MegascalePort).
func (x *Context) Port() (int, error) {
	h, err := x.acquire()
	if err != nil {
		return 0, err
	}
	defer x.ref.Release()
	c, err := capi.Do(raw.Table(x.plugin), capi.MegascaleClientContextMegascalePortArgs{ClientContext: h})
	return int(c.Port), err
}

// Processes describes the processes that take part in the collectives of a job.
type Processes struct {
	// Addresses are the network addresses of the processes.
	Addresses []string
	// Slices has the slice of each process, and Places the place of each process in its slice; nil
	// if unknown.
	Slices, Places []int
	// Devices is the number of devices that each process has.
	Devices int
}

// Collectives makes collectives that run over the network between slices
// (PJRT_Megascale_CreateMegascaleCollectives, API 0.94). network is a serialized DCNTopology, which
// says how the slices are connected, or nil if unknown. The caller closes the collectives; the
// context stays alive as long as the collectives. The plugin must offer the extension Collectives
// too.
func (x *Context) Collectives(processes Processes, network []byte) (*Collectives, error) {
	h, err := x.acquire()
	if err != nil {
		return nil, err
	}
	defer x.ref.Release()
	n := len(processes.Addresses)
	if n == 0 || processes.Devices < 1 || processes.Devices > math.MaxInt32 {
		return nil, pjrt.ErrInvalidArgument.Errorf("collectives need the addresses of the processes and the number of devices of each; "+
			"there are %d and %d", n, processes.Devices)
	}
	slices, err := perProcess("slices", processes.Slices, n)
	if err != nil {
		return nil, err
	}
	places, err := perProcess("places", processes.Places, n)
	if err != nil {
		return nil, err
	}
	table := raw.Table(x.plugin)
	// Without the extension Collectives, nothing could destroy them.
	if err := table.Lacks((*capi.CollectivesDestroyArgs)(nil).Function()); err != nil {
		return nil, err
	}
	addresses, sizes := texts(processes.Addresses)
	var c capi.Call[capi.MegascaleCreateMegascaleCollectivesArgs]
	c.Args.ClientContext = h
	c.Args.ProcessesInfo = &capi.MegascaleProcessesInfo{
		Addresses: unsafe.SliceData(addresses), AddressSizes: unsafe.SliceData(sizes), NumAddresses: uintptr(n),
		SliceIndexes: unsafe.SliceData(slices), NumSliceIndexes: uintptr(len(slices)),
		PerSliceIndexes: unsafe.SliceData(places), NumPerSliceIndexes: uintptr(len(places)),
		NumDevicesPerProcess: int32(processes.Devices),
	}
	c.Args.DcnTopology, c.Args.DcnTopologySize = capi.BytesData(network)
	if err := c.Do(table); err != nil {
		return nil, err
	}
	return AdoptCollectives(x.plugin, c.Args.Collectives, x.ref)
}

// perProcess returns a list with a number for each process, or nil if the list is nil.
func perProcess(what string, list []int, n int) ([]int32, error) {
	if list == nil {
		return nil, nil
	}
	if len(list) != n {
		return nil, pjrt.ErrInvalidArgument.Errorf("there are %d %s for %d processes", len(list), what, n)
	}
	out := make([]int32, n)
	for i, v := range list {
		if v < 0 || v > math.MaxInt32 {
			return nil, pjrt.ErrInvalidArgument.Errorf("process %d has the impossible number %d in the list of %s", i, v, what)
		}
		out[i] = int32(v)
	}
	return out, nil
}

// texts returns a list of texts for C, each followed by a zero byte that its size does not include.
func texts(list []string) ([]*byte, []uintptr) {
	at, sizes := make([]*byte, len(list)), make([]uintptr, len(list))
	for i, s := range list {
		at[i], sizes[i] = unsafe.SliceData(append([]byte(s), 0)), uintptr(len(s))
	}
	return at, sizes
}

func (x *Context) acquire() (*capi.MegascaleClientContext, error) {
	if x == nil || x.ref == nil {
		return nil, pjrt.ErrInvalidArgument.Errorf("the context is nil: make one with NewContext or ContextOf")
	}
	return x.ref.Acquire()
}

// Close frees the context once nothing uses it (PJRT_Megascale_DeleteClientContext), in another
// goroutine, because the plugin may wait for the other slices. Closing again does nothing.
func (x *Context) Close() error {
	if x == nil || x.ref == nil {
		return nil
	}
	return x.ref.Close()
}

// AddressOptions selects the addresses that [Addresses] returns.
type AddressOptions struct {
	// PortName and Port are the name and the number of the port.
	PortName string
	Port     int
	// Prefixes selects the interfaces whose names begin with one of them. Nil means all.
	Prefixes []string
	// All asks for all addresses, not only the best one.
	All bool
	// Near leaves out interfaces that are attached to a different NUMA node than the process.
	Near bool
}

// Addresses returns the network addresses at which other slices reach this host, each a serialized
// message (PJRT_Megascale_GetInterfaceAddressesHelper, API 0.101). opts may be nil.
func Addresses(p *pjrt.Plugin, opts *AddressOptions) ([][]byte, error) {
	if p == nil {
		return nil, errNilPlugin
	}
	if opts == nil {
		opts = new(AddressOptions)
	}
	if opts.Port < 0 || opts.Port > math.MaxUint16 {
		return nil, pjrt.ErrInvalidArgument.Errorf("there is no port %d", opts.Port)
	}
	prefixes, sizes := texts(opts.Prefixes)
	var c capi.Call[capi.MegascaleGetInterfaceAddressesHelperArgs]
	a := &c.Args
	a.MegascalePortName, a.MegascalePortNameSize = capi.StringData(opts.PortName)
	a.MegascalePort = int32(opts.Port)
	a.InterfacePrefixes, a.InterfacePrefixesSizes = unsafe.SliceData(prefixes), unsafe.SliceData(sizes)
	a.NumInterfacePrefixes = uintptr(len(prefixes))
	a.UseAllInterfaces, a.LimitToProcessNumaLocalInterfaces = opts.All, opts.Near
	if err := c.Do(raw.Table(p)); err != nil {
		return nil, err
	}
	runtime.KeepAlive(prefixes)
	lengths := capi.Slice(a.SerializedAddressesSizes, a.NumAddresses)
	list := make([][]byte, len(lengths))
	for i, at := range capi.Slice(a.SerializedAddresses, uintptr(len(lengths))) {
		list[i] = capi.Bytes(at, lengths[i])
	}
	a.AddressesDeleter.Call(a.Addresses)
	return list, nil
}
