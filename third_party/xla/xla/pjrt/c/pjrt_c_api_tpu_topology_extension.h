/* SPDX-License-Identifier: Apache-2.0
   Restates the public ABI of openxla/xla's header of this path. */

// Reads how the chips of a TPU system are arranged, and translates between
// chips, cores, processes, logical devices and coordinates. It needs no TPU.
//
// Lists that the plugin fills belong to the caller, who says how many elements
// there is room for; the plugin stores how many it wrote.

#ifndef XLA_PJRT_C_PJRT_C_API_TPU_TOPOLOGY_EXTENSION_H_
#define XLA_PJRT_C_PJRT_C_API_TPU_TOPOLOGY_EXTENSION_H_

#include <stddef.h>
#include <stdint.h>

#include "xla/pjrt/c/pjrt_c_api.h"

#ifdef __cplusplus
extern "C" {
#endif

// The version of this extension. The plugin does not report it.
#define PJRT_API_TPU_TOPOLOGY_EXTENSION_VERSION 1

// The arguments of PJRT_TpuTopology_Subslice.
struct PJRT_TpuTopology_Subslice_Args {
  size_t struct_size;
  const PJRT_TopologyDescription* topology;
  // The chips that each host contributes, by dimension.
  const int32_t* chips_per_host_bounds;
  // The number of these dimensions.
  size_t chips_per_host_bounds_num_dims;
  // The hosts of the part, by dimension.
  const int32_t* host_bounds;
  // The number of these dimensions.
  size_t host_bounds_num_dims;
  // Owned by the caller. Upstream names a function to free it,
  // PJRT_TpuTopology_Destroy, that no header declares;
  // PJRT_TopologyDescription_Destroy frees topology descriptions.
  PJRT_TopologyDescription* subslice_topology;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_TpuTopology_Subslice_Args, subslice_topology);

// Makes the topology of a part of a slice.
typedef PJRT_Error* PJRT_TpuTopology_Subslice(
    PJRT_TpuTopology_Subslice_Args* args);

// The arguments of PJRT_TpuTopology_IsSubsliceTopology.
struct PJRT_TpuTopology_IsSubsliceTopology_Args {
  size_t struct_size;
  const PJRT_TopologyDescription* topology;
  // Whether it is.
  bool is_subslice_topology;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_TpuTopology_IsSubsliceTopology_Args,
                          is_subslice_topology);

// Tells whether a topology is a part of a slice.
typedef PJRT_Error* PJRT_TpuTopology_IsSubsliceTopology(
    PJRT_TpuTopology_IsSubsliceTopology_Args* args);

// The arguments of PJRT_TpuTopology_SubsliceDeviceIdFromFullDeviceId.
struct PJRT_TpuTopology_SubsliceDeviceIdFromFullDeviceId_Args {
  size_t struct_size;
  // The whole topology.
  const PJRT_TopologyDescription* client_topology;
  // The part.
  const PJRT_TopologyDescription* subslice_topology;
  // Where the part starts, by dimension.
  const int32_t* subslice_origin;
  // The number of these dimensions.
  size_t subslice_origin_dim_num;
  // The device in the whole topology.
  int32_t full_device_id;
  // The device in the part.
  int32_t subslice_device_id;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(
    PJRT_TpuTopology_SubsliceDeviceIdFromFullDeviceId_Args, subslice_device_id);

// Returns the number that a device of the whole topology has in a part of it.
typedef PJRT_Error* PJRT_TpuTopology_SubsliceDeviceIdFromFullDeviceId(
    PJRT_TpuTopology_SubsliceDeviceIdFromFullDeviceId_Args* args);

// The arguments of PJRT_TpuTopology_ReplaceHostBounds.
struct PJRT_TpuTopology_ReplaceHostBounds_Args {
  size_t struct_size;
  const PJRT_TopologyDescription* topology;
  // The hosts, by dimension.
  const int32_t* host_bounds;
  // The number of these dimensions.
  size_t host_bounds_dim_num;
  // Owned by the caller. Upstream names a function to free it,
  // PJRT_TpuTopology_Destroy, that no header declares;
  // PJRT_TopologyDescription_Destroy frees topology descriptions.
  PJRT_TopologyDescription* new_topology;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_TpuTopology_ReplaceHostBounds_Args,
                          new_topology);

// Makes a topology that differs from the given one only in the arrangement of
// its hosts.
typedef PJRT_Error* PJRT_TpuTopology_ReplaceHostBounds(
    PJRT_TpuTopology_ReplaceHostBounds_Args* args);

// The arguments of PJRT_TpuTopology_IsEnhancedBarrierEnabled.
struct PJRT_TpuTopology_IsEnhancedBarrierEnabled_Args {
  size_t struct_size;
  const PJRT_TopologyDescription* topology;
  // Whether it is.
  bool is_enhanced_barrier_enabled;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_TpuTopology_IsEnhancedBarrierEnabled_Args,
                          is_enhanced_barrier_enabled);

// Tells whether the enhanced barrier between chips is in use.
typedef PJRT_Error* PJRT_TpuTopology_IsEnhancedBarrierEnabled(
    PJRT_TpuTopology_IsEnhancedBarrierEnabled_Args* args);

// The arguments of PJRT_TpuTopology_HasLimitedIciConnectivity.
struct PJRT_TpuTopology_HasLimitedIciConnectivity_Args {
  size_t struct_size;
  const PJRT_TopologyDescription* topology;
  // Whether that is so.
  bool has_limited_ici_connectivity;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_TpuTopology_HasLimitedIciConnectivity_Args,
                          has_limited_ici_connectivity);

// Tells whether some chips cannot reach others over the interconnect.
typedef PJRT_Error* PJRT_TpuTopology_HasLimitedIciConnectivity(
    PJRT_TpuTopology_HasLimitedIciConnectivity_Args* args);

// The arguments of PJRT_TpuTopology_IsReachableOverLimitedIci.
struct PJRT_TpuTopology_IsReachableOverLimitedIci_Args {
  size_t struct_size;
  const PJRT_TopologyDescription* topology;
  // The chip that sends.
  int32_t source_chip_id;
  // The chip that receives.
  int32_t dest_chip_id;
  // Whether it can.
  bool is_reachable_over_limited_ici;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_TpuTopology_IsReachableOverLimitedIci_Args,
                          is_reachable_over_limited_ici);

// Tells whether one chip can reach another over a limited interconnect.
typedef PJRT_Error* PJRT_TpuTopology_IsReachableOverLimitedIci(
    PJRT_TpuTopology_IsReachableOverLimitedIci_Args* args);

// The arguments of PJRT_TpuTopology_ProcessCount.
struct PJRT_TpuTopology_ProcessCount_Args {
  size_t struct_size;
  const PJRT_TopologyDescription* topology;
  // The number of processes.
  int32_t process_count;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_TpuTopology_ProcessCount_Args, process_count);

// Returns how many processes there are.
typedef PJRT_Error* PJRT_TpuTopology_ProcessCount(
    PJRT_TpuTopology_ProcessCount_Args* args);

// The arguments of PJRT_TpuTopology_ChipsPerProcess.
struct PJRT_TpuTopology_ChipsPerProcess_Args {
  size_t struct_size;
  const PJRT_TopologyDescription* topology;
  // The number of chips.
  int32_t chips_per_process;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_TpuTopology_ChipsPerProcess_Args,
                          chips_per_process);

// Returns how many chips each process has.
typedef PJRT_Error* PJRT_TpuTopology_ChipsPerProcess(
    PJRT_TpuTopology_ChipsPerProcess_Args* args);

// The arguments of PJRT_TpuTopology_CoreCountPerChip.
struct PJRT_TpuTopology_CoreCountPerChip_Args {
  size_t struct_size;
  const PJRT_TopologyDescription* topology;
  // The number of cores.
  int32_t core_count_of_default_type_per_chip;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_TpuTopology_CoreCountPerChip_Args,
                          core_count_of_default_type_per_chip);

// Returns how many cores of the default type each chip has.
typedef PJRT_Error* PJRT_TpuTopology_CoreCountPerChip(
    PJRT_TpuTopology_CoreCountPerChip_Args* args);

// The arguments of PJRT_TpuTopology_ChipCount.
struct PJRT_TpuTopology_ChipCount_Args {
  size_t struct_size;
  const PJRT_TopologyDescription* topology;
  // The number of chips.
  int32_t chip_count;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_TpuTopology_ChipCount_Args, chip_count);

// Returns how many chips there are.
typedef PJRT_Error* PJRT_TpuTopology_ChipCount(
    PJRT_TpuTopology_ChipCount_Args* args);

// The arguments of PJRT_TpuTopology_CoreCount.
struct PJRT_TpuTopology_CoreCount_Args {
  size_t struct_size;
  const PJRT_TopologyDescription* topology;
  // The number of cores.
  int32_t core_count_of_default_type;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_TpuTopology_CoreCount_Args,
                          core_count_of_default_type);

// Returns how many cores of the default type there are.
typedef PJRT_Error* PJRT_TpuTopology_CoreCount(
    PJRT_TpuTopology_CoreCount_Args* args);

// The arguments of PJRT_TpuTopology_LogiDeviceCount.
struct PJRT_TpuTopology_LogiDeviceCount_Args {
  size_t struct_size;
  const PJRT_TopologyDescription* topology;
  // The number of logical devices.
  int32_t logical_device_count_of_default_type;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_TpuTopology_LogiDeviceCount_Args,
                          logical_device_count_of_default_type);

// Returns how many logical devices of the default type there are.
typedef PJRT_Error* PJRT_TpuTopology_LogiDeviceCount(
    PJRT_TpuTopology_LogiDeviceCount_Args* args);

// The arguments of PJRT_TpuTopology_LogiDeviceCountPerProcess.
struct PJRT_TpuTopology_LogiDeviceCountPerProcess_Args {
  size_t struct_size;
  const PJRT_TopologyDescription* topology;
  // The number of logical devices.
  int32_t logical_device_count_of_default_type_per_process;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_TpuTopology_LogiDeviceCountPerProcess_Args,
                          logical_device_count_of_default_type_per_process);

// Returns how many logical devices of the default type each process has.
typedef PJRT_Error* PJRT_TpuTopology_LogiDeviceCountPerProcess(
    PJRT_TpuTopology_LogiDeviceCountPerProcess_Args* args);

// The arguments of PJRT_TpuTopology_LogiDeviceCountPerChip.
struct PJRT_TpuTopology_LogiDeviceCountPerChip_Args {
  size_t struct_size;
  const PJRT_TopologyDescription* topology;
  // The number of logical devices.
  int32_t logical_device_count_of_default_type_per_chip;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_TpuTopology_LogiDeviceCountPerChip_Args,
                          logical_device_count_of_default_type_per_chip);

// Returns how many logical devices of the default type each chip has.
typedef PJRT_Error* PJRT_TpuTopology_LogiDeviceCountPerChip(
    PJRT_TpuTopology_LogiDeviceCountPerChip_Args* args);

// The arguments of PJRT_TpuTopology_CoreCountPerProcess.
struct PJRT_TpuTopology_CoreCountPerProcess_Args {
  size_t struct_size;
  const PJRT_TopologyDescription* topology;
  // The number of cores.
  int32_t core_count_of_default_type_per_process;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_TpuTopology_CoreCountPerProcess_Args,
                          core_count_of_default_type_per_process);

// Returns how many cores of the default type each process has.
typedef PJRT_Error* PJRT_TpuTopology_CoreCountPerProcess(
    PJRT_TpuTopology_CoreCountPerProcess_Args* args);

// The arguments of PJRT_TpuTopology_ProcessIds.
struct PJRT_TpuTopology_ProcessIds_Args {
  size_t struct_size;
  const PJRT_TopologyDescription* topology;
  // How many the caller has room for.
  int32_t max_process_ids;
  // Filled by the plugin.
  int32_t* process_ids;
  // How many were written.
  size_t num_process_ids;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_TpuTopology_ProcessIds_Args, num_process_ids);

// Lists the processes.
typedef PJRT_Error* PJRT_TpuTopology_ProcessIds(
    PJRT_TpuTopology_ProcessIds_Args* args);

// The arguments of PJRT_TpuTopology_LogiDeviceIdsOnProcess.
struct PJRT_TpuTopology_LogiDeviceIdsOnProcess_Args {
  size_t struct_size;
  const PJRT_TopologyDescription* topology;
  // The process.
  int32_t process_id;
  // How many the caller has room for.
  int32_t max_logical_device_ids;
  // Filled by the plugin.
  int32_t* logical_device_of_default_type_ids;
  // How many were written.
  size_t num_logical_device_ids;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_TpuTopology_LogiDeviceIdsOnProcess_Args,
                          num_logical_device_ids);

// Lists the logical devices of the default type that a process has.
typedef PJRT_Error* PJRT_TpuTopology_LogiDeviceIdsOnProcess(
    PJRT_TpuTopology_LogiDeviceIdsOnProcess_Args* args);

// The arguments of PJRT_TpuTopology_ProcIdAndIdxOnProcForChip.
struct PJRT_TpuTopology_ProcIdAndIdxOnProcForChip_Args {
  size_t struct_size;
  const PJRT_TopologyDescription* topology;
  // The chip.
  int32_t chip_id;
  // The process.
  int32_t process_id;  // out
  // The place there, counted from zero.
  int32_t index_on_process;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_TpuTopology_ProcIdAndIdxOnProcForChip_Args,
                          index_on_process);

// Returns the process that a chip belongs to, and its place there.
typedef PJRT_Error* PJRT_TpuTopology_ProcIdAndIdxOnProcForChip(
    PJRT_TpuTopology_ProcIdAndIdxOnProcForChip_Args* args);

// The arguments of PJRT_TpuTopology_ProcIdAndIdxOnProcForLogiDevice.
struct PJRT_TpuTopology_ProcIdAndIdxOnProcForLogiDevice_Args {
  size_t struct_size;
  const PJRT_TopologyDescription* topology;
  // The logical device.
  int32_t device_id;
  // The process.
  int32_t process_id;  // out
  // The place there, counted from zero.
  int32_t index_on_process;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_TpuTopology_ProcIdAndIdxOnProcForLogiDevice_Args,
                          index_on_process);

// Returns the process that a logical device belongs to, and its place there.
typedef PJRT_Error* PJRT_TpuTopology_ProcIdAndIdxOnProcForLogiDevice(
    PJRT_TpuTopology_ProcIdAndIdxOnProcForLogiDevice_Args* args);

// The arguments of PJRT_TpuTopology_ProcessCoordFromId.
struct PJRT_TpuTopology_ProcessCoordFromId_Args {
  size_t struct_size;
  const PJRT_TopologyDescription* topology;
  // The process.
  int32_t process_id;
  // How many the caller has room for.
  size_t coords_max_dims;
  // Filled by the plugin.
  int32_t* coords;
  // How many were written.
  size_t coords_num_dims;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_TpuTopology_ProcessCoordFromId_Args,
                          coords_num_dims);

// Returns the coordinates of a process.
typedef PJRT_Error* PJRT_TpuTopology_ProcessCoordFromId(
    PJRT_TpuTopology_ProcessCoordFromId_Args* args);

// The arguments of PJRT_TpuTopology_ChipIdFromCoord.
struct PJRT_TpuTopology_ChipIdFromCoord_Args {
  size_t struct_size;
  const PJRT_TopologyDescription* topology;
  // The coordinates.
  const int32_t* coords;
  // How many there are.
  size_t coords_num_dims;
  // The chip.
  int32_t chip_id;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_TpuTopology_ChipIdFromCoord_Args, chip_id);

// Returns the chip at some coordinates.
typedef PJRT_Error* PJRT_TpuTopology_ChipIdFromCoord(
    PJRT_TpuTopology_ChipIdFromCoord_Args* args);

// The arguments of PJRT_TpuTopology_LogiDeviceIdFromChipCoordAndIdx.
struct PJRT_TpuTopology_LogiDeviceIdFromChipCoordAndIdx_Args {
  size_t struct_size;
  const PJRT_TopologyDescription* topology;
  // The coordinates of the chip.
  const int32_t* chip_coords;
  // How many there are.
  size_t chip_coords_num_dims;
  // The place on the chip, counted from zero.
  int32_t logical_device_index_on_chip;
  // The logical device.
  int32_t logical_device_of_default_type_id;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_TpuTopology_LogiDeviceIdFromChipCoordAndIdx_Args,
                          logical_device_of_default_type_id);

// Returns the logical device at some place on the chip at some coordinates.
typedef PJRT_Error* PJRT_TpuTopology_LogiDeviceIdFromChipCoordAndIdx(
    PJRT_TpuTopology_LogiDeviceIdFromChipCoordAndIdx_Args* args);

// The arguments of PJRT_TpuTopology_ChipCoordAndIdxForLogiDevice.
struct PJRT_TpuTopology_ChipCoordAndIdxForLogiDevice_Args {
  size_t struct_size;
  const PJRT_TopologyDescription* topology;
  // The logical device.
  int32_t device_id;
  // How many coordinates the caller has room for.
  size_t chip_coords_max_dims;
  // Filled by the plugin.
  int32_t* chip_coords;
  // How many were written.
  size_t chip_coords_num_dims;  // out
  // The place on the chip, counted from zero.
  int32_t device_index_on_chip;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_TpuTopology_ChipCoordAndIdxForLogiDevice_Args,
                          device_index_on_chip);

// Returns the coordinates of the chip of a logical device, and its place there.
typedef PJRT_Error* PJRT_TpuTopology_ChipCoordAndIdxForLogiDevice(
    PJRT_TpuTopology_ChipCoordAndIdxForLogiDevice_Args* args);

// The arguments of PJRT_TpuTopology_ChipsPerProcessBounds.
struct PJRT_TpuTopology_ChipsPerProcessBounds_Args {
  size_t struct_size;
  const PJRT_TopologyDescription* topology;
  // How many dimensions the caller has room for.
  size_t chip_per_process_bounds_max_dims;
  // Filled by the plugin.
  int32_t* chip_per_process_bounds;
  // How many were written.
  size_t chip_per_process_bounds_num_dims;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_TpuTopology_ChipsPerProcessBounds_Args,
                          chip_per_process_bounds_num_dims);

// Returns how many chips a process has along each dimension.
typedef PJRT_Error* PJRT_TpuTopology_ChipsPerProcessBounds(
    PJRT_TpuTopology_ChipsPerProcessBounds_Args* args);

// The arguments of PJRT_TpuTopology_ChipBounds.
struct PJRT_TpuTopology_ChipBounds_Args {
  size_t struct_size;
  const PJRT_TopologyDescription* topology;
  // How many dimensions the caller has room for.
  size_t chip_bounds_max_dims;
  // Filled by the plugin.
  int32_t* chip_bounds;
  // How many were written.
  size_t chip_bounds_num_dims;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_TpuTopology_ChipBounds_Args,
                          chip_bounds_num_dims);

// Returns how many chips there are along each dimension.
typedef PJRT_Error* PJRT_TpuTopology_ChipBounds(
    PJRT_TpuTopology_ChipBounds_Args* args);

// The arguments of PJRT_TpuTopology_ProcessBounds.
struct PJRT_TpuTopology_ProcessBounds_Args {
  size_t struct_size;
  const PJRT_TopologyDescription* topology;
  // How many dimensions the caller has room for.
  size_t process_bounds_max_dims;
  // Filled by the plugin.
  int32_t* process_bounds;
  // How many were written.
  size_t process_bounds_num_dims;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_TpuTopology_ProcessBounds_Args,
                          process_bounds_num_dims);

// Returns how many processes there are along each dimension.
typedef PJRT_Error* PJRT_TpuTopology_ProcessBounds(
    PJRT_TpuTopology_ProcessBounds_Args* args);

// The arguments of PJRT_TpuTopology_GetRoutingStrategy.
struct PJRT_TpuTopology_GetRoutingStrategy_Args {
  size_t struct_size;
  const PJRT_TopologyDescription* topology;
  // Where the name goes, filled by the plugin. The caller provides the memory.
  char* routing_strategy;
  // How many bytes there is room for, and then how many were written.
  size_t routing_strategy_len;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_TpuTopology_GetRoutingStrategy_Args,
                          routing_strategy_len);

// Returns the name of the strategy by which messages are routed between chips.
typedef PJRT_Error* PJRT_TpuTopology_GetRoutingStrategy(
    PJRT_TpuTopology_GetRoutingStrategy_Args* args);

// The arrangement of the chips of a slice.
struct PJRT_TpuTopology_SliceConfig {
  // The number of dimensions, at most four.
  size_t dim_size;
  // The number of chips along each dimension. Only the first dim_size are set.
  int32_t dimensions[4];
  // Whether the last chip of each dimension is connected with the first. Only
  // the first dim_size are set.
  bool wrap[4];
  // Whether these connections are twisted.
  bool twist;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_TpuTopology_SliceConfig, twist);

// The arguments of PJRT_TpuTopology_GetSliceConfig.
struct PJRT_TpuTopology_GetSliceConfig_Args {
  size_t struct_size;
  // The kind of TPU, as the plugin names it.
  const char* platform_type_name;
  // Its length in bytes.
  size_t platform_type_name_len;
  // The name of the slice, such as 2x2x1.
  const char* slice_name;
  // Its length in bytes.
  size_t slice_name_len;
  // Filled by the plugin. The caller provides the memory.
  PJRT_TpuTopology_SliceConfig* slice_config;  // in/out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_TpuTopology_GetSliceConfig_Args, slice_config);

// Returns the arrangement of a slice that is known by name.
typedef PJRT_Error* PJRT_TpuTopology_GetSliceConfig(
    PJRT_TpuTopology_GetSliceConfig_Args* args);

// The arguments of PJRT_TpuTopology_GetSliceConfigs.
struct PJRT_TpuTopology_GetSliceConfigs_Args {
  size_t struct_size;
  // The kind of TPU, as the plugin names it.
  const char* platform_type_name;
  // Its length in bytes.
  size_t platform_type_name_len;
  // Filled by the plugin.
  PJRT_TpuTopology_SliceConfig* slice_configs;
  // How many the caller has room for.
  size_t max_slice_configs;
  // How many were written.
  size_t num_slice_configs;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_TpuTopology_GetSliceConfigs_Args,
                          num_slice_configs);

// Lists the arrangements that a kind of TPU comes in.
typedef PJRT_Error* PJRT_TpuTopology_GetSliceConfigs(
    PJRT_TpuTopology_GetSliceConfigs_Args* args);

// The arguments of PJRT_TpuTopology_GetDefaultPlatformConfig.
struct PJRT_TpuTopology_GetDefaultPlatformConfig_Args {
  size_t struct_size;
  // The kind of TPU, as the plugin names it.
  const char* platform_type_name;
  // Its length in bytes.
  size_t platform_type_name_len;
  // The number of chips on a tray.
  int64_t num_chips_per_tray;  // out
  // The number of trays.
  int64_t num_trays;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_TpuTopology_GetDefaultPlatformConfig_Args,
                          num_trays);

// Returns how the hosts of a kind of TPU are built.
typedef PJRT_Error* PJRT_TpuTopology_GetDefaultPlatformConfig(
    PJRT_TpuTopology_GetDefaultPlatformConfig_Args* args);

// The node of the TPU topology extension. Its args have no extension_start.
struct PJRT_TpuTopology_Extension {
  PJRT_Extension_Base base;
  PJRT_NO_DISCARD PJRT_TpuTopology_Subslice* subslice;
  // Whether it is.
  PJRT_NO_DISCARD PJRT_TpuTopology_IsSubsliceTopology* is_subslice_topology;
  PJRT_NO_DISCARD PJRT_TpuTopology_SubsliceDeviceIdFromFullDeviceId*
      subslice_device_id_from_full_device_id;
  PJRT_NO_DISCARD PJRT_TpuTopology_ReplaceHostBounds* replace_host_bounds;
  // Whether it is.
  PJRT_NO_DISCARD PJRT_TpuTopology_IsEnhancedBarrierEnabled*
      is_enhanced_barrier_enabled;
  // Whether that is so.
  PJRT_NO_DISCARD PJRT_TpuTopology_HasLimitedIciConnectivity*
      has_limited_ici_connectivity;
  // Whether it can.
  PJRT_NO_DISCARD PJRT_TpuTopology_IsReachableOverLimitedIci*
      is_reachable_over_limited_ici;
  // The number of processes.
  PJRT_NO_DISCARD PJRT_TpuTopology_ProcessCount* process_count;
  // The number of chips.
  PJRT_NO_DISCARD PJRT_TpuTopology_ChipsPerProcess* chips_per_process;
  PJRT_NO_DISCARD PJRT_TpuTopology_CoreCountPerChip* core_count_per_chip;
  // The number of chips.
  PJRT_NO_DISCARD PJRT_TpuTopology_ChipCount* chip_count;
  PJRT_NO_DISCARD PJRT_TpuTopology_CoreCount* core_count;
  PJRT_NO_DISCARD PJRT_TpuTopology_LogiDeviceCountPerProcess*
      logical_device_count_per_process;
  PJRT_NO_DISCARD PJRT_TpuTopology_LogiDeviceCount* logical_device_count;
  PJRT_NO_DISCARD PJRT_TpuTopology_LogiDeviceCountPerChip*
      logical_device_count_per_chip;
  PJRT_NO_DISCARD PJRT_TpuTopology_CoreCountPerProcess* core_count_per_process;
  // Filled by the plugin.
  PJRT_NO_DISCARD PJRT_TpuTopology_ProcessIds* process_ids;
  PJRT_NO_DISCARD PJRT_TpuTopology_LogiDeviceIdsOnProcess*
      logical_device_ids_on_process;
  PJRT_NO_DISCARD PJRT_TpuTopology_ProcIdAndIdxOnProcForChip*
      proc_id_and_idx_on_proc_for_chip;
  PJRT_NO_DISCARD PJRT_TpuTopology_ProcIdAndIdxOnProcForLogiDevice*
      proc_id_and_idx_on_proc_for_logi_device;
  PJRT_NO_DISCARD PJRT_TpuTopology_ProcessCoordFromId* process_coord_from_id;
  PJRT_NO_DISCARD PJRT_TpuTopology_ChipIdFromCoord* chip_id_from_coord;
  PJRT_NO_DISCARD PJRT_TpuTopology_LogiDeviceIdFromChipCoordAndIdx*
      logical_device_id_from_chip_coord_and_idx;
  PJRT_NO_DISCARD PJRT_TpuTopology_ChipCoordAndIdxForLogiDevice*
      chip_coord_and_idx_for_logi_device;
  PJRT_NO_DISCARD PJRT_TpuTopology_ChipsPerProcessBounds*
      chips_per_process_bounds;
  // Filled by the plugin.
  PJRT_NO_DISCARD PJRT_TpuTopology_ChipBounds* chip_bounds;
  // Filled by the plugin.
  PJRT_NO_DISCARD PJRT_TpuTopology_ProcessBounds* process_bounds;
  PJRT_NO_DISCARD PJRT_TpuTopology_GetRoutingStrategy* get_routing_strategy;
  PJRT_NO_DISCARD PJRT_TpuTopology_GetSliceConfig* get_slice_config;
  PJRT_NO_DISCARD PJRT_TpuTopology_GetSliceConfigs* get_slice_configs;
  PJRT_NO_DISCARD PJRT_TpuTopology_GetDefaultPlatformConfig*
      get_default_platform_config;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_TpuTopology_Extension,
                          get_default_platform_config);

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // XLA_PJRT_C_PJRT_C_API_TPU_TOPOLOGY_EXTENSION_H_
