/* SPDX-License-Identifier: Apache-2.0
   Restates the public ABI of openxla/xla's header of this path. */

// Connects several TPU slices over the data centre network, so that one program
// runs on all of them.

#ifndef XLA_PJRT_C_PJRT_C_API_MEGASCALE_EXTENSION_H_
#define XLA_PJRT_C_PJRT_C_API_MEGASCALE_EXTENSION_H_

#include <stddef.h>
#include <stdint.h>

#include "xla/pjrt/c/pjrt_c_api.h"
#include "xla/pjrt/c/pjrt_c_api_multi_slice_extension.h"

#ifdef __cplusplus
extern "C" {
#endif

// The version of this extension. The plugin does not report it.
#define PJRT_API_MEGASCALE_EXTENSION_VERSION 1

// One process's part in a job of several slices. Free it with
// PJRT_Megascale_DeleteClientContext.
typedef struct PJRT_Megascale_ClientContext PJRT_Megascale_ClientContext;

// The arguments of PJRT_Megascale_CreateClientContextFromPjRtClient.
struct PJRT_Megascale_CreateClientContextFromPjRtClient_Args {
  size_t struct_size;
  PJRT_Client* client;
  // Owned by the caller, who frees it with PJRT_Megascale_DeleteClientContext.
  PJRT_Megascale_ClientContext* client_context;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Megascale_CreateClientContextFromPjRtClient_Args,
                          client_context);

// Makes a context for a client.
typedef PJRT_Error* PJRT_Megascale_CreateClientContextFromPjRtClient(
    PJRT_Megascale_CreateClientContextFromPjRtClient_Args* args);

// The arguments of PJRT_Megascale_CreateDefaultClientContext.
struct PJRT_Megascale_CreateDefaultClientContext_Args {
  size_t struct_size;
  // Owned by the caller, who frees it with PJRT_Megascale_DeleteClientContext.
  PJRT_Megascale_ClientContext* client_context;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Megascale_CreateDefaultClientContext_Args,
                          client_context);

// Makes a context with the settings that the process was started with.
typedef PJRT_Error* PJRT_Megascale_CreateDefaultClientContext(
    PJRT_Megascale_CreateDefaultClientContext_Args* args);

// The arguments of PJRT_Megascale_DeleteClientContext.
struct PJRT_Megascale_DeleteClientContext_Args {
  size_t struct_size;
  PJRT_Megascale_ClientContext* client_context;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Megascale_DeleteClientContext_Args,
                          client_context);

// Frees a context.
typedef PJRT_Error* PJRT_Megascale_DeleteClientContext(
    PJRT_Megascale_DeleteClientContext_Args* args);

typedef struct PJRT_Collectives PJRT_Collectives;

// Kept for source compatibility: the multi-slice extension has taken its place.
typedef struct PJRT_Megascale_NumDevicesPerSlice
    PJRT_Megascale_NumDevicesPerSlice;

// Kept for source compatibility: the multi-slice extension has taken its place.
typedef struct PJRT_Megascale_SerializedConfig PJRT_Megascale_SerializedConfig;

// Gathers the errors of all workers and finds the ones that matter. Free it
// with PJRT_Megascale_ErrorAggregator_Delete.
typedef struct PJRT_Megascale_ErrorAggregator PJRT_Megascale_ErrorAggregator;

// What an aggregator has found. Free it with PJRT_Megascale_ErrorDigest_Delete.
typedef struct PJRT_Megascale_ErrorDigest PJRT_Megascale_ErrorDigest;

// Keeps serialized addresses alive until the deleter that came with it is
// called.
typedef struct PJRT_Megascale_SerializedAddresses
    PJRT_Megascale_SerializedAddresses;

// Keeps a serialized error alive until the deleter that came with it is called.
typedef struct PJRT_Megascale_SerializedError PJRT_Megascale_SerializedError;

typedef struct PJRT_MultiSlice_Config PJRT_MultiSlice_Config;

// The arguments of PJRT_Megascale_CreateAoTConfig.
struct PJRT_Megascale_CreateAoTConfig_Args {
  size_t struct_size;
  // The topology of one slice.
  const PJRT_TopologyDescription* topology;
  // How many slices the job has.
  int32_t num_slices;
  // Owned by the caller, who frees it through the multi-slice extension.
  PJRT_MultiSlice_Config* multi_slice_config;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Megascale_CreateAoTConfig_Args,
                          multi_slice_config);

// Makes the configuration with which a program for several slices is compiled
// ahead of time, without devices.
typedef PJRT_Error* PJRT_Megascale_CreateAoTConfig(
    PJRT_Megascale_CreateAoTConfig_Args* args);

// The arguments of PJRT_Megascale_CreateMultiSliceConfig.
struct PJRT_Megascale_CreateMultiSliceConfig_Args {
  size_t struct_size;
  // The topology of one slice.
  const PJRT_TopologyDescription* topology;
  // How many slices the job has.
  int32_t num_slices;
  // Which of them this process belongs to, counted from zero.
  int32_t local_slice_id;
  // Which host of its slice this process runs on, counted from zero.
  int32_t local_host_id;
  // Where the other processes are reached, as a serialized EndpointAddresses
  // message. Read during the call only.
  const char* endpoint_addresses;
  // Its length in bytes.
  int32_t endpoint_addresses_size;
  // How the slices are connected, as a serialized DCNTopology message. Read
  // during the call only.
  const char* dcn_topology;
  // Its length in bytes.
  int32_t dcn_topology_size;
  // The context of this process.
  PJRT_Megascale_ClientContext* client_context;
  // Owned by the caller, who frees it through the multi-slice extension.
  PJRT_MultiSlice_Config* multi_slice_config;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Megascale_CreateMultiSliceConfig_Args,
                          multi_slice_config);

// Makes the configuration with which a program runs on several slices.
typedef PJRT_Error* PJRT_Megascale_CreateMultiSliceConfig(
    PJRT_Megascale_CreateMultiSliceConfig_Args* args);

// The arguments of PJRT_Megascale_ClientContext_Initialize.
struct PJRT_Megascale_ClientContext_Initialize_Args {
  size_t struct_size;
  PJRT_Megascale_ClientContext* client_context;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Megascale_ClientContext_Initialize_Args,
                          client_context);

// Starts a context. It must be called before the context is used.
typedef PJRT_Error* PJRT_Megascale_ClientContext_Initialize(
    PJRT_Megascale_ClientContext_Initialize_Args* args);

// The arguments of PJRT_Megascale_ClientContext_UnblockPendingWork.
struct PJRT_Megascale_ClientContext_UnblockPendingWork_Args {
  size_t struct_size;
  PJRT_Megascale_ClientContext* client_context;
  // The launch whose work waits.
  int32_t launch_id;
  // How long this lasts, in milliseconds.
  int64_t expire_after_ms;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Megascale_ClientContext_UnblockPendingWork_Args,
                          expire_after_ms);

// Lets the work of a launch that waits for other slices go on.
typedef PJRT_Error* PJRT_Megascale_ClientContext_UnblockPendingWork(
    PJRT_Megascale_ClientContext_UnblockPendingWork_Args* args);

// The arguments of PJRT_Megascale_ClientContext_MegascalePort.
struct PJRT_Megascale_ClientContext_MegascalePort_Args {
  size_t struct_size;
  PJRT_Megascale_ClientContext* client_context;
  // The port.
  int32_t port;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Megascale_ClientContext_MegascalePort_Args,
                          port);

// Returns the network port on which a context listens.
typedef PJRT_Error* PJRT_Megascale_ClientContext_MegascalePort(
    PJRT_Megascale_ClientContext_MegascalePort_Args* args);

// Who takes part in a job.
struct PJRT_Megascale_ProcessesInfo {
  // The network address of each process.
  const char** addresses;
  // The length of each address in bytes.
  size_t* address_sizes;
  // How many there are.
  size_t num_addresses;
  // The slice of each process; null when that is not known.
  int32_t* slice_indexes;
  // How many there are.
  size_t num_slice_indexes;
  // The place of each process in its slice; null when that is not known.
  int32_t* per_slice_indexes;
  // How many there are.
  size_t num_per_slice_indexes;
  // How many devices each process has.
  int32_t num_devices_per_process;
};

// The arguments of PJRT_Megascale_CreateMegascaleCollectives.
struct PJRT_Megascale_CreateMegascaleCollectives_Args {
  size_t struct_size;
  PJRT_Megascale_ClientContext* client_context;
  // Who takes part. Read during the call only.
  PJRT_Megascale_ProcessesInfo* processes_info;
  // How the slices are connected, as a serialized DCNTopology message; null
  // when that is not known.
  const char* dcn_topology;
  // Its length in bytes.
  size_t dcn_topology_size;
  // Owned by the caller, who frees it through the collectives extension.
  PJRT_Collectives* collectives;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Megascale_CreateMegascaleCollectives_Args,
                          collectives);

// Makes collectives that run over the network between slices.
typedef PJRT_Error* PJRT_Megascale_CreateMegascaleCollectives(
    PJRT_Megascale_CreateMegascaleCollectives_Args* args);

// The arguments of PJRT_Megascale_DeviceId_To_MegascaleId.
struct PJRT_Megascale_DeviceId_To_MegascaleId_Args {
  size_t struct_size;
  // The slice of the device, counted from zero.
  int32_t slice_id;
  // The number of the device in its slice.
  int32_t per_slice_device_id;
  // The number of the device in the whole job.
  int64_t megascale_id;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Megascale_DeviceId_To_MegascaleId_Args,
                          megascale_id);

// Returns the number that a device has in a job of several slices.
typedef PJRT_Error* PJRT_Megascale_DeviceId_To_MegascaleId(
    PJRT_Megascale_DeviceId_To_MegascaleId_Args* args);

// The arguments of PJRT_Megascale_MegascaleId_To_DeviceId.
struct PJRT_Megascale_MegascaleId_To_DeviceId_Args {
  size_t struct_size;
  // The number of the device in the whole job.
  int64_t megascale_id;
  // The slice of the device, counted from zero.
  int32_t slice_id;  // out
  // The number of the device in its slice.
  int32_t per_slice_device_id;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Megascale_MegascaleId_To_DeviceId_Args,
                          per_slice_device_id);

// Returns the slice of a device, and its number there: the reverse of
// PJRT_Megascale_DeviceId_To_MegascaleId.
typedef PJRT_Error* PJRT_Megascale_MegascaleId_To_DeviceId(
    PJRT_Megascale_MegascaleId_To_DeviceId_Args* args);

// Called for each error that the runtime reports, on a thread of its choice.
// The bytes are a serialized message, valid until the handler returns;
// user_data is what was given when it was registered.
typedef void (*PJRT_Megascale_ErrorHandler)(
    const char* serialized_error, size_t serialized_error_size,
    void* user_data);

// The arguments of PJRT_Megascale_RegisterErrorHandler.
struct PJRT_Megascale_RegisterErrorHandler_Args {
  size_t struct_size;
  // The name by which the handler can be unregistered. Read during the call
  // only.
  const char* handler_name;
  // Its length in bytes.
  size_t handler_name_size;
  // The function to call. It must stay callable until it is unregistered.
  PJRT_Megascale_ErrorHandler handler;
  // Passed on to the handler unchanged.
  void* user_data;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Megascale_RegisterErrorHandler_Args, user_data);

// Registers a handler for errors, in the whole process.
typedef PJRT_Error* PJRT_Megascale_RegisterErrorHandler(
    PJRT_Megascale_RegisterErrorHandler_Args* args);

// The arguments of PJRT_Megascale_UnregisterErrorHandler.
struct PJRT_Megascale_UnregisterErrorHandler_Args {
  size_t struct_size;
  // The name under which it was registered.
  const char* handler_name;
  // Its length in bytes.
  size_t handler_name_size;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Megascale_UnregisterErrorHandler_Args,
                          handler_name_size);

// Removes a handler.
typedef PJRT_Error* PJRT_Megascale_UnregisterErrorHandler(
    PJRT_Megascale_UnregisterErrorHandler_Args* args);

// The arguments of PJRT_Megascale_ErrorAggregator_Create.
struct PJRT_Megascale_ErrorAggregator_Create_Args {
  size_t struct_size;
  // The kind of application, as the runtime names it.
  const char* app_type;
  // Its length in bytes.
  size_t app_type_size;
  // Owned by the caller, who frees it with
  // PJRT_Megascale_ErrorAggregator_Delete.
  PJRT_Megascale_ErrorAggregator* aggregator;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Megascale_ErrorAggregator_Create_Args,
                          aggregator);

// Makes an aggregator.
typedef PJRT_Error* PJRT_Megascale_ErrorAggregator_Create(
    PJRT_Megascale_ErrorAggregator_Create_Args* args);

// The arguments of PJRT_Megascale_ErrorAggregator_Delete.
struct PJRT_Megascale_ErrorAggregator_Delete_Args {
  size_t struct_size;
  PJRT_Megascale_ErrorAggregator* aggregator;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Megascale_ErrorAggregator_Delete_Args,
                          aggregator);

// Frees an aggregator.
typedef PJRT_Error* PJRT_Megascale_ErrorAggregator_Delete(
    PJRT_Megascale_ErrorAggregator_Delete_Args* args);

// The arguments of PJRT_Megascale_ErrorDigest_Delete.
struct PJRT_Megascale_ErrorDigest_Delete_Args {
  size_t struct_size;
  PJRT_Megascale_ErrorDigest* digest;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Megascale_ErrorDigest_Delete_Args, digest);

// Frees a digest.
typedef PJRT_Error* PJRT_Megascale_ErrorDigest_Delete(
    PJRT_Megascale_ErrorDigest_Delete_Args* args);

// The arguments of PJRT_Megascale_ErrorAggregator_AddError.
struct PJRT_Megascale_ErrorAggregator_AddError_Args {
  size_t struct_size;
  PJRT_Megascale_ErrorAggregator* aggregator;
  // The worker that reported it.
  const char* worker_id;
  // Its length in bytes.
  size_t worker_id_size;
  // The error, as a serialized message. Read during the call only.
  const char* serialized_error;
  // Its length in bytes.
  size_t serialized_error_size;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Megascale_ErrorAggregator_AddError_Args,
                          serialized_error_size);

// Adds the error of a worker.
typedef PJRT_Error* PJRT_Megascale_ErrorAggregator_AddError(
    PJRT_Megascale_ErrorAggregator_AddError_Args* args);

// The arguments of PJRT_Megascale_ErrorAggregator_ProcessAndShutdown.
struct PJRT_Megascale_ErrorAggregator_ProcessAndShutdown_Args {
  size_t struct_size;
  PJRT_Megascale_ErrorAggregator* aggregator;
  // What was found. Owned by the caller, who frees it with
  // PJRT_Megascale_ErrorDigest_Delete.
  PJRT_Megascale_ErrorDigest* digest;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(
    PJRT_Megascale_ErrorAggregator_ProcessAndShutdown_Args, digest);

// Looks at all errors added so far, and accepts no more.
typedef PJRT_Error* PJRT_Megascale_ErrorAggregator_ProcessAndShutdown(
    PJRT_Megascale_ErrorAggregator_ProcessAndShutdown_Args* args);

// The arguments of PJRT_Megascale_ErrorAggregator_LogErrorDigest.
struct PJRT_Megascale_ErrorAggregator_LogErrorDigest_Args {
  size_t struct_size;
  PJRT_Megascale_ErrorAggregator* aggregator;
  // What to write.
  PJRT_Megascale_ErrorDigest* digest;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Megascale_ErrorAggregator_LogErrorDigest_Args,
                          digest);

// Writes a digest to the log of the plugin.
typedef PJRT_Error* PJRT_Megascale_ErrorAggregator_LogErrorDigest(
    PJRT_Megascale_ErrorAggregator_LogErrorDigest_Args* args);

// The arguments of PJRT_Megascale_ErrorAggregator_Size.
struct PJRT_Megascale_ErrorAggregator_Size_Args {
  size_t struct_size;
  PJRT_Megascale_ErrorAggregator* aggregator;
  // The number of errors.
  size_t size;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Megascale_ErrorAggregator_Size_Args, size);

// Returns how many errors an aggregator holds.
typedef PJRT_Error* PJRT_Megascale_ErrorAggregator_Size(
    PJRT_Megascale_ErrorAggregator_Size_Args* args);

// The arguments of PJRT_Megascale_ErrorAggregator_Active.
struct PJRT_Megascale_ErrorAggregator_Active_Args {
  size_t struct_size;
  PJRT_Megascale_ErrorAggregator* aggregator;
  // Whether it does.
  bool active;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Megascale_ErrorAggregator_Active_Args, active);

// Tells whether an aggregator still accepts errors.
typedef PJRT_Error* PJRT_Megascale_ErrorAggregator_Active(
    PJRT_Megascale_ErrorAggregator_Active_Args* args);

// The arguments of PJRT_Megascale_GetInterfaceAddressesHelper.
struct PJRT_Megascale_GetInterfaceAddressesHelper_Args {
  size_t struct_size;
  // The name of the port.
  const char* megascale_port_name;
  // Its length in bytes.
  size_t megascale_port_name_size;
  // The number of the port.
  int32_t megascale_port;
  // Only interfaces whose names start with one of these are used.
  const char** interface_prefixes;
  // The length of each prefix in bytes.
  const size_t* interface_prefixes_sizes;
  // How many there are.
  size_t num_interface_prefixes;
  // Whether to give all addresses instead of the best one.
  bool use_all_interfaces;
  // Whether to leave out interfaces that are attached to another NUMA node than
  // the process.
  bool limit_to_process_numa_local_interfaces;
  // The addresses, each a serialized message, valid until the deleter is
  // called.
  const char** serialized_addresses;  // out
  // The length of each in bytes.
  size_t* serialized_addresses_sizes;  // out
  // How many there are.
  size_t num_addresses;  // out
  // What keeps them alive. Free it with the deleter, once.
  PJRT_Megascale_SerializedAddresses* addresses;  // out
  // Frees addresses, and the bytes with it.
  void (*addresses_deleter)(PJRT_Megascale_SerializedAddresses* ptr);  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Megascale_GetInterfaceAddressesHelper_Args,
                          addresses_deleter);

// Finds the network addresses of this host by which other slices can reach it.
typedef PJRT_Error* PJRT_Megascale_GetInterfaceAddressesHelper(
    PJRT_Megascale_GetInterfaceAddressesHelper_Args* args);

// The arguments of PJRT_Megascale_GetOrCreateRuntimeError.
struct PJRT_Megascale_GetOrCreateRuntimeError_Args {
  size_t struct_size;
  // The kind of error, as the runtime numbers it.
  int32_t error_type;
  // When the failed work started, in nanoseconds since 1970.
  int64_t start_time_nanos;
  // The code of the status, as PJRT_Error_Code numbers it.
  int32_t status_code;
  // The text of the status. Read during the call only.
  const char* status_message;
  // Its length in bytes.
  size_t status_message_size;
  // The launch that failed.
  int32_t launch_id;
  // Whether unrecoverable_error_type is set.
  bool has_unrecoverable_error_type;
  // Why the job cannot go on, as the runtime numbers it. Meaningless when
  // has_unrecoverable_error_type is false.
  int32_t unrecoverable_error_type;
  // The error, as a serialized message, valid until the deleter is called.
  const char* serialized_error;  // out
  // Its length in bytes.
  size_t serialized_error_size;  // out
  // False when the same error was described before.
  bool is_new_error;  // out
  // What keeps the bytes alive. Free it with the deleter, once.
  PJRT_Megascale_SerializedError* error;  // out
  // Frees error, and the bytes with it.
  void (*error_deleter)(PJRT_Megascale_SerializedError* ptr);  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Megascale_GetOrCreateRuntimeError_Args,
                          error_deleter);

// Describes an error in the form that all workers understand, and tells whether
// it is the first of its kind.
typedef PJRT_Error* PJRT_Megascale_GetOrCreateRuntimeError(
    PJRT_Megascale_GetOrCreateRuntimeError_Args* args);

// The node of the Megascale extension. Its args have no extension_start.
struct PJRT_Megascale_Extension {
  PJRT_Extension_Base base;
  PJRT_NO_DISCARD PJRT_Megascale_CreateClientContextFromPjRtClient*
      create_client_context_from_pjrt_client;
  PJRT_NO_DISCARD PJRT_Megascale_CreateDefaultClientContext*
      create_default_client_context;
  PJRT_NO_DISCARD PJRT_Megascale_DeleteClientContext* delete_client_context;
  PJRT_NO_DISCARD PJRT_Megascale_CreateAoTConfig* create_aot_config;
  PJRT_NO_DISCARD PJRT_Megascale_CreateMultiSliceConfig*
      create_multi_slice_config;
  // Deprecated: kept for the layout only. May be null, and must not be called.
  void* delete_multi_slice_config;
  // Deprecated: kept for the layout only. May be null, and must not be called.
  void* multi_slice_config_num_slices;
  // Deprecated: kept for the layout only. May be null, and must not be called.
  void* multi_slice_config_slice_id;
  // Deprecated: kept for the layout only. May be null, and must not be called.
  void* multi_slice_config_get_num_devices_per_slice;
  // Deprecated: kept for the layout only. May be null, and must not be called.
  void* multi_slice_config_serialize;
  PJRT_NO_DISCARD PJRT_Megascale_ClientContext_Initialize*
      client_context_initialize;
  PJRT_NO_DISCARD PJRT_Megascale_ClientContext_UnblockPendingWork*
      client_context_unblock_pending_work;
  PJRT_NO_DISCARD PJRT_Megascale_ClientContext_MegascalePort*
      client_context_megascale_port;
  PJRT_NO_DISCARD PJRT_Megascale_CreateMegascaleCollectives*
      create_megascale_collectives;
  PJRT_NO_DISCARD PJRT_Megascale_DeviceId_To_MegascaleId*
      device_id_to_megascale_id;
  PJRT_NO_DISCARD PJRT_Megascale_MegascaleId_To_DeviceId*
      megascale_id_to_device_id;
  PJRT_NO_DISCARD PJRT_Megascale_RegisterErrorHandler*
      register_megascale_error_handler;
  PJRT_NO_DISCARD PJRT_Megascale_UnregisterErrorHandler*
      unregister_megascale_error_handler;
  PJRT_NO_DISCARD PJRT_Megascale_ErrorAggregator_Create*
      error_aggregator_create;
  PJRT_NO_DISCARD PJRT_Megascale_ErrorAggregator_Delete*
      error_aggregator_delete;
  PJRT_NO_DISCARD PJRT_Megascale_ErrorDigest_Delete* error_digest_delete;
  PJRT_NO_DISCARD PJRT_Megascale_ErrorAggregator_AddError*
      error_aggregator_add_error;
  PJRT_NO_DISCARD PJRT_Megascale_ErrorAggregator_ProcessAndShutdown*
      error_aggregator_process_and_shutdown;
  PJRT_NO_DISCARD PJRT_Megascale_ErrorAggregator_LogErrorDigest*
      error_aggregator_log_error_digest;
  PJRT_NO_DISCARD PJRT_Megascale_ErrorAggregator_Size* error_aggregator_size;
  PJRT_NO_DISCARD PJRT_Megascale_ErrorAggregator_Active*
      error_aggregator_active;
  PJRT_NO_DISCARD PJRT_Megascale_GetInterfaceAddressesHelper*
      get_interface_addresses_helper;
  PJRT_NO_DISCARD PJRT_Megascale_GetOrCreateRuntimeError*
      get_or_create_runtime_error;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Megascale_Extension,
                          get_or_create_runtime_error);

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // XLA_PJRT_C_PJRT_C_API_MEGASCALE_EXTENSION_H_
