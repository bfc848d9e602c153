// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt

import "fmt"

// createOptionTypes are the create options that XLA's plugins know, with a value
// of the type that they expect. They take an option of another type out of a
// std::variant without looking, and the exception ends the process.
var createOptionTypes = map[string]any{
	// CPU
	"cpu_device_count": int64(0),
	"asynchronous":     false,
	// GPU
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
	// TPU
	"ml_framework_name":         "",
	"ml_framework_version":      "",
	"max_inflight_computations": int64(0),
	"use_tf_pjrt_client":        false,
	"use_global_tpu_system":     false,
}

// checkCreateOptions refuses a value of the wrong type for an option that is
// known.
func checkCreateOptions(options []Attribute) error {
	for _, o := range options {
		want, known := createOptionTypes[o.Name]
		if got := createOptionType(o.Value); known && got != createOptionType(want) {
			return invalid("create option %s takes a value of type %s, not %s", o.Name, createOptionType(want), got)
		}
	}
	return nil
}

// createOptionType names the C type that a value is sent as.
func createOptionType(v any) string {
	switch v.(type) {
	case int, int32, uint32, int64:
		return "int64"
	}
	return fmt.Sprintf("%T", v)
}
