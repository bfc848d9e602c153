/* SPDX-License-Identifier: Apache-2.0
   Restates the public ABI of openxla/xla's header of this path. */

// Reads how the parameters and the outputs of an executable are split over its
// devices.

#ifndef XLA_PJRT_C_PJRT_C_API_SHARDINGS_EXTENSION_H_
#define XLA_PJRT_C_PJRT_C_API_SHARDINGS_EXTENSION_H_

#include <stddef.h>

#include "xla/pjrt/c/pjrt_c_api.h"

#ifdef __cplusplus
extern "C" {
#endif

// The version of this extension. The plugin does not report it.
#define PJRT_API_SHARDINGS_EXTENSION_VERSION 1

// The arguments of PJRT_Shardings_PJRT_Executable_ParameterShardings.
struct PJRT_Shardings_PJRT_Executable_ParameterShardings_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Executable* executable;
  // How many parameters are listed.
  size_t num_parameters;  // out
  // One serialized OpSharding message for each, owned by the executable and
  // valid as long as it is; null when the plugin cannot tell.
  const char* const* shardings;  // out
  // The length of each in bytes, owned likewise; null when the plugin cannot
  // tell.
  const size_t* sharding_sizes;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(
    PJRT_Shardings_PJRT_Executable_ParameterShardings_Args, sharding_sizes);

// Returns the shardings that an executable expects of its parameters.
typedef PJRT_Error* PJRT_Shardings_PJRT_Executable_ParameterShardings(
    PJRT_Shardings_PJRT_Executable_ParameterShardings_Args* args);

// The arguments of PJRT_Shardings_PJRT_Executable_OutputShardings.
struct PJRT_Shardings_PJRT_Executable_OutputShardings_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Executable* executable;
  // How many outputs are listed.
  size_t num_outputs;  // out
  // One serialized OpSharding message for each, owned by the executable and
  // valid as long as it is; null when the plugin cannot tell.
  const char* const* shardings;  // out
  // The length of each in bytes, owned likewise; null when the plugin cannot
  // tell.
  const size_t* sharding_sizes;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Shardings_PJRT_Executable_OutputShardings_Args,
                          sharding_sizes);

// Returns the shardings of the outputs of an executable.
typedef PJRT_Error* PJRT_Shardings_PJRT_Executable_OutputShardings(
    PJRT_Shardings_PJRT_Executable_OutputShardings_Args* args);

// The node of the shardings extension.
struct PJRT_Shardings_Extension {
  PJRT_Extension_Base base;
  PJRT_NO_DISCARD PJRT_Shardings_PJRT_Executable_ParameterShardings*
      PJRT_Shardings_PJRT_Executable_ParameterShardings;
  PJRT_NO_DISCARD PJRT_Shardings_PJRT_Executable_OutputShardings*
      PJRT_Shardings_PJRT_Executable_OutputShardings;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Shardings_Extension,
                          PJRT_Shardings_PJRT_Executable_OutputShardings);

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // XLA_PJRT_C_PJRT_C_API_SHARDINGS_EXTENSION_H_
