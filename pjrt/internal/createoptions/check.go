// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package createoptions knows the options that XLA's plugins take for clients and
// topologies: their names, types and possible values.
package createoptions

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/pjrt/internal/spelling"
)

// The families of plugins. The plugins of one family have the same options.
const (
	CPU = "CPU"
	GPU = "GPU"
	TPU = "TPU"
)

// Family returns the family of a kind of plugin, as returned by Plugin.Kind, or "" for an unknown
// kind.
func Family(kind string) string {
	switch kind {
	case "cpu":
		return CPU
	case "cuda", "rocm", "oneapi":
		return GPU
	case "tpu":
		return TPU
	}
	return ""
}

// The options that say how many processes a program has, and which one this is.
const (
	NodeID   = "node_id"
	NumNodes = "num_nodes"
)

// Preallocate is the option that makes a client of a GPU plugin take most of the memory at once.
const Preallocate = "preallocate"

// types has the create options of XLA's plugins by family, each with a value of the expected type.
// Some plugins read an option without checking its type, and the resulting C++ exception ends the
// process.
var types = map[string]map[string]any{
	CPU: {
		"cpu_device_count": int64(0),
		"asynchronous":     false,
		"process_id":       int64(0),
	},
	GPU: {
		"platform_name":                         "",
		"allocator":                             "",
		"memory_fraction":                       float32(0),
		"preallocate":                           false,
		"collective_memory_size":                int64(0),
		"visible_devices":                       []int64(nil),
		NodeID:                                  int64(0),
		NumNodes:                                int64(0),
		"should_stage_host_to_device_transfers": false,
		"enable_mock_nccl":                      false,
		"mock_gpu_topology":                     "",
		"partition_index":                       int64(0),
		"abort_collectives_on_failure":          false,
		"use_tfrt_gpu_client":                   false,
		"max_inflight_computations":             int64(0),
	},
	TPU: {
		"ml_framework_name":                                    "",
		"ml_framework_version":                                 "",
		"max_inflight_computations":                            int64(0),
		"pinned_host_allocation_mode":                          "",
		"premapped_buffer_size":                                int64(0),
		"maximum_premapped_buffer_size_for_transfers_in_bytes": int64(0),
		"num_premapped_partitions":                             int64(0),
		"tpu_allow_async_allocations":                          false,
		"executable_compatibility_check_on_deserialization":    false,
		"throttle_low_priority_host_transfers":                 false,
		"use_global_tpu_system":                                false,
		"use_tf_pjrt_client":                                   int64(0),
		"skip_megascale_pjrt_client":                           false,
	},
}

// maxCPUDevices is the largest number of devices that a client of a CPU plugin may have. XLA's
// plugin starts a thread for each, and takes 14 s to make and 8 s to close a client of this many,
// more than twice that for twice as many, and for ever when it runs out of threads.
const maxCPUDevices = 1 << 12

// MaxDevices is more than the number of devices of any system, and fits in C's int.
const MaxDevices = 1 << 20

// Check returns an error for options on which a plugin of this kind would end the process, and,
// unless allowUnknown is set, for options that it does not have. Plugins of other kinds may have
// any options.
func Check(kind string, options []capi.Attribute, allowUnknown bool) error {
	seen := make(map[string]bool)
	for _, o := range options {
		if seen[o.Name] {
			return fmt.Errorf("create option %s is given twice", o.Name)
		}
		seen[o.Name] = true
		if err := check(kind, o, allowUnknown); err != nil {
			return err
		}
	}
	return nil
}

func check(kind string, o capi.Attribute, allowUnknown bool) error {
	known := types[Family(kind)]
	want, ok := known[o.Name]
	// NewClient sets these itself, and detects whether the plugin ignored them.
	allowUnknown = allowUnknown || o.Name == NodeID || o.Name == NumNodes
	if known != nil && !ok && !allowUnknown {
		return unknown(kind, o.Name)
	}
	if !ok { // an option has the same type in all families
		for _, family := range types {
			if want, ok = family[o.Name]; ok {
				break
			}
		}
	}
	if got := typeOf(o.Value); ok && got != typeOf(want) {
		return fmt.Errorf("create option %s takes a value of type %s, not %s", o.Name, typeOf(want), got)
	}
	return checkValue(o)
}

// checkValue rejects values that plugins do not check.
func checkValue(o capi.Attribute) error {
	switch o.Name {
	case "cpu_device_count":
		if n, _ := intOf(o.Value); n < 0 || n > maxCPUDevices {
			return fmt.Errorf("create option %s is %d; a client has 0 to %d devices, because each has a thread", o.Name, n, maxCPUDevices)
		}
	case "process_id", NodeID, NumNodes, "partition_index", "max_inflight_computations":
		if n, _ := intOf(o.Value); n < 0 || n > math.MaxInt32 {
			return fmt.Errorf("create option %s is %d; it goes from 0 to %d", o.Name, n, math.MaxInt32)
		}
	case "memory_fraction":
		if f, _ := o.Value.(float32); !(f > 0) || f > math.MaxFloat32 {
			return fmt.Errorf("create option %s is %v; it is a number above 0", o.Name, o.Value)
		}
	case "mock_gpu_topology":
		if text, _ := o.Value.(string); text != "" {
			if _, err := Extents(text, 3); err != nil {
				return fmt.Errorf("create option %s: %v", o.Name, err)
			}
		}
	case "visible_devices":
		list, _ := o.Value.([]int64)
		seen := make(map[int64]bool)
		for _, id := range list {
			if id < 0 || id > math.MaxInt32 {
				return fmt.Errorf("create option %s has the device %d; devices go from 0 to %d", o.Name, id, math.MaxInt32)
			}
			if seen[id] {
				return fmt.Errorf("create option %s has device %d twice", o.Name, id)
			}
			seen[id] = true
		}
	}
	return nil
}

// unknown returns the error for an option that the plugin does not have, with suggestions.
func unknown(kind string, name string) error {
	known := slices.Sorted(maps.Keys(types[Family(kind)]))
	var hint strings.Builder
	for _, family := range []string{CPU, GPU, TPU} {
		if _, ok := types[family][name]; ok {
			fmt.Fprintf(&hint, "; it is one of %s plugins", family)
		}
	}
	if near := nearest(name, known); near != "" && hint.Len() == 0 {
		fmt.Fprintf(&hint, "; did you mean %s?", near)
	}
	return fmt.Errorf("the %s plugin has no create option %q%s; it has %s. Set ClientOptions.AllowUnknown to pass it on",
		kind, name, hint.String(), strings.Join(known, ", "))
}

// nearest returns the candidate with the most similar spelling, or "" if none is similar.
func nearest(name string, candidates []string) string {
	best, distance := "", len(name)/3+2
	for _, c := range candidates {
		if d := spelling.Distance(name, c); d < distance {
			best, distance = c, d
		}
	}
	return best
}

// intOf returns the value of an integer of any type. All are sent as int64.
func intOf(v any) (int64, bool) {
	switch v := v.(type) {
	case int:
		return int64(v), true
	case int32:
		return int64(v), true
	case uint32:
		return int64(v), true
	case int64:
		return v, true
	}
	return 0, false
}

// typeOf returns the name of the type that a value is sent as.
func typeOf(v any) string {
	if _, ok := intOf(v); ok {
		return "int64"
	}
	return fmt.Sprintf("%T", v)
}

// Preallocates reports whether a new client with these options takes most of the memory of its
// devices, as clients of GPU plugins do by default.
func Preallocates(kind string, options []capi.Attribute) bool {
	preallocate := Family(kind) == GPU
	for _, o := range options {
		switch o.Name {
		case Preallocate:
			preallocate = preallocate && o.Value == true
		case "allocator":
			preallocate = preallocate && o.Value != "platform"
		}
	}
	return preallocate
}
