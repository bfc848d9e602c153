// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package gomlx

import (
	"cmp"
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"weak"

	"github.com/gomlx/compute"

	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/cache"
	"github.com/purepjrt/purepjrt/pjrt/platform"
	"github.com/purepjrt/purepjrt/pjrt/plugins"
)

// Name is the name that the backend is registered under.
const Name = "pjrt"

func init() {
	compute.Register(Name, New)
}

// Backend is a client of a plugin, as GoMLX uses it. New makes one.
type Backend struct {
	plugin  string // as the configuration names it, or its path
	client  *pjrt.Client
	owned   bool // Finalize closes the client
	devices []*pjrt.Device
	shared  bool // the host can use the memory of the devices
	// reuse says which results take the memory of donated arguments: all, none, or (Auto) those
	// that update an argument.
	reuse platform.Toggle
	cudnn int          // how many features a head may have for cuDNN's attention; 0 without cuDNN
	cache *cache.Cache // may be nil
	caps  compute.Capabilities

	finalized atomic.Bool // set with mu held; GoMLX asks for each argument

	mu          sync.Mutex
	buffers     []weak.Pointer[Buffer]                // guarded by mu; those that may have contents
	sweepAt     int                                   // guarded by mu; the length of buffers at which it is swept
	executables map[weak.Pointer[Executable]]struct{} // guarded by mu
}

var _ compute.Backend = (*Backend)(nil)

// preparing is held while a plugin is prepared and loaded, since plugins.Prepare changes the
// environment.
var preparing sync.Mutex

// New returns a backend for the text that follows "pjrt:" in the configuration; the
// package comment has its form. It loads the plugin and makes a client
// (PJRT_Client_Create), which Finalize closes.
func New(text string) (compute.Backend, error) {
	c, err := parseConfig(text)
	if err != nil {
		return nil, err
	}
	b, err := open(context.Background(), c)
	if err != nil {
		return nil, err
	}
	return b, nil
}

// Options are the options of FromClient.
type Options struct {
	Cache    *cache.Cache // keeps compiled programs on disk; nil compiles all of them
	Unshared bool         // no shared buffers, even if the host can use the memory of the devices
	// Reuse lets results take the memory of donated arguments. Auto does so on devices with
	// their own memory, and on CPUs for results that update an argument, such as a cache of keys
	// and values: XLA's plugin for CPUs makes slower code for other such programs.
	Reuse platform.Toggle
	// CuDNN lets cuDNN compute fused attention on CUDA devices. Off makes it of StableHLO's
	// operations there too.
	CuDNN platform.Toggle
	// Dynamic tells GoMLX that programs with dynamic axes are welcome (Capabilities.DynamicShapes).
	// The backend takes them anyway; GoMLX's text generation then no longer rounds lengths up, so
	// that each length is compiled.
	Dynamic bool
}

// FromClient returns a backend that uses a client that the program made, perhaps with options
// that a configuration cannot express, or for other work too. It is not registered with
// GoMLX. The caller closes the client, after Finalize. opts may be nil.
func FromClient(ctx context.Context, client *pjrt.Client, opts *Options) (*Backend, error) {
	if client == nil {
		return nil, errorf("the client is nil")
	}
	if opts == nil {
		opts = new(Options)
	}
	b := &Backend{
		plugin:      client.Plugin().Path(),
		client:      client,
		devices:     client.AddressableDevices(),
		cache:       opts.Cache,
		executables: make(map[weak.Pointer[Executable]]struct{}),
	}
	if len(b.devices) == 0 {
		return nil, errorf("the client of the plugin %s has no devices that this process can use", client.Plugin())
	}
	var err error
	if b.caps, err = b.readCapabilities(ctx); err != nil {
		return nil, err
	}
	if opts.Dynamic {
		b.caps.DynamicAxes, b.caps.DynamicShapes = true, compute.DynamicShapesRecompiling
	}
	if opts.CuDNN != platform.Off {
		b.cudnn = cudnnFeatures(client)
	}
	onHost := b.sharesMemory(ctx)
	b.shared = onHost && !opts.Unshared
	if b.reuse = opts.Reuse; b.reuse == platform.Auto && !onHost {
		b.reuse = platform.On
	}
	return b, nil
}

// open makes the backend that a configuration describes.
func open(ctx context.Context, c config) (*Backend, error) {
	plugin, err := load(ctx, c.plugin)
	if err != nil {
		return nil, err
	}
	create, err := c.createOptions(plugin.Kind())
	if err != nil {
		return nil, wrapf(err, "options of the plugin %s", plugin)
	}
	// Unlike NewClient, Open heeds the environment variables for clients that JAX reads, and the
	// options in the configuration file of a plugin.
	preparing.Lock()
	client, err := plugins.Open(ctx, cmp.Or(c.plugin, plugin.Path()), &pjrt.ClientOptions{Create: create})
	preparing.Unlock()
	if err != nil {
		return nil, wrapf(err, "client of the plugin %s", plugin)
	}
	opts := &Options{Unshared: c.unshared, Reuse: c.reuse, CuDNN: c.cudnn, Dynamic: c.dynamic}
	if c.cached {
		if opts.Cache, err = cache.Open(c.cacheDir, cache.Options{}); err != nil {
			client.Close()
			return nil, wrapf(err, "cache of compiled programs")
		}
	}
	b, err := FromClient(ctx, client, opts)
	if err != nil {
		client.Close()
		return nil, err
	}
	b.owned = true
	if c.plugin != "" {
		b.plugin = c.plugin
	}
	return b, nil
}

// load finds, prepares and loads a plugin.
func load(ctx context.Context, name string) (*pjrt.Plugin, error) {
	preparing.Lock()
	defer preparing.Unlock()
	plugin, err := plugins.Load(ctx, name)
	switch {
	case err != nil && name == "":
		return nil, wrapf(err, "no plugin is named")
	case err != nil:
		return nil, wrapf(err, "plugin %q", name)
	}
	return plugin, nil
}

// Name returns the name of the backend.
func (b *Backend) Name() string { return Name }

// String returns the name of the backend.
func (b *Backend) String() string { return Name }

// Description names the plugin, its platform and its devices.
func (b *Backend) Description() string {
	if b.IsFinalized() {
		return Name + ": finalized"
	}
	return fmt.Sprintf("%s:%s - %v, platform %s [%d device(s)]", Name, b.plugin, b.client.Plugin(), b.client.PlatformName(), len(b.devices))
}

// NumDevices returns the number of devices that this process can use.
func (b *Backend) NumDevices() int { return len(b.devices) }

// DeviceDescription describes a device, or says that no device has that number.
func (b *Backend) DeviceDescription(num compute.DeviceNum) string {
	if b.IsFinalized() {
		return Name + ": finalized"
	}
	d, err := b.device(num)
	if err != nil {
		return fmt.Sprintf("no device %d", num)
	}
	return fmt.Sprintf("%s [process %d]", d.Description().DebugString(), d.ProcessIndex())
}

// Capabilities returns the operations of the backend and the dtypes of its devices.
func (b *Backend) Capabilities() compute.Capabilities { return b.caps.Clone() }

// Client returns the client that the backend uses, and keeps using. Programs use it for
// what GoMLX has no function for.
func (b *Backend) Client() *pjrt.Client { return b.client }

// device returns the device with a number.
func (b *Backend) device(num compute.DeviceNum) (*pjrt.Device, error) {
	if num < 0 || int(num) >= len(b.devices) {
		return nil, errorf("there is no device %d, only 0 to %d", num, len(b.devices)-1)
	}
	return b.devices[num], nil
}

// IsFinalized reports whether Finalize was called or the backend is nil.
func (b *Backend) IsFinalized() bool {
	if b == nil {
		return true
	}
	return b.finalized.Load()
}

// usable returns an error if the backend was finalized.
func (b *Backend) usable() error {
	if b.IsFinalized() {
		return finalized("the backend")
	}
	return nil
}

// Finalize closes everything that was made with the backend, even what is still in use,
// and the client, unless FromClient made the backend. Using the backend, its buffers or
// executables afterwards is an error, and calls under way may fail with ErrFinalized.
func (b *Backend) Finalize() {
	if b == nil {
		return
	}
	b.mu.Lock()
	if b.finalized.Load() {
		b.mu.Unlock()
		return
	}
	b.finalized.Store(true)
	buffers, executables := b.buffers, b.executables
	b.buffers, b.executables = nil, nil
	b.mu.Unlock()
	for w := range executables {
		if e := w.Value(); e != nil {
			e.close()
		}
	}
	for _, w := range buffers {
		if buffer := w.Value(); buffer != nil {
			buffer.finalize()
		}
	}
	if b.owned {
		b.client.Close()
	}
}

// minSweep is the shortest list of buffers that is worth sweeping.
const minSweep = 256

// adopt adds a buffer to the list of those that Finalize closes. The list does not keep
// a buffer from being collected, since programs forget tensors.
func (b *Backend) adopt(buffer *Buffer) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.finalized.Load() {
		return finalized("the backend")
	}
	if len(b.buffers) >= max(b.sweepAt, minSweep) {
		kept := b.buffers[:0]
		for _, w := range b.buffers {
			if buffer := w.Value(); buffer != nil && buffer.alive() {
				kept = append(kept, w)
			}
		}
		clear(b.buffers[len(kept):])
		b.buffers, b.sweepAt = kept, 2*len(kept)
	}
	b.buffers = append(b.buffers, weak.Make(buffer))
	return nil
}
