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
	"github.com/purepjrt/purepjrt/pjrt/dtype"
	"github.com/purepjrt/purepjrt/pjrt/lifetime"
	"github.com/purepjrt/purepjrt/pjrt/raw"
)

// Collectives is a way to connect processes. Its methods may be called from any goroutine.
type Collectives struct {
	plugin *pjrt.Plugin
	ref    *lifetime.Ref[capi.Collectives]
}

// AdoptCollectives makes a Collectives from a C handle that an extension of the plugin made and
// that the caller owns. parent, unless nil, is what the handle was made from; it lives as long as
// the Collectives. After an error the caller still owns the handle.
func AdoptCollectives(p *pjrt.Plugin, h *capi.Collectives, parent lifetime.Parent) (*Collectives, error) {
	if p == nil || h == nil {
		return nil, pjrt.ErrInvalidArgument.Errorf("the plugin or the handle of the collectives is nil")
	}
	table := raw.Table(p)
	if err := table.Lacks((*capi.CollectivesDestroyArgs)(nil).Function()); err != nil {
		return nil, err
	}
	return &Collectives{p, lifetime.New("collectives", h, parent, func(h *capi.Collectives) {
		_, _ = capi.Do(table, capi.CollectivesDestroyArgs{Collectives: h}) // no caller is left to return an error to
	})}, nil
}

// Close frees the collectives once its communicators are closed. Closing again does nothing.
func (x *Collectives) Close() error {
	if x == nil || x.ref == nil {
		return nil
	}
	return x.ref.Close()
}

// Clique describes the ranks that communicate, and says which of them this process takes.
type Clique struct {
	// Devices are the global ids of the devices that take part, in all processes.
	Devices []int
	// IDs are bytes that all processes of the clique have agreed on, in the form that the plugin
	// requires; nil if it requires none.
	IDs [][]byte
	// Ranks are the ranks that this process takes, counted from 0.
	Ranks []int
}

// Join connects the ranks of this process with the others (PJRT_Collectives_CreateCommunicators),
// and returns a communicator for each of Ranks, in their order. The caller closes them. Join waits
// for all ranks of the clique. When ctx ends first, Join returns ctx's error; the wait goes on in
// another goroutine, which closes the communicators that it gets.
func (x *Collectives) Join(ctx context.Context, clique Clique) ([]*Communicator, error) {
	if x == nil || x.ref == nil {
		return nil, pjrt.ErrInvalidArgument.Errorf("the collectives are nil: Context.Collectives makes some")
	}
	if len(clique.Devices) == 0 || len(clique.Ranks) == 0 {
		return nil, pjrt.ErrInvalidArgument.Errorf("a clique needs devices, and this process takes at least one rank; there are %d and %d",
			len(clique.Devices), len(clique.Ranks))
	}
	devices, err := numbers("device", clique.Devices, math.MaxInt)
	if err != nil {
		return nil, err
	}
	ranks, err := numbers("rank", clique.Ranks, len(clique.Devices))
	if err != nil {
		return nil, err
	}
	ids, sizes := make([]*byte, len(clique.IDs)), make([]uintptr, len(clique.IDs))
	for i, id := range clique.IDs {
		ids[i], sizes[i] = capi.BytesData(id)
	}
	return raw.Abandonable(ctx, func() ([]*Communicator, error) {
		h, err := x.ref.Acquire()
		if err != nil {
			return nil, err
		}
		defer x.ref.Release()
		var c capi.Call[capi.CollectivesCreateCommunicatorsArgs]
		c.Args.Collectives = h
		c.Args.DeviceIDs, c.Args.NumDeviceIDs = unsafe.SliceData(devices), uintptr(len(devices))
		c.Args.CliqueIDs, c.Args.CliqueIDSizes, c.Args.NumCliqueIDs = unsafe.SliceData(ids), unsafe.SliceData(sizes), uintptr(len(ids))
		c.Args.RankIDs, c.Args.NumDeviceRanks = unsafe.SliceData(ranks), uintptr(len(ranks))
		err = c.Do(raw.Table(x.plugin))
		runtime.KeepAlive(clique)
		if err != nil {
			return nil, err
		}
		var list []*Communicator
		for _, h := range capi.Slice(c.Args.Communicators, c.Args.NumCommunicators) {
			list = append(list, x.adopt(h))
		}
		c.Args.CommunicatorsHolderDeleter.Call(c.Args.CommunicatorsHolder)
		if len(list) != len(ranks) {
			_ = closeAll(list)
			return nil, c.Function().Misbehaved("returned %d communicators for %d ranks", len(list), len(ranks))
		}
		return list, nil
	}, closeAll)
}

func (x *Collectives) adopt(h *capi.CollectivesCommunicator) *Communicator {
	table := raw.Table(x.plugin)
	return &Communicator{x.plugin, lifetime.New("communicator", h, x.ref, func(h *capi.CollectivesCommunicator) {
		_, _ = capi.Do(table, capi.CollectivesCommunicatorDestroyArgs{Communicator: h})
	})}
}

func closeAll(list []*Communicator) error {
	for _, c := range list {
		c.Close()
	}
	return nil
}

// Communicator connects one rank with the other ranks of a clique. AllReduce, AllToAll and the
// other operations use it: all ranks call the same functions in the same order, with arrays of the
// same type and size.
//
// The functions return an event that is ready when this rank is done or has failed. Until then the
// arrays belong to the communicator: the program must neither change what is sent nor read what is
// received. The arrays are in the memory of the host, or of a device that the host can address. The
// plugin decides whether the call itself waits for the other ranks, so each rank of a process needs
// its own goroutine.
type Communicator struct {
	plugin *pjrt.Plugin
	ref    *lifetime.Ref[capi.CollectivesCommunicator]
}

// Describe returns a human-readable description of the communicator
// (PJRT_Collectives_Communicator_ToString).
func (c *Communicator) Describe() (string, error) {
	h, err := c.acquire()
	if err != nil {
		return "", err
	}
	defer c.ref.Release()
	call, err := capi.Do(raw.Table(c.plugin), capi.CollectivesCommunicatorToStringArgs{Communicator: h})
	if err != nil {
		return "", err
	}
	text := capi.String(call.Str, call.StrSize)
	call.StrHolderDeleter.Call(call.StrHolder)
	return text, nil
}

// Close frees the communicator, once nothing uses it. Closing again does nothing.
func (c *Communicator) Close() error {
	if c == nil || c.ref == nil {
		return nil
	}
	return c.ref.Close()
}

func (c *Communicator) acquire() (*capi.CollectivesCommunicator, error) {
	if c == nil || c.ref == nil {
		return nil, pjrt.ErrInvalidArgument.Errorf("the communicator is nil: Collectives.Join makes some")
	}
	return c.ref.Acquire()
}

// Reduction says how two values become one.
type Reduction = capi.CollectivesReductionKind

// The reductions.
const (
	Sum     = capi.CollectivesReductionKindSum
	Product = capi.CollectivesReductionKindProduct
	Min     = capi.CollectivesReductionKindMin
	Max     = capi.CollectivesReductionKindMax
)

// Operation says which operation of which run a call belongs to, so that the ranks on CPU devices
// find each other. It is nil for other devices.
type Operation struct {
	// Run distinguishes this run of a program from other runs, and ID this operation from others in
	// the run.
	Run, ID int64
	// Devices are the global ids of the devices that take part, and Local is the number of those in
	// this process.
	Devices []int
	Local   int
	// Modules means that the devices run several modules, not replicas of one.
	Modules bool
	// Timeout is how long to wait for the other ranks.
	Timeout time.Duration
}

// forC returns the operation for C. The memory that it points to stays alive with the result.
func (o *Operation) forC() (*capi.CollectivesCPUExecutor, error) {
	if o == nil {
		return nil, nil
	}
	devices, err := numbers("device", o.Devices, math.MaxInt)
	if err != nil {
		return nil, err
	}
	if o.Local < 0 || o.Local > len(o.Devices) {
		return nil, pjrt.ErrInvalidArgument.Errorf("there cannot be %d local devices among %d", o.Local, len(o.Devices))
	}
	e := &capi.CollectivesCPUExecutor{
		RunID: o.Run, GlobalDeviceIDs: unsafe.SliceData(devices), NumGlobalDeviceIDs: uintptr(len(devices)),
		NumLocalParticipants: int32(o.Local), CollectiveOpKind: capi.CollectivesCollectiveOpKindCrossReplica,
		OpID: o.ID, TimeoutInNs: int64(o.Timeout),
	}
	if o.Modules {
		e.CollectiveOpKind = capi.CollectivesCollectiveOpKindCrossModule
	}
	return e, nil
}

// AllReduce combines the values of all ranks element by element and gives the result to each rank
// (PJRT_Collectives_Communicator_AllReduce). received and sent have the same length.
func AllReduce[T dtype.Elem](c *Communicator, received, sent []T, kind Reduction, op *Operation) (*pjrt.Event, error) {
	if len(received) != len(sent) {
		return nil, pjrt.ErrInvalidArgument.Errorf("%d elements are sent, and received has room for %d: "+
			"an all-reduce returns as many as it gets",
			len(sent), len(received))
	}
	var call capi.Call[capi.CollectivesCommunicatorAllReduceArgs]
	a := &call.Args
	a.SendBufferPtr, a.SendBufferSize = memory(sent)
	a.RecvBufferPtr, a.RecvBufferSize = memory(received)
	a.PrimitiveType, a.Count, a.ReductionKind = bufferType[T](), uintptr(len(sent)), kind
	return start(c, &call, &a.Communicator, &a.CPUExecutor, &a.Event, op, received, sent)
}

// ReduceScatter combines the values of all ranks and gives each rank its share of the result
// (PJRT_Collectives_Communicator_ReduceScatter). The length of sent is the length of received times
// the number of ranks.
func ReduceScatter[T dtype.Elem](c *Communicator, received, sent []T, kind Reduction, op *Operation) (*pjrt.Event, error) {
	if err := multiple(len(sent), len(received), "sent", "received by each rank"); err != nil {
		return nil, err
	}
	var call capi.Call[capi.CollectivesCommunicatorReduceScatterArgs]
	a := &call.Args
	a.SendBufferPtr, a.SendBufferSize = memory(sent)
	a.RecvBufferPtr, a.RecvBufferSize = memory(received)
	a.PrimitiveType, a.Count, a.ReductionKind = bufferType[T](), uintptr(len(received)), kind
	return start(c, &call, &a.Communicator, &a.CPUExecutor, &a.Event, op, received, sent)
}

// AllGather concatenates the values of all ranks, in the order of the ranks, and gives the result
// to each rank (PJRT_Collectives_Communicator_AllGather). The length of received is the length of
// sent times the number of ranks.
func AllGather[T dtype.Elem](c *Communicator, received, sent []T, op *Operation) (*pjrt.Event, error) {
	if err := multiple(len(received), len(sent), "received", "sent by each rank"); err != nil {
		return nil, err
	}
	var call capi.Call[capi.CollectivesCommunicatorAllGatherArgs]
	a := &call.Args
	a.SendBufferPtr, a.SendBufferSize = memory(sent)
	a.RecvBufferPtr, a.RecvBufferSize = memory(received)
	a.PrimitiveType, a.Count = bufferType[T](), uintptr(len(sent))
	return start(c, &call, &a.Communicator, &a.CPUExecutor, &a.Event, op, received, sent)
}

// Permute sends the values of this rank to the ranks in targets, which may be empty, and receives
// the values of the rank source, unless source is negative
// (PJRT_Collectives_Communicator_CollectivePermute). received and sent have the same length.
func Permute[T dtype.Elem](c *Communicator, received, sent []T, source int, targets []int, op *Operation) (*pjrt.Event, error) {
	if len(received) != len(sent) {
		return nil, pjrt.ErrInvalidArgument.Errorf("%d elements are sent, and received has room for %d: "+
			"a rank receives as many as it sends",
			len(sent), len(received))
	}
	to, err := numbers("rank", targets, 1<<31)
	if err != nil {
		return nil, err
	}
	var call capi.Call[capi.CollectivesCommunicatorCollectivePermuteArgs]
	a := &call.Args
	a.SendBufferPtr, a.SendBufferSize = memory(sent)
	a.RecvBufferPtr, a.RecvBufferSize = memory(received)
	a.PrimitiveType, a.Count = bufferType[T](), uintptr(len(sent))
	if source >= 0 {
		a.HasSourceRank, a.SourceRank = true, int64(source)
	}
	a.TargetRanks, a.NumTargetRanks = unsafe.SliceData(to), uintptr(len(to))
	return start(c, &call, &a.Communicator, &a.CPUExecutor, &a.Event, op, received, sent)
}

// AllToAll sends sent[i] to rank i and receives received[i] from it
// (PJRT_Collectives_Communicator_AllToAll). All arrays have the same length.
func AllToAll[T dtype.Elem](c *Communicator, received, sent [][]T, op *Operation) (*pjrt.Event, error) {
	if len(sent) == 0 || len(received) != len(sent) {
		return nil, pjrt.ErrInvalidArgument.Errorf("%d arrays are sent, and received has room for %d: give one of each for every rank",
			len(sent), len(received))
	}
	count := len(sent[0])
	from, fromSizes, err := memories(sent, count)
	if err != nil {
		return nil, err
	}
	to, toSizes, err := memories(received, count)
	if err != nil {
		return nil, err
	}
	var call capi.Call[capi.CollectivesCommunicatorAllToAllArgs]
	a := &call.Args
	a.SendBuffersPtrs, a.SendBuffersSizes, a.NumSendBuffers = unsafe.SliceData(from), unsafe.SliceData(fromSizes), uintptr(len(from))
	a.RecvBuffersPtrs, a.RecvBuffersSizes, a.NumRecvBuffers = unsafe.SliceData(to), unsafe.SliceData(toSizes), uintptr(len(to))
	a.PrimitiveType, a.Count = bufferType[T](), uintptr(count)
	return start(c, &call, &a.Communicator, &a.CPUExecutor, &a.Event, op, received, sent)
}

// start makes a call whose args begin a collective operation. It keeps the communicator and the
// memory that the operation uses alive until the operation is over.
func start(
	c *Communicator, call interface{ Do(*capi.Table) error }, communicator **capi.CollectivesCommunicator,
	executor **capi.CollectivesCPUExecutor, event **capi.Event, op *Operation, used ...any,
) (*pjrt.Event, error) {
	h, err := c.acquire()
	if err != nil {
		return nil, err
	}
	*communicator = h
	if *executor, err = op.forC(); err == nil {
		err = call.Do(raw.Table(c.plugin))
	}
	if err != nil {
		c.ref.Release()
		return nil, err
	}
	return raw.AdoptEvent(c.plugin, *event, func() {
		runtime.KeepAlive(call)
		runtime.KeepAlive(used)
		c.ref.Release()
	}), nil
}

func memory[T dtype.Elem](s []T) (unsafe.Pointer, uintptr) {
	b := dtype.Bytes(s)
	return unsafe.Pointer(unsafe.SliceData(b)), uintptr(len(b))
}

func memories[T dtype.Elem](list [][]T, count int) ([]unsafe.Pointer, []uintptr, error) {
	at, sizes := make([]unsafe.Pointer, len(list)), make([]uintptr, len(list))
	for i, s := range list {
		if len(s) != count {
			return nil, nil, pjrt.ErrInvalidArgument.Errorf("the array for rank %d has %d elements, and the first one sent has %d: all "+
				"must have the same number",
				i, len(s), count)
		}
		at[i], sizes[i] = memory(s)
	}
	return at, sizes, nil
}

func bufferType[T dtype.Elem]() capi.BufferType { return capi.BufferType(dtype.Of[T]()) }

// multiple returns an error unless all is a multiple of each.
func multiple(all, each int, what, share string) error {
	if each == 0 || all%each != 0 {
		return pjrt.ErrInvalidArgument.Errorf("%d elements are %s, which is not a multiple of the %d that are %s", all, what, each, share)
	}
	return nil
}

// numbers returns a list for C, or an error if a number is negative or not below limit.
func numbers(what string, list []int, limit int) ([]int64, error) {
	out := make([]int64, len(list))
	for i, n := range list {
		if n < 0 || n >= limit {
			return nil, pjrt.ErrInvalidArgument.Errorf("there is no %s %d among %d", what, n, limit)
		}
		out[i] = int64(n)
	}
	return out, nil
}
