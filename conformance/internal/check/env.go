// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package check

import (
	"context"
	"sync"
	"time"

	"github.com/purepjrt/purepjrt/capi"
)

// Env is the environment that the checks of one process share.
type Env struct {
	Table *capi.Table
	// Path is the plugin's file; empty if the table was made in this process.
	Path string
	// Options are the create options of every client.
	Options []capi.Attribute
	// NoDevice says why no client can be made. If it is set, checks do not try to make
	// one: without its hardware a plugin may hang for minutes.
	NoDevice string
	// NoText says that the plugin, in a process where nothing else was compiled, takes portable
	// artifacts but no StableHLO text, and why; empty if it takes text, or nothing at all. See
	// T.Sent and T.NeedsText.
	NoText string
	// Topology is the name, and TopologyOptions the create options, of the topology that
	// is used if there is no client.
	Topology        string
	TopologyOptions []capi.Attribute
	// Spawn starts another process with the plugin; nil if that is impossible.
	Spawn func(context.Context) (Child, error)
	// Patience is how long checks wait for what must happen, see T.Patience; 0: 5
	// seconds.
	Patience time.Duration
	// Earned, when not nil, is how much longer than its limit the check under way
	// may run: each call of a slow plugin earns some time.
	Earned func() time.Duration

	// Hangs are the functions that are not waited for.
	Hangs []Hang

	worked  working
	calling calling

	mu     sync.Mutex
	client *Client
}

// Client is a client with what every check asks it for.
type Client struct {
	Handle   *capi.Client
	Devices  []*capi.Device // addressable, in the client's order
	Memories []*capi.Memory // addressable, in the client's order

	mu       sync.Mutex
	programs map[string]*capi.LoadedExecutable // by text; guarded by mu; see T.Shared
}

// Client returns the client that the checks of this process share. A check that
// may harm it makes one with NewClient.
func (t *T) Client() *Client {
	t.env.mu.Lock()
	defer t.env.mu.Unlock()
	if t.env.client == nil {
		t.env.client = t.newClient(t.env.Options, false)
	}
	t.needsOne(t.env.client)
	return t.env.client
}

// needsOne skips the check if a client has no devices of its own, which most checks use.
func (t *T) needsOne(c *Client) {
	if len(c.Devices) == 0 && t.check.Devices != AnyNumber {
		t.SkipEnvf("the check needs an addressable device, and the client has none")
	}
}

// NewClient makes a client with the environment's create options, followed by more. The
// client is destroyed when the check ends, after the buffers and executables that the
// check owns.
func (t *T) NewClient(more ...capi.Attribute) *Client {
	// Other rules are about several clients in a process.
	second := len(more) == 0 && t.Made() != nil
	c := t.newClient(append(append([]capi.Attribute(nil), t.env.Options...), more...), second)
	t.ownFirst(c.Handle, func() { destroy(t, capi.ClientDestroyArgs{Client: c.Handle}) })
	t.needsOne(c)
	return c
}

// NeedsDevice skips the check if no client can be made.
func (t *T) NeedsDevice() {
	if t.env.NoDevice != "" {
		t.SkipEnvf("%s", t.env.NoDevice)
	}
}

// newClient makes a client. If the plugin refuses a second one, the check is skipped.
func (t *T) newClient(options []capi.Attribute, second bool) *Client {
	t.NeedsDevice()
	var args capi.ClientCreateArgs
	args.CreateOptions, args.NumOptions = t.NamedValues(options...)
	out, err := Try(t, args)
	if err != nil && second {
		t.SkipEnvf("the plugin cannot make a second client in a process: %v", err)
	}
	if err != nil {
		t.Fatalf("PJRT_Client_Create: expected success, got %v", err)
	}
	handle := out.Client
	if handle == nil {
		t.Fatalf("PJRT_Client_Create: success without a client")
	}
	return t.Describe(handle)
}

// Describe asks a client for its addressable devices and memories. Some plugins have no
// memories.
func (t *T) Describe(handle *capi.Client) *Client {
	d := Call(t, capi.ClientAddressableDevicesArgs{Client: handle})
	c := &Client{Handle: handle, Devices: append([]*capi.Device(nil), capi.Slice(d.AddressableDevices, d.NumAddressableDevices)...)}
	if m, err := Try(t, capi.ClientAddressableMemoriesArgs{Client: handle}); err == nil {
		c.Memories = append(c.Memories, capi.Slice(m.AddressableMemories, m.NumAddressableMemories)...)
	}
	return c
}

// Close destroys the shared client, and reports its error.
func (e *Env) Close() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.client == nil {
		return nil
	}
	for _, exe := range e.client.programs {
		call := &capi.Call[capi.LoadedExecutableDestroyArgs]{}
		call.Args.Executable = exe
		_ = call.Do(e.Table) // other rules check this
	}
	call := &capi.Call[capi.ClientDestroyArgs]{}
	call.Args.Client, e.client = e.client.Handle, nil
	return call.Do(e.Table)
}

// ownedHandle is a handle that the check has to destroy.
type ownedHandle struct {
	handle  any
	destroy func()
}

// Own registers a handle (a *capi.Buffer, *capi.Event, *capi.LoadedExecutable,
// *capi.Executable, *capi.Client, *capi.TopologyDescription or
// *capi.AsyncHostToDeviceTransferManager) to be destroyed when the check ends, last
// first, and returns it. A nil handle is ignored.
func Own[H comparable](t *T, handle H) H {
	var none H
	if handle == none {
		return handle
	}
	var f func()
	switch h := any(handle).(type) {
	case *capi.Buffer:
		f = func() { destroy(t, capi.BufferDestroyArgs{Buffer: h}) }
	case *capi.Event:
		f = func() { destroy(t, capi.EventDestroyArgs{Event: h}) }
	case *capi.LoadedExecutable:
		f = func() { destroy(t, capi.LoadedExecutableDestroyArgs{Executable: h}) }
	case *capi.Executable:
		f = func() { destroy(t, capi.ExecutableDestroyArgs{Executable: h}) }
	case *capi.Client:
		f = func() { destroy(t, capi.ClientDestroyArgs{Client: h}) }
	case *capi.TopologyDescription:
		f = func() { destroy(t, capi.TopologyDescriptionDestroyArgs{Topology: h}) }
	case *capi.AsyncHostToDeviceTransferManager:
		f = func() { destroy(t, capi.AsyncHostToDeviceTransferManagerDestroyArgs{TransferManager: h}) }
	default:
		t.Fatalf("the suite does not know how to destroy a %T", handle)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.owned = append(t.owned, ownedHandle{handle, f})
	return handle
}

// Destroy immediately destroys a handle that Own registered.
func Destroy[H comparable](t *T, handle H) {
	if f := t.take(handle); f != nil {
		f()
	}
}

// Disown forgets a handle that Own registered: something else destroyed it, or will.
func Disown[H comparable](t *T, handle H) H {
	t.take(handle)
	return handle
}

func (t *T) take(handle any) func() {
	t.mu.Lock()
	defer t.mu.Unlock()
	for i := len(t.owned) - 1; i >= 0; i-- {
		if t.owned[i].handle == handle {
			f := t.owned[i].destroy
			t.owned = append(t.owned[:i], t.owned[i+1:]...)
			return f
		}
	}
	return nil
}

// ownFirst registers a handle that has to outlive those already owned.
func (t *T) ownFirst(handle any, f func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.owned = append([]ownedHandle{{handle, f}}, t.owned...)
}

func (t *T) destroyOwned() {
	for {
		t.mu.Lock()
		n := len(t.owned)
		if n == 0 {
			t.mu.Unlock()
			return
		}
		f := t.owned[n-1].destroy
		t.owned = t.owned[:n-1]
		t.mu.Unlock()
		f()
	}
}

// destroy calls a destroy function. Its error is only a note: the check has its answer
// by then, and other rules are about destruction.
func destroy[A any](t *T, args A) {
	if _, err := Try(t, args); err != nil {
		t.Notef("%v", err)
	}
}
