// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/purepjrt/purepjrt/pjrt/internal/spelling"
)

// createOptionTypes are the create options that XLA's plugins know, by the family
// of plugins, with a value of the type that they expect. Some of them take an
// option of another type out of a std::variant without looking, and the exception
// ends the process.
var createOptionTypes = map[string]map[string]any{
	familyCPU: {
		"cpu_device_count": int64(0),
		"asynchronous":     false,
		"process_id":       int64(0),
	},
	familyGPU: {
		"platform_name":                         "",
		"allocator":                             "",
		"memory_fraction":                       float32(0),
		"preallocate":                           false,
		"collective_memory_size":                int64(0),
		"visible_devices":                       []int64(nil),
		"node_id":                               int64(0),
		"num_nodes":                             int64(0),
		"should_stage_host_to_device_transfers": false,
		"enable_mock_nccl":                      false,
		"mock_gpu_topology":                     "",
		"partition_index":                       int64(0),
		"abort_collectives_on_failure":          false,
		"use_tfrt_gpu_client":                   false,
		"max_inflight_computations":             int64(0),
	},
	familyTPU: {
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

// The families of plugins that have their create options in common.
const (
	familyCPU = "CPU"
	familyGPU = "GPU"
	familyTPU = "TPU"
)

func (k Kind) family() string {
	switch {
	case k == KindCPU:
		return familyCPU
	case k == KindTPU:
		return familyTPU
	case k.GPU():
		return familyGPU
	}
	return ""
}

// maxDevices is more than any plugin can have, and few enough to be counted in
// C's int.
const maxDevices = 1 << 20

// checkCreateOptions refuses options that a plugin of the kind would end the
// process on, or that it does not have.
func checkCreateOptions(kind Kind, options []Attribute, allowUnknown bool) error {
	seen := make(map[string]bool)
	for _, o := range options {
		if seen[o.Name] {
			return invalid("create option %s is given twice", o.Name)
		}
		seen[o.Name] = true
		if err := checkCreateOption(kind, o, allowUnknown); err != nil {
			return err
		}
	}
	return nil
}

func checkCreateOption(kind Kind, o Attribute, allowUnknown bool) error {
	known := createOptionTypes[kind.family()]
	want, ok := known[o.Name]
	// The numbers of nodes are those of ClientOptions too, which knows what to do
	// when a plugin ignores them.
	allowUnknown = allowUnknown || o.Name == nodeIDOption || o.Name == numNodesOption
	if known != nil && !ok && !allowUnknown {
		return unknownCreateOption(kind, o.Name)
	}
	if !ok { // any of the plugins that have the option will do
		for _, family := range createOptionTypes {
			if want, ok = family[o.Name]; ok {
				break
			}
		}
	}
	if got := attributeType(o.Value); ok && got != attributeType(want) {
		return invalid("create option %s takes a value of type %s, not %s", o.Name, attributeType(want), got)
	}
	return checkCreateOptionValue(o)
}

// checkCreateOptionValue refuses values that plugins do not check.
func checkCreateOptionValue(o Attribute) error {
	switch o.Name {
	case "cpu_device_count":
		if n, _ := attributeInt(o.Value); n < 0 || n > maxDevices {
			return invalid("create option %s is %d; a client has 0 to %d devices", o.Name, n, maxDevices)
		}
	case "process_id", "node_id", "num_nodes", "partition_index", "max_inflight_computations":
		if n, _ := attributeInt(o.Value); n < 0 || n > math.MaxInt32 {
			return invalid("create option %s is %d; it goes from 0 to %d", o.Name, n, math.MaxInt32)
		}
	case "memory_fraction":
		if f, _ := o.Value.(float32); !(f > 0) || f > math.MaxFloat32 {
			return invalid("create option %s is %v; it is a number above 0", o.Name, o.Value)
		}
	case "mock_gpu_topology":
		if text, _ := o.Value.(string); text != "" {
			if _, err := parseExtents(text, 3); err != nil {
				return invalid("create option %s: %v", o.Name, err)
			}
		}
	case "visible_devices":
		list, _ := o.Value.([]int64)
		seen := make(map[int64]bool)
		for _, id := range list {
			if id < 0 || id > math.MaxInt32 {
				return invalid("create option %s has the device %d; devices go from 0 to %d", o.Name, id, math.MaxInt32)
			}
			if seen[id] {
				return invalid("create option %s has device %d twice", o.Name, id)
			}
			seen[id] = true
		}
	}
	return nil
}

// unknownCreateOption says what could have been meant.
func unknownCreateOption(kind Kind, name string) error {
	known := slices.Sorted(maps.Keys(createOptionTypes[kind.family()]))
	var hint strings.Builder
	for _, family := range []string{familyCPU, familyGPU, familyTPU} {
		if _, ok := createOptionTypes[family][name]; ok {
			fmt.Fprintf(&hint, "; it is one of %s plugins", family)
		}
	}
	if near := nearest(name, known); near != "" && hint.Len() == 0 {
		fmt.Fprintf(&hint, "; did you mean %s?", near)
	}
	return invalid("the %s plugin has no create option %q%s; it has %s. Set ClientOptions.AllowUnknown to pass it on",
		kind, name, hint.String(), strings.Join(known, ", "))
}

// nearest returns the candidate that a misspelt name is most likely to mean, or
// "" when none is near.
func nearest(name string, candidates []string) string {
	best, distance := "", len(name)/3+2
	for _, c := range candidates {
		if d := spelling.Distance(name, c); d < distance {
			best, distance = c, d
		}
	}
	return best
}

// attributeInt returns a value that is sent as an int64.
func attributeInt(v any) (int64, bool) {
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

// attributeType names the C type that a value is sent as.
func attributeType(v any) string {
	if _, ok := attributeInt(v); ok {
		return "int64"
	}
	return fmt.Sprintf("%T", v)
}
