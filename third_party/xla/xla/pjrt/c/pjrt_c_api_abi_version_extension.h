/* SPDX-License-Identifier: Apache-2.0
   Restates the public ABI of openxla/xla's header of this path. */

// Tells whether an executable that was compiled and serialized elsewhere fits
// the runtime at hand, before it is loaded. A runtime and an executable each
// have a version, and the two are compared.

#ifndef XLA_PJRT_C_PJRT_C_API_ABI_VERSION_EXTENSION_H_
#define XLA_PJRT_C_PJRT_C_API_ABI_VERSION_EXTENSION_H_

#include <stddef.h>
#include <stdint.h>

#include "xla/pjrt/c/pjrt_c_api.h"

#ifdef __cplusplus
extern "C" {
#endif

// The version of this extension. The plugin does not report it.
#define PJRT_API_ABI_VERSION_EXTENSION_VERSION 1

// The version of a runtime. Whoever received it owns it and frees it with
// PJRT_RuntimeAbiVersion_Destroy.
typedef struct PJRT_RuntimeAbiVersion PJRT_RuntimeAbiVersion;

// The arguments of PJRT_Client_RuntimeAbiVersion.
struct PJRT_Client_RuntimeAbiVersion_Args {
  size_t struct_size;
  PJRT_Client* client;
  // Owned by the caller, who frees it with PJRT_RuntimeAbiVersion_Destroy.
  PJRT_RuntimeAbiVersion* abi_version;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Client_RuntimeAbiVersion_Args, abi_version);

// Returns the version of the runtime behind a client.
typedef PJRT_Error* PJRT_Client_RuntimeAbiVersion(
    PJRT_Client_RuntimeAbiVersion_Args* args);

// The version of an executable. Whoever received it owns it and frees it with
// PJRT_ExecutableAbiVersion_Destroy.
typedef struct PJRT_ExecutableAbiVersion PJRT_ExecutableAbiVersion;

// The arguments of PJRT_Executable_GetAbiVersion.
struct PJRT_Executable_GetAbiVersion_Args {
  size_t struct_size;
  PJRT_Executable* executable;
  // Owned by the caller, who frees it with PJRT_ExecutableAbiVersion_Destroy.
  PJRT_ExecutableAbiVersion* abi_version;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Executable_GetAbiVersion_Args, abi_version);

// Returns the version of an executable, loaded or not.
typedef PJRT_Error* PJRT_Executable_GetAbiVersion(
    PJRT_Executable_GetAbiVersion_Args* args);

// The arguments of PJRT_RuntimeAbiVersion_Destroy.
struct PJRT_RuntimeAbiVersion_Destroy_Args {
  size_t struct_size;
  PJRT_RuntimeAbiVersion* abi_version;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_RuntimeAbiVersion_Destroy_Args, abi_version);

// Frees the version of a runtime.
typedef PJRT_Error* PJRT_RuntimeAbiVersion_Destroy(
    PJRT_RuntimeAbiVersion_Destroy_Args* args);

// The arguments of PJRT_RuntimeAbiVersion_IsCompatibleWithRuntime.
struct PJRT_RuntimeAbiVersion_IsCompatibleWithRuntime_Args {
  size_t struct_size;
  const PJRT_RuntimeAbiVersion* abi_version;
  // The runtime to compare with.
  const PJRT_RuntimeAbiVersion* other_abi_version;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_RuntimeAbiVersion_IsCompatibleWithRuntime_Args,
                          other_abi_version);

// Tells whether the first runtime can take the place of the second: no error
// means yes, an error says why not.
typedef PJRT_Error* PJRT_RuntimeAbiVersion_IsCompatibleWithRuntime(
    PJRT_RuntimeAbiVersion_IsCompatibleWithRuntime_Args* args);

// The arguments of PJRT_RuntimeAbiVersion_IsCompatibleWithExecutable.
struct PJRT_RuntimeAbiVersion_IsCompatibleWithExecutable_Args {
  size_t struct_size;
  const PJRT_RuntimeAbiVersion* abi_version;
  // The version of the executable to run.
  const PJRT_ExecutableAbiVersion* executable_abi_version;
};
PJRT_DEFINE_STRUCT_TRAITS(
    PJRT_RuntimeAbiVersion_IsCompatibleWithExecutable_Args,
    executable_abi_version);

// Tells whether a runtime can run an executable: no error means yes, an error
// says why not.
typedef PJRT_Error* PJRT_RuntimeAbiVersion_IsCompatibleWithExecutable(
    PJRT_RuntimeAbiVersion_IsCompatibleWithExecutable_Args* args);

// Keeps the bytes of a serialized version alive until the deleter that came
// with it is called.
typedef struct PJRT_SerializedProto PJRT_SerializedProto;

// The arguments of PJRT_RuntimeAbiVersion_ToProto.
struct PJRT_RuntimeAbiVersion_ToProto_Args {
  size_t struct_size;
  const PJRT_RuntimeAbiVersion* abi_version;
  // The serialized message. Not terminated by a zero byte.
  const char* serialized_proto;  // out
  // Its length in bytes.
  size_t serialized_proto_size;  // out
  // What keeps the bytes alive. Free it with the deleter, once.
  PJRT_SerializedProto* serialized_proto_holder;  // out
  // Frees the holder, and the bytes with it.
  void (*serialized_proto_deleter)(PJRT_SerializedProto* holder);  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_RuntimeAbiVersion_ToProto_Args,
                          serialized_proto_deleter);

// Serializes the version of a runtime, so that another process can read it.
typedef PJRT_Error* PJRT_RuntimeAbiVersion_ToProto(
    PJRT_RuntimeAbiVersion_ToProto_Args* args);

// The arguments of PJRT_RuntimeAbiVersion_PlatformId.
struct PJRT_RuntimeAbiVersion_PlatformId_Args {
  size_t struct_size;
  const PJRT_RuntimeAbiVersion* abi_version;
  // A hash of the platform's name; equal for a runtime and an executable of the
  // same platform.
  uint64_t platform_id;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_RuntimeAbiVersion_PlatformId_Args, platform_id);

// Returns the number of the platform that a runtime belongs to.
typedef PJRT_Error* PJRT_RuntimeAbiVersion_PlatformId(
    PJRT_RuntimeAbiVersion_PlatformId_Args* args);

// The arguments of PJRT_ExecutableAbiVersion_Destroy.
struct PJRT_ExecutableAbiVersion_Destroy_Args {
  size_t struct_size;
  PJRT_ExecutableAbiVersion* abi_version;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_ExecutableAbiVersion_Destroy_Args, abi_version);

// Frees the version of an executable.
typedef PJRT_Error* PJRT_ExecutableAbiVersion_Destroy(
    PJRT_ExecutableAbiVersion_Destroy_Args* args);

// The arguments of PJRT_ExecutableAbiVersion_ToProto.
struct PJRT_ExecutableAbiVersion_ToProto_Args {
  size_t struct_size;
  const PJRT_ExecutableAbiVersion* abi_version;
  // The serialized message. Not terminated by a zero byte.
  const char* serialized_proto;  // out
  // Its length in bytes.
  size_t serialized_proto_size;  // out
  // What keeps the bytes alive. Free it with the deleter, once.
  PJRT_SerializedProto* serialized_proto_holder;  // out
  // Frees the holder, and the bytes with it.
  void (*serialized_proto_deleter)(PJRT_SerializedProto* holder);  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_ExecutableAbiVersion_ToProto_Args,
                          serialized_proto_deleter);

// Serializes the version of an executable, so that another process can read it.
typedef PJRT_Error* PJRT_ExecutableAbiVersion_ToProto(
    PJRT_ExecutableAbiVersion_ToProto_Args* args);

// The arguments of PJRT_ExecutableAbiVersion_PlatformId.
struct PJRT_ExecutableAbiVersion_PlatformId_Args {
  size_t struct_size;
  const PJRT_ExecutableAbiVersion* abi_version;
  // A hash of the platform's name; equal for a runtime and an executable of the
  // same platform.
  uint64_t platform_id;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_ExecutableAbiVersion_PlatformId_Args,
                          platform_id);

// Returns the number of the platform that an executable was compiled for.
typedef PJRT_Error* PJRT_ExecutableAbiVersion_PlatformId(
    PJRT_ExecutableAbiVersion_PlatformId_Args* args);

// The arguments of PJRT_RuntimeAbiVersion_FromProto.
struct PJRT_RuntimeAbiVersion_FromProto_Args {
  size_t struct_size;
  // What PJRT_RuntimeAbiVersion_ToProto wrote. Read during the call only.
  const char* serialized_proto;
  // Its length in bytes.
  size_t serialized_proto_size;
  // Owned by the caller, who frees it with PJRT_RuntimeAbiVersion_Destroy.
  PJRT_RuntimeAbiVersion* abi_version;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_RuntimeAbiVersion_FromProto_Args, abi_version);

// Makes the version of a runtime from its serialized form. Bytes that are not
// such a message are an INVALID_ARGUMENT error.
typedef PJRT_Error* PJRT_RuntimeAbiVersion_FromProto(
    PJRT_RuntimeAbiVersion_FromProto_Args* args);

// The arguments of PJRT_ExecutableAbiVersion_FromProto.
struct PJRT_ExecutableAbiVersion_FromProto_Args {
  size_t struct_size;
  // What PJRT_ExecutableAbiVersion_ToProto wrote. Read during the call only.
  const char* serialized_proto;
  // Its length in bytes.
  size_t serialized_proto_size;
  // Owned by the caller, who frees it with PJRT_ExecutableAbiVersion_Destroy.
  PJRT_ExecutableAbiVersion* abi_version;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_ExecutableAbiVersion_FromProto_Args,
                          abi_version);

// Makes the version of an executable from its serialized form. Bytes that are
// not such a message are an INVALID_ARGUMENT error.
typedef PJRT_Error* PJRT_ExecutableAbiVersion_FromProto(
    PJRT_ExecutableAbiVersion_FromProto_Args* args);

// The node of the ABI version extension. Its args have no extension_start.
struct PJRT_AbiVersion_Extension {
  PJRT_Extension_Base base;
  PJRT_NO_DISCARD PJRT_Client_RuntimeAbiVersion* client_runtime_abi_version;
  PJRT_NO_DISCARD PJRT_Executable_GetAbiVersion* executable_get_abi_version;
  PJRT_NO_DISCARD PJRT_RuntimeAbiVersion_Destroy* runtime_abi_version_destroy;
  PJRT_NO_DISCARD PJRT_RuntimeAbiVersion_IsCompatibleWithRuntime*
      runtime_abi_version_is_compatible_with_runtime;
  PJRT_NO_DISCARD PJRT_RuntimeAbiVersion_IsCompatibleWithExecutable*
      runtime_abi_version_is_compatible_with_executable;
  PJRT_NO_DISCARD PJRT_RuntimeAbiVersion_ToProto* runtime_abi_version_to_proto;
  PJRT_NO_DISCARD PJRT_RuntimeAbiVersion_PlatformId*
      runtime_abi_version_platform_id;
  PJRT_NO_DISCARD PJRT_ExecutableAbiVersion_Destroy*
      executable_abi_version_destroy;
  PJRT_NO_DISCARD PJRT_ExecutableAbiVersion_ToProto*
      executable_abi_version_to_proto;
  PJRT_NO_DISCARD PJRT_ExecutableAbiVersion_PlatformId*
      executable_abi_version_platform_id;
  PJRT_NO_DISCARD PJRT_RuntimeAbiVersion_FromProto*
      runtime_abi_version_from_proto;
  PJRT_NO_DISCARD PJRT_ExecutableAbiVersion_FromProto*
      executable_abi_version_from_proto;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_AbiVersion_Extension,
                          executable_abi_version_from_proto);

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // XLA_PJRT_C_PJRT_C_API_ABI_VERSION_EXTENSION_H_
