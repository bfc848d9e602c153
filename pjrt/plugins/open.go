// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package plugins

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/platform"
)

// CreateOptionsVariable is JAX's environment variable with create options of clients, in the form that
// [platform.Parse] reads.
const CreateOptionsVariable = "JAX_PJRT_CLIENT_CREATE_OPTIONS"

// Open makes a client of the plugin called name: it finds the plugin ([Lookup]), or the best one on this machine if
// name is empty ([Default]), sets the environment that its library needs ([Prepare]), loads it (pjrt.Open) and makes
// the client (pjrt.Plugin.NewClient). The caller closes the client. opts may be nil. Call Open while no other goroutine
// uses the environment.
//
// The client gets create options from, in ascending order of weight, the plugin's configuration file ([ReadConfig]),
// the environment variables that JAX reads for them (JAX_CUDA_VISIBLE_DEVICES, JAX_ROCM_VISIBLE_DEVICES,
// XLA_PYTHON_CLIENT_ALLOCATOR, XLA_PYTHON_CLIENT_MEM_FRACTION, XLA_PYTHON_CLIENT_PREALLOCATE,
// JAX_PJRT_CLIENT_CREATE_OPTIONS), and opts.
//
// A client without devices is an error that says why there are none, as far as that is known. To compile for devices
// that are not there, use [Load].
func Open(ctx context.Context, name string, opts *pjrt.ClientOptions) (*pjrt.Client, error) {
	c, plugin, err := load(ctx, name)
	if err != nil {
		return nil, err
	}
	var o pjrt.ClientOptions
	if opts != nil {
		o = *opts
	}
	if o.Create, err = createOptionsOf(plugin.Kind(), c.Options, &o, os.LookupEnv); err != nil {
		return nil, err
	}
	client, err := plugin.NewClient(ctx, &o)
	switch {
	case err != nil && c.Hardware != nil:
		return nil, fmt.Errorf("plugin %s: %w (%w)", c.Name, c.Hardware, err)
	case err != nil:
		return nil, err
	case len(client.Devices()) == 0:
		err := fmt.Errorf("plugin %s (%s) has no devices", c.Name, c.Path)
		if c.Hardware != nil {
			err = fmt.Errorf("%w: %w", err, c.Hardware)
		}
		return nil, cmp.Or(client.Close(), err)
	}
	return client, nil
}

// Load is [Open] without a client: it finds a plugin, sets the environment that its library needs, and loads it. What
// is loaded stays so until the process ends.
func Load(ctx context.Context, name string) (*pjrt.Plugin, error) {
	_, plugin, err := load(ctx, name)
	return plugin, err
}

func load(ctx context.Context, name string) (Candidate, *pjrt.Plugin, error) {
	c, err := choose(ctx, name)
	if err != nil {
		return c, nil, err
	}
	if err := Prepare(c.Path); err != nil {
		return c, nil, err
	}
	plugin, err := pjrt.Open(c.Path)
	return c, plugin, err
}

func choose(ctx context.Context, name string) (Candidate, error) {
	if name == "" {
		return Default(ctx)
	}
	return Lookup(ctx, name, ListOptions{})
}

// createOptionsOf returns the create options of the configuration of a plugin of some kind, of the environment and of
// opts, each of which wins over those before it.
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

// createOptionsOfEnvironment reads the variables that JAX turns into create options of a kind of plugins.
func createOptionsOfEnvironment(kind string, lookup func(string) (string, bool)) ([]capi.Attribute, error) {
	var list []capi.Attribute
	fail := func(variable, value, want string) error {
		return fmt.Errorf("the environment variable %s is %q: want %s", variable, value, want)
	}
	if kind == "cuda" || kind == "rocm" {
		variable := "JAX_" + strings.ToUpper(kind) + "_VISIBLE_DEVICES"
		if value, _ := lookup(variable); value != "" && value != "all" {
			var devices []int64
			for field := range strings.SplitSeq(value, ",") {
				n, err := strconv.ParseInt(strings.TrimSpace(field), 10, 64)
				if err != nil || n < 0 {
					return nil, fail(variable, value, "all, or numbers of devices with commas between them")
				}
				devices = append(devices, n)
			}
			list = append(list, capi.Attribute{Name: "visible_devices", Value: devices})
		}
		if value, _ := lookup("XLA_PYTHON_CLIENT_ALLOCATOR"); value != "" {
			list = append(list, capi.Attribute{Name: "allocator", Value: strings.ToLower(value)})
		}
		if value, _ := lookup("XLA_PYTHON_CLIENT_MEM_FRACTION"); value != "" {
			fraction, err := strconv.ParseFloat(value, 32)
			if err != nil {
				return nil, fail("XLA_PYTHON_CLIENT_MEM_FRACTION", value, "a number such as 0.75")
			}
			list = append(list, capi.Attribute{Name: "memory_fraction", Value: float32(fraction)})
		}
		if value, _ := lookup("XLA_PYTHON_CLIENT_PREALLOCATE"); value != "" {
			preallocate, err := strconv.ParseBool(value)
			if err != nil {
				return nil, fail("XLA_PYTHON_CLIENT_PREALLOCATE", value, "true or false")
			}
			list = append(list, capi.Attribute{Name: "preallocate", Value: preallocate})
		}
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
