/* SPDX-License-Identifier: Apache-2.0
   Restates the public ABI of openxla/xla's header of this path. */

// The names of the options that the TPU plugin takes in PJRT_Client_Create.

#ifndef XLA_PJRT_C_PJRT_C_API_TPU_CONSTANTS_H_
#define XLA_PJRT_C_PJRT_C_API_TPU_CONSTANTS_H_

namespace pjrt {
namespace tpu_configs {

// The name of the framework that uses the client.
inline constexpr char kMlFrameworkName[] = "ml_framework_name";

// The version of that framework.
inline constexpr char kMlFrameworkVersion[] = "ml_framework_version";

// How many computations may be enqueued on a device at once.
inline constexpr char kMaxInflightComputations[] = "max_inflight_computations";

// Whether the client is the one made for TensorFlow.
inline constexpr char kUseTfPjrtClient[] = "use_tf_pjrt_client";

// Whether the client uses the TPU system that the whole process shares.
inline constexpr char kUseGlobalTpuSystem[] = "use_global_tpu_system";

// Whether device memory may be allocated before its earlier use has ended.
inline constexpr char kTpuAllowAsyncAllocations[] =
    "tpu_allow_async_allocations";

// Whether loading a serialized executable checks that it fits the runtime.
inline constexpr char kExecutableCompatibilityCheckOnDeserialization[] =
    "executable_compatibility_check_on_deserialization";

// Whether host transfers of low priority are slowed down.
inline constexpr char kThrottleLowPriorityHostTransfers[] =
    "throttle_low_priority_host_transfers";

// How pinned host memory is allocated.
inline constexpr char kPinnedHostAllocationMode[] =
    "pinned_host_allocation_mode";

// The bytes of host memory that are mapped for the device in advance.
inline constexpr char kPremappedBufferSize[] = "premapped_buffer_size";

// The most bytes of premapped memory that transfers may use.
inline constexpr char kMaximumPremappedBufferSizeForTransfersInBytes[] =
    "maximum_premapped_buffer_size_for_transfers_in_bytes";

// Into how many parts the premapped memory is divided.
inline constexpr char kNumPremappedPartitions[] = "num_premapped_partitions";

// Whether to leave out the client for several slices.
inline constexpr char kSkipMegascalePjrtClient[] = "skip_megascale_pjrt_client";

}  // namespace tpu_configs
}  // namespace pjrt

#endif  // XLA_PJRT_C_PJRT_C_API_TPU_CONSTANTS_H_
