/* SPDX-License-Identifier: Apache-2.0
   Restates the public ABI of openxla/xla's header of this path. */

// Reads what is inside a serialized TPU executable, and handles the environment
// in which TPU programs are compiled. It needs no TPU.

#ifndef XLA_PJRT_C_PJRT_C_API_TPU_EXECUTABLE_EXTENSION_H_
#define XLA_PJRT_C_PJRT_C_API_TPU_EXECUTABLE_EXTENSION_H_

#include <stddef.h>
#include <stdint.h>

#include "xla/pjrt/c/pjrt_c_api.h"

#ifdef __cplusplus
extern "C" {
#endif

// The version of this extension. The plugin does not report it.
#define PJRT_API_TPU_EXECUTABLE_EXTENSION_VERSION 1

// Keeps serialized target arguments alive until the deleter that came with it
// is called.
typedef struct PJRT_TpuExecutable_TargetArguments
    PJRT_TpuExecutable_TargetArguments;

// The arguments of PJRT_TpuExecutable_GetTargetArguments.
struct PJRT_TpuExecutable_GetTargetArguments_Args {
  size_t struct_size;
  // What PJRT_Executable_Serialize returned. Read during the call only.
  const char* serialized_executable;
  // Its length in bytes.
  size_t serialized_executable_size;
  // The serialized target arguments, valid until the deleter is called.
  const char* target_arguments;  // out
  // Its length in bytes.
  size_t target_arguments_size;  // out
  // What keeps the bytes alive. Free it with the deleter, once.
  PJRT_TpuExecutable_TargetArguments* target_arguments_ptr;  // out
  // Frees target_arguments_ptr, and the bytes with it.
  void (*target_arguments_deleter)(
      PJRT_TpuExecutable_TargetArguments* args);  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_TpuExecutable_GetTargetArguments_Args,
                          target_arguments_deleter);

// Returns what an executable was compiled for.
typedef PJRT_Error* PJRT_TpuExecutable_GetTargetArguments(
    PJRT_TpuExecutable_GetTargetArguments_Args* args);

// Keeps serialized memory statistics alive until the deleter that came with it
// is called.
typedef struct PJRT_TpuExecutable_CompiledMemoryStats
    PJRT_TpuExecutable_CompiledMemoryStats;

// Keeps serialized compilation environments alive until the deleter that came
// with it is called.
typedef struct PJRT_TpuExecutable_CompilationEnvironments
    PJRT_TpuExecutable_CompilationEnvironments;

// Keeps the results of a cost analysis alive until the deleter that came with
// it is called.
typedef struct PJRT_TpuExecutable_CostAnalysisResult
    PJRT_TpuExecutable_CostAnalysisResult;

// Keeps a serialized module alive until the deleter that came with it is
// called.
typedef struct PJRT_TpuExecutable_HloModuleWithConfig
    PJRT_TpuExecutable_HloModuleWithConfig;

// The arguments of PJRT_TpuExecutable_GetHloModuleWithConfig.
struct PJRT_TpuExecutable_GetHloModuleWithConfig_Args {
  size_t struct_size;
  // What PJRT_Executable_Serialize returned. Read during the call only.
  const char* serialized_executable;
  // Its length in bytes.
  size_t serialized_executable_size;
  // A serialized HloModuleProtoWithConfig message, valid until the deleter is
  // called.
  const char* hlo_module_with_config;  // out
  // Its length in bytes.
  size_t hlo_module_with_config_size;  // out
  // What keeps the bytes alive. Free it with the deleter, once.
  PJRT_TpuExecutable_HloModuleWithConfig* hlo_module_with_config_ptr;  // out
  // Frees hlo_module_with_config_ptr, and the bytes with it.
  void (*hlo_module_with_config_deleter)(
      PJRT_TpuExecutable_HloModuleWithConfig* module);  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_TpuExecutable_GetHloModuleWithConfig_Args,
                          hlo_module_with_config_deleter);

// Returns the optimised program of an executable.
typedef PJRT_Error* PJRT_TpuExecutable_GetHloModuleWithConfig(
    PJRT_TpuExecutable_GetHloModuleWithConfig_Args* args);

// The arguments of PJRT_TpuExecutable_RunHloCostAnalysis.
struct PJRT_TpuExecutable_RunHloCostAnalysis_Args {
  size_t struct_size;
  // What PJRT_TpuExecutable_GetTargetArguments returned. Read during the call
  // only.
  const char* target_arguments;
  // Its length in bytes.
  size_t target_arguments_size;
  // The programs, each a serialized HloModuleProtoWithConfig message. Read
  // during the call only.
  const char** hlo_module;
  // The length of each in bytes.
  size_t* hlo_module_size;
  // How many programs there are.
  size_t num_hlo_modules;
  // The costs by name, valid until the deleter is called.
  const PJRT_NamedValue* analysis_results;  // out
  // How many there are.
  size_t num_analysis_results;  // out
  // What keeps them alive. Free it with the deleter, once.
  PJRT_TpuExecutable_CostAnalysisResult* analysis_results_ptr;  // out
  // Frees analysis_results_ptr, and the costs with it.
  void (*analysis_results_deleter)(
      PJRT_TpuExecutable_CostAnalysisResult* results);  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_TpuExecutable_RunHloCostAnalysis_Args,
                          analysis_results_deleter);

// Estimates what programs cost to run. It does not run them.
typedef PJRT_Error* PJRT_TpuExecutable_RunHloCostAnalysis(
    PJRT_TpuExecutable_RunHloCostAnalysis_Args* args);

// The arguments of PJRT_TpuExecutable_GetCompiledMemoryStats.
struct PJRT_TpuExecutable_GetCompiledMemoryStats_Args {
  size_t struct_size;
  // What PJRT_Executable_Serialize returned. Read during the call only.
  const char* serialized_executable;
  // Its length in bytes.
  size_t serialized_executable_size;
  // A serialized CompiledMemoryStatsProto message, valid until the deleter is
  // called.
  const char* compiled_memory_stats;  // out
  // Its length in bytes.
  size_t compiled_memory_stats_size;  // out
  // What keeps the bytes alive. Free it with the deleter, once.
  PJRT_TpuExecutable_CompiledMemoryStats* compiled_memory_stats_ptr;  // out
  // Frees compiled_memory_stats_ptr, and the bytes with it.
  void (*compiled_memory_stats_deleter)(
      PJRT_TpuExecutable_CompiledMemoryStats* stats);  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_TpuExecutable_GetCompiledMemoryStats_Args,
                          compiled_memory_stats_deleter);

// Returns how much memory an executable needs.
typedef PJRT_Error* PJRT_TpuExecutable_GetCompiledMemoryStats(
    PJRT_TpuExecutable_GetCompiledMemoryStats_Args* args);

// The arguments of PJRT_TpuExecutable_SetTpuCompilationEnv.
struct PJRT_TpuExecutable_SetTpuCompilationEnv_Args {
  size_t struct_size;
  // A serialized CompilationEnvironmentsProto message. Read during the call
  // only.
  const char* serialized_compilation_environments;
  // Its length in bytes.
  size_t serialized_compilation_environments_size;
  // A serialized CompilationEnvironmentsProto message, valid until the deleter
  // is called.
  const char* result_compilation_environments;  // out
  // Its length in bytes.
  size_t result_compilation_environments_size;  // out
  // What keeps the bytes alive. Free it with the deleter, once.
  PJRT_TpuExecutable_CompilationEnvironments*
      result_compilation_environments_ptr;  // out
  // Frees result_compilation_environments_ptr, and the bytes with it.
  void (*result_compilation_environments_deleter)(
      PJRT_TpuExecutable_CompilationEnvironments* envs);  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_TpuExecutable_SetTpuCompilationEnv_Args,
                          result_compilation_environments_deleter);

// Completes compilation environments with the settings for TPUs.
typedef PJRT_Error* PJRT_TpuExecutable_SetTpuCompilationEnv(
    PJRT_TpuExecutable_SetTpuCompilationEnv_Args* args);

// Keeps the text of a value alive until the deleter that came with it is
// called.
typedef struct PJRT_TpuExecutable_FieldValue PJRT_TpuExecutable_FieldValue;

// The arguments of PJRT_TpuExecutable_GetTpuCompilationEnvFieldAsString.
struct PJRT_TpuExecutable_GetTpuCompilationEnvFieldAsString_Args {
  size_t struct_size;
  // A serialized CompilationEnvironmentsProto message. Read during the call
  // only.
  const char* serialized_compilation_environments;
  // Its length in bytes.
  size_t serialized_compilation_environments_size;
  // The name of the setting.
  const char* field_name;
  // Its length in bytes.
  size_t field_name_size;
  // The text, valid until the deleter is called.
  const char* field_value;  // out
  // Its length in bytes.
  size_t field_value_size;  // out
  // What keeps the text alive. Free it with the deleter, once.
  PJRT_TpuExecutable_FieldValue* field_value_ptr;  // out
  // Frees field_value_ptr, and the text with it.
  void (*field_value_deleter)(PJRT_TpuExecutable_FieldValue* value);  // out
};
PJRT_DEFINE_STRUCT_TRAITS(
    PJRT_TpuExecutable_GetTpuCompilationEnvFieldAsString_Args,
    field_value_deleter);

// Returns one setting of the environment for TPUs as text.
typedef PJRT_Error* PJRT_TpuExecutable_GetTpuCompilationEnvFieldAsString(
    PJRT_TpuExecutable_GetTpuCompilationEnvFieldAsString_Args* args);

// The arguments of PJRT_TpuExecutable_IsTpuPredeterminedError.
struct PJRT_TpuExecutable_IsTpuPredeterminedError_Args {
  size_t struct_size;
  // A serialized status. Read during the call only.
  const char* serialized_status;
  // Its length in bytes.
  size_t serialized_status_size;
  // Whether it does.
  bool is_predetermined;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_TpuExecutable_IsTpuPredeterminedError_Args,
                          is_predetermined);

// Tells whether a status stands for an error that was bound to happen, whatever
// the devices did.
typedef PJRT_Error* PJRT_TpuExecutable_IsTpuPredeterminedError(
    PJRT_TpuExecutable_IsTpuPredeterminedError_Args* args);

// The arguments of PJRT_TpuExecutable_IsTpuCancellationPlaceholderError.
struct PJRT_TpuExecutable_IsTpuCancellationPlaceholderError_Args {
  size_t struct_size;
  // A serialized status. Read during the call only.
  const char* serialized_status;
  // Its length in bytes.
  size_t serialized_status_size;
  // Whether it does.
  bool is_cancellation_placeholder;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(
    PJRT_TpuExecutable_IsTpuCancellationPlaceholderError_Args,
    is_cancellation_placeholder);

// Tells whether a status only stands in for the error of another worker,
// because of which this one was cancelled.
typedef PJRT_Error* PJRT_TpuExecutable_IsTpuCancellationPlaceholderError(
    PJRT_TpuExecutable_IsTpuCancellationPlaceholderError_Args* args);

// The node of the TPU executable extension. Its args have no extension_start.
struct PJRT_TpuExecutable_Extension {
  PJRT_Extension_Base base;
  PJRT_NO_DISCARD PJRT_TpuExecutable_GetTargetArguments* get_target_arguments;
  PJRT_NO_DISCARD PJRT_TpuExecutable_GetHloModuleWithConfig*
      get_hlo_module_with_config;
  // Deprecated: kept for the layout only. May be null, and must not be called.
  void* get_core_program_abi_version;
  PJRT_NO_DISCARD PJRT_TpuExecutable_GetCompiledMemoryStats*
      get_compiled_memory_stats;
  PJRT_NO_DISCARD PJRT_TpuExecutable_RunHloCostAnalysis* run_hlo_cost_analysis;
  PJRT_NO_DISCARD PJRT_TpuExecutable_SetTpuCompilationEnv*
      set_tpu_compilation_env;
  PJRT_NO_DISCARD PJRT_TpuExecutable_GetTpuCompilationEnvFieldAsString*
      get_tpu_compilation_env_field_as_string;
  PJRT_NO_DISCARD PJRT_TpuExecutable_IsTpuPredeterminedError*
      is_tpu_predetermined_error;
  PJRT_NO_DISCARD PJRT_TpuExecutable_IsTpuCancellationPlaceholderError*
      is_tpu_cancellation_placeholder_error;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_TpuExecutable_Extension,
                          is_tpu_cancellation_placeholder_error);

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // XLA_PJRT_C_PJRT_C_API_TPU_EXECUTABLE_EXTENSION_H_
