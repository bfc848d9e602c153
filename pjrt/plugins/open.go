// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package plugins

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/internal/excerpt"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/internal/bridge"
	"github.com/purepjrt/purepjrt/pjrt/internal/createoptions"
	"github.com/purepjrt/purepjrt/pjrt/internal/xlaflags"
	"github.com/purepjrt/purepjrt/pjrt/platform"
)

// CreateOptionsVariable is JAX's environment variable with create options for clients, in the form
// that [platform.Parse] reads.
const CreateOptionsVariable = "JAX_PJRT_CLIENT_CREATE_OPTIONS"

// Open makes a client of the plugin called name: it finds the plugin ([Find]), which is the best
// one on this machine if name is empty, sets the environment that its library needs ([Prepare]),
// loads it (pjrt.Open) and makes the client (pjrt.Plugin.NewClient). The caller closes the client.
// opts may be nil. Call Open while no other goroutine uses the environment.
//
// The client gets create options from, in ascending order of precedence, the plugin's configuration
// file, the environment variables that JAX reads for them (JAX_CUDA_VISIBLE_DEVICES,
// JAX_ROCM_VISIBLE_DEVICES, JAX_ONEAPI_VISIBLE_DEVICES, XLA_PYTHON_CLIENT_ALLOCATOR,
// XLA_CLIENT_MEM_FRACTION and its older name XLA_PYTHON_CLIENT_MEM_FRACTION,
// XLA_PYTHON_CLIENT_PREALLOCATE,
// XLA_PYTHON_CLIENT_COLLECTIVE_MEM_SIZE_MB, JAX_MOCK_GPU_TOPOLOGY, JAX_NUM_CPU_DEVICES, the flag
// --xla_force_host_platform_device_count in XLA_FLAGS, JAX_PJRT_CLIENT_CREATE_OPTIONS), and opts.
//
// An experimental plugin, and a CPU in place of devices that lack a plugin, are logged as warnings.
//
// A client without devices is an error that says why there are none, as far as that is known. To
// compile for devices that are not there, use [Load].
//
// If name is empty, PJRT_PLATFORMS and the like are not set, and the best plugin fails, Open logs a
// warning (see pjrt.SetLogger) and tries the next one, in the order of [Find]. If all fail, the
// error has the reason of each. A mistake in an environment variable or in opts is no reason to try
// others.
//
// Some plugins end the process where others return an error, as Tenstorrent's does without a
// device: it throws an exception of C++, which no frame of a Go program catches. Open tries a
// plugin of an unknown kind that the user did not ask for only after all others. Where it must not
// happen at all, let another process make a client first, as pjrt info NAME does.
func Open(ctx context.Context, name string, opts *pjrt.ClientOptions) (client *pjrt.Client, err error) {
	err = newFinder(ListOptions{}).try(ctx, name, func(c Candidate) error {
		return openClient(c, opts, func(p *pjrt.Plugin, o *pjrt.ClientOptions) (*pjrt.Client, io.Closer, error) {
			client, err = p.NewClient(ctx, o)
			return client, client, err
		})
	})
	if err != nil {
		return nil, err
	}
	return client, nil
}

// Share is [Open] for the parts of a program that share one client: it returns a reference to the
// plugin's shared client (pjrt.Plugin.SharedClient), which its first caller makes with the options
// that Open would give it. The caller closes the reference. If opts is nil, a client that exists
// suits the caller whatever its options; otherwise other options, those of the environment
// included, are pjrt.ErrFailedPrecondition.
func Share(ctx context.Context, name string, opts *pjrt.ClientOptions) (shared *pjrt.SharedClient, err error) {
	err = newFinder(ListOptions{}).try(ctx, name, func(c Candidate) error {
		return openClient(c, opts, func(p *pjrt.Plugin, o *pjrt.ClientOptions) (*pjrt.Client, io.Closer, error) {
			s, err := bridge.Root.ShareClient(ctx, p, o, opts == nil)
			if err != nil {
				return nil, nil, err
			}
			shared = s.(*pjrt.SharedClient)
			return shared.Client, shared, nil
		})
	})
	if err != nil {
		return nil, err
	}
	return shared, nil
}

// openClient loads c and makes a client of it with create, which gets the options of c's
// configuration, of the environment and of opts, and also returns what closes the client.
func openClient(c Candidate, opts *pjrt.ClientOptions,
	create func(*pjrt.Plugin, *pjrt.ClientOptions) (*pjrt.Client, io.Closer, error)) error {
	plugin, err := load(c)
	if err != nil {
		return err
	}
	var o pjrt.ClientOptions
	if opts != nil {
		o = *opts
	}
	if o.Create, err = createOptionsOf(plugin.Kind(), c.Options, &o, os.LookupEnv); err != nil {
		return mistake{err}
	}
	client, closer, err := create(plugin, &o)
	switch {
	case errors.Is(err, pjrt.ErrInvalidArgument) && opts != nil &&
		(opts.Platform != nil || len(opts.Create) > 0 || opts.NodeID != 0 || opts.NumNodes != 0 || opts.KeyValueStore != nil):
		return mistake{err}
	case err != nil && c.Hardware != nil:
		return fmt.Errorf("plugin %s: %w (%w)", c.Name, c.Hardware, err)
	case err != nil:
		return err
	case len(client.Devices()) == 0:
		err := fmt.Errorf("plugin %s (%s) has no devices", c.Name, c.Path)
		if c.Hardware != nil {
			err = fmt.Errorf("%w: %w", err, c.Hardware)
		}
		return cmp.Or(closer.Close(), err)
	}
	if c.Experimental {
		bridge.Root.Logger().Warn("the PJRT plugin is experimental: it may be slow, or wrong", "plugin", c.Name, "path", c.Path)
	}
	return nil
}

// mistake is an error that no other plugin can repair.
type mistake struct{ error }

func (m mistake) Unwrap() error { return m.error }

// Load is [Open] without a client: it finds a plugin, sets the environment that its library needs,
// and loads it. The plugin stays loaded until the process ends.
func Load(ctx context.Context, name string) (plugin *pjrt.Plugin, err error) {
	err = newFinder(ListOptions{}).try(ctx, name, func(c Candidate) error {
		plugin, err = load(c)
		return err
	})
	if err != nil {
		return nil, err
	}
	return plugin, nil
}

func load(c Candidate) (*pjrt.Plugin, error) {
	if err := Prepare(c.Path); err != nil {
		return nil, err
	}
	plugin, err := pjrt.Open(c.Path)
	var interposed *bridge.InterposeError
	if err != nil && (xlaflags.CheckLibrary(c.Path) != nil || errors.As(err, &interposed)) {
		return nil, mistake{err}
	}
	return plugin, whatItIs(c, err)
}

// whatItIs makes the error of a library that cannot be loaded an ErrUnusable, and that of a file
// that is no library say what it is instead: the loader only says where it stopped reading.
func whatItIs(c Candidate, err error) error {
	var unusable *capi.OpenError
	switch {
	case !errors.As(err, &unusable) || errors.Is(err, fs.ErrNotExist):
		return err
	case c.Problem == nil || !errors.Is(err, capi.ErrNotLibrary):
		return problem{err}
	}
	return problem{&capi.OpenError{
		Path: c.Path, Err: fmt.Errorf("%w: %s", capi.ErrNotLibrary, strings.TrimPrefix(c.Problem.Error(), c.Path+": ")),
	}}
}

// try calls use with the plugin called name. Without a name, it calls use with the best one, and if
// that fails with the next, unless the user chose.
func (f *finder) try(ctx context.Context, name string, use func(Candidate) error) error {
	if name != "" || f.chosenPlatforms() {
		c, err := f.find(ctx, name)
		if err != nil {
			return err
		}
		return f.explain(c, use(c))
	}
	list, err := f.selectPlugins(ctx)
	if err != nil {
		return err
	}
	var failures allFailed
	for i, c := range list {
		err := f.explain(c, use(c))
		if err == nil && c.Platform == "cpu" {
			for _, hint := range f.hints(list) {
				bridge.Root.Logger().Warn("a CPU is used, though "+hint, "plugin", c.Name, "path", c.Path)
			}
		}
		var m mistake
		if err == nil || ctx.Err() != nil || errors.As(err, &m) || len(list) == 1 {
			return err
		}
		failures = append(failures, failure{c, err})
		if i+1 < len(list) {
			bridge.Root.Logger().Warn("a PJRT plugin does not work and is passed over", "plugin", c.Name, "path", c.Path,
				"error", firstLine(err), "next", list[i+1].Name)
		}
	}
	return failures
}

// failure is a plugin that was tried, and why it failed.
type failure struct {
	plugin Candidate
	err    error
}

// allFailed is the error of trying several plugins.
type allFailed []failure

func (e allFailed) Error() string {
	var list []string
	for _, f := range e {
		list = append(list, f.plugin.Name+" ("+firstLine(f.err)+")")
	}
	return "none of the plugins works: " + strings.Join(list, ", ")
}

func (e allFailed) Unwrap() (list []error) {
	for _, f := range e {
		list = append(list, f.err)
	}
	return list
}

// firstLine returns the first line of an error's text, or its beginning: plugins write long ones.
func firstLine(err error) string {
	line, _, more := strings.Cut(strings.TrimSpace(err.Error()), "\n")
	if more && len(line) <= excerpt.Limit {
		return line + " ..."
	}
	return excerpt.Of(line)
}

// createOptionsOf returns the create options for a plugin of some kind: those of its configuration,
// of the environment and of opts. Later ones override earlier ones.
func createOptionsOf(kind string, config []capi.Attribute, opts *pjrt.ClientOptions,
	lookup func(string) (string, bool)) ([]capi.Attribute, error) {
	explicit := opts.Create
	if opts.Platform != nil {
		named, err := opts.Platform.CreateOptions()
		if err != nil {
			return nil, err
		}
		explicit = slices.Concat(named, explicit)
	}
	env, err := createOptionsOfEnvironment(kind, lookup)
	if err != nil {
		return nil, err
	}
	has := func(list []capi.Attribute, name string) bool {
		return slices.ContainsFunc(list, func(a capi.Attribute) bool { return a.Name == name })
	}
	if opts.NumNodes > 0 {
		env = slices.DeleteFunc(env, func(a capi.Attribute) bool { return a.Name == createoptions.NumNodes })
	}
	var list []capi.Attribute
	for _, a := range config {
		if !has(env, a.Name) && !has(explicit, a.Name) {
			list = append(list, a)
		}
	}
	for _, a := range env {
		if !has(explicit, a.Name) {
			list = append(list, a)
		}
	}
	return append(list, opts.Create...), nil
}

// createOptionsOfEnvironment reads the variables that JAX turns into create options for a kind of
// plugin.
func createOptionsOfEnvironment(kind string, lookup func(string) (string, bool)) ([]capi.Attribute, error) {
	var list []capi.Attribute
	var err error
	// option reads one variable, unless an earlier one was an error.
	option := func(variable, name, want string, parse func(string) (any, bool)) {
		value, _ := lookup(variable)
		if value == "" || err != nil {
			return
		}
		v, ok := parse(value)
		if !ok {
			err = fmt.Errorf("the environment variable %s is %q: want %s", variable, value, want)
			return
		}
		if v != nil {
			list = append(list, capi.Attribute{Name: name, Value: v})
		}
	}
	switch kind {
	case "cuda", "rocm", "oneapi":
		option("JAX_"+strings.ToUpper(kind)+"_VISIBLE_DEVICES", "visible_devices",
			"all, or device numbers separated by commas", visibleDevices)
		option("XLA_PYTHON_CLIENT_ALLOCATOR", "allocator", "", func(v string) (any, bool) { return strings.ToLower(v), true })
		const fraction, oldFraction = "XLA_CLIENT_MEM_FRACTION", "XLA_PYTHON_CLIENT_MEM_FRACTION"
		name := fraction
		if value, _ := lookup(fraction); value == "" {
			name = oldFraction
		} else if old, _ := lookup(oldFraction); old != "" {
			return nil, fmt.Errorf("the environment variables %s and %s are both set: unset the latter, which is the older name",
				fraction, oldFraction)
		}
		option(name, "memory_fraction", "a number such as 0.75", func(v string) (any, bool) {
			x, err := strconv.ParseFloat(v, 32)
			return float32(x), err == nil
		})
		option("XLA_PYTHON_CLIENT_PREALLOCATE", "preallocate", "true or false", func(v string) (any, bool) {
			b, err := strconv.ParseBool(v)
			return b, err == nil
		})
		option("XLA_PYTHON_CLIENT_COLLECTIVE_MEM_SIZE_MB", "collective_memory_size", "a number of megabytes", func(v string) (any, bool) {
			n, err := strconv.ParseUint(v, 10, 40)
			return int64(n) << 20, err == nil
		})
		option("JAX_MOCK_GPU_TOPOLOGY", "enable_mock_nccl", "", func(string) (any, bool) { return true, true })
		option("JAX_MOCK_GPU_TOPOLOGY", "mock_gpu_topology", "", func(v string) (any, bool) { return v, true })
		option("JAX_MOCK_GPU_TOPOLOGY", createoptions.NumNodes, "a system such as 1x2x8", func(v string) (any, bool) {
			n, err := createoptions.MockNodes(v)
			return int64(n), err == nil
		})
	case "cpu":
		count := func(v string) (any, bool) {
			n, err := strconv.ParseInt(v, 10, 32)
			if n < 0 {
				return nil, err == nil
			}
			return n, err == nil
		}
		const devices = "cpu_device_count"
		if option("JAX_NUM_CPU_DEVICES", devices, "a number, or -1 for the plugin's default", count); len(list) > 0 {
			break
		}
		flags, _ := lookup(xlaflags.Variable)
		words, readErr := xlaflags.Read(flags)
		if readErr != nil {
			break // pjrt.Open has refused it
		}
		for _, w := range words {
			if w.Name != hostDevicesFlag {
				continue
			}
			n, ok := count(w.Value)
			if !ok {
				return nil, fmt.Errorf("the flag %s in %s: want a number", w.Text, xlaflags.Variable)
			}
			list = slices.DeleteFunc(list, func(a capi.Attribute) bool { return a.Name == devices })
			if n != nil {
				list = append(list, capi.Attribute{Name: devices, Value: n})
			}
		}
	}
	if err != nil {
		return nil, err
	}
	if value, _ := lookup(CreateOptionsVariable); value != "" {
		more, err := platform.Parse(kind, value)
		if err != nil {
			return nil, fmt.Errorf("the environment variable %s: %w", CreateOptionsVariable, err)
		}
		list = slices.DeleteFunc(list, func(a capi.Attribute) bool {
			return slices.ContainsFunc(more, func(b capi.Attribute) bool { return a.Name == b.Name })
		})
		list = append(list, more...)
	}
	return list, nil
}

// hostDevicesFlag is the flag of XLA with the number of devices of a CPU. JAX's own CPU client
// obeys it, and XLA's plugins, whose number is a create option, ignore it.
const hostDevicesFlag = "xla_force_host_platform_device_count"

// visibleDevices reads device numbers. The result is nil if all devices are visible.
func visibleDevices(value string) (any, bool) {
	if value == "all" {
		return nil, true
	}
	var devices []int64
	for field := range strings.SplitSeq(value, ",") {
		n, err := strconv.ParseInt(strings.TrimSpace(field), 10, 64)
		if err != nil || n < 0 {
			return nil, false
		}
		devices = append(devices, n)
	}
	return devices, true
}
