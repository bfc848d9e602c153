/* SPDX-License-Identifier: Apache-2.0
   Restates the public ABI of openxla/xla's header of this path. */

// Compiles a program in steps, each of which takes the programs that the
// previous one returned. Function pointers of this extension may be null in
// plugins that offer no phases: test them.

#ifndef XLA_PJRT_C_PJRT_C_API_PHASE_COMPILE_EXTENSION_H_
#define XLA_PJRT_C_PJRT_C_API_PHASE_COMPILE_EXTENSION_H_

#include <stddef.h>
#include <stdint.h>

#include "xla/pjrt/c/pjrt_c_api.h"

#ifdef __cplusplus
extern "C" {
#endif

// The version of this extension. The plugin does not report it.
#define PJRT_API_PHASE_COMPILE_EXTENSION_VERSION 1

// The arguments of PJRT_PhaseCompile_Get_Compiler.
struct PJRT_PhaseCompile_Get_Compiler_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // Owned by the caller, who frees it with PJRT_PhaseCompile_Destroy_Compiler.
  const PJRT_PhaseCompiler* phase_compiler;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_PhaseCompile_Get_Compiler_Args, phase_compiler);

// Makes a compiler that works in phases.
typedef PJRT_Error* PJRT_PhaseCompile_Get_Compiler(
    PJRT_PhaseCompile_Get_Compiler_Args* args);

// The arguments of PJRT_PhaseCompile_Destroy_Compiler.
struct PJRT_PhaseCompile_Destroy_Compiler_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  const PJRT_PhaseCompiler* phase_compiler;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_PhaseCompile_Destroy_Compiler_Args,
                          phase_compiler);

// Frees a compiler. It returns nothing and cannot fail.
typedef void PJRT_PhaseCompile_Destroy_Compiler(
    PJRT_PhaseCompile_Destroy_Compiler_Args* args);

// The arguments of PJRT_PhaseCompile_Run_Phase.
struct PJRT_PhaseCompile_Run_Phase_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  const PJRT_PhaseCompiler* phase_compiler;  // in
  // The programs to start from, each a serialized PjRtPartialProgramProto
  // message. Owned by the caller.
  const char** input_programs;  // in
  // The length of each in bytes.
  const size_t* input_programs_sizes;  // in
  // How many there are.
  size_t num_input_programs;  // in
  // The names of the phases, in order, each terminated by a zero byte. Owned by
  // the caller.
  const char** phases_to_run;  // in
  // The length of each name in bytes.
  const size_t* phases_to_run_sizes;  // in
  // How many there are.
  size_t num_phases_to_run;  // in
  // A serialized CompileOptionsProto message.
  const char* compile_options;  // in
  // Its length in bytes.
  size_t compile_options_size;  // in
  // What to compile for.
  PJRT_TopologyDescription* topology;  // in
  // The programs that the last phase returned, each a serialized
  // PjRtPartialProgramProto message. Owned by the caller, who frees them with
  // PJRT_PhaseCompile_C_Buffers_Destroy.
  const char** output_programs;  // out
  // The length of each in bytes. Freed together with the programs.
  const size_t* output_programs_sizes;  // out
  // How many there are.
  size_t num_output_programs;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_PhaseCompile_Run_Phase_Args,
                          num_output_programs);

// Runs phases, one after the other, over some programs. Blocks until they are
// done. No phases, and unknown ones, are errors.
typedef PJRT_Error* PJRT_PhaseCompile_Run_Phase(
    PJRT_PhaseCompile_Run_Phase_Args* args);

// The arguments of PJRT_PhaseCompile_Get_PhaseNames.
struct PJRT_PhaseCompile_Get_PhaseNames_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  const PJRT_PhaseCompiler* phase_compiler;  // in
  // The names, each terminated by a zero byte. Owned by the caller, who frees
  // them with PJRT_PhaseCompile_C_Buffers_Destroy.
  const char** phase_names;  // out
  // The length of each name in bytes. Freed together with the names.
  const size_t* phase_names_sizes;  // out
  // How many there are.
  size_t num_phase_names;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_PhaseCompile_Get_PhaseNames_Args,
                          num_phase_names);

// Returns the names of the phases that a compiler knows.
typedef PJRT_Error* PJRT_PhaseCompile_Get_PhaseNames(
    PJRT_PhaseCompile_Get_PhaseNames_Args* args);

// The arguments of PJRT_PhaseCompile_C_Buffers_Destroy.
struct PJRT_PhaseCompile_C_Buffers_Destroy_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // The buffers.
  const char** char_buffers;  // in
  // Their lengths.
  const size_t* char_buffer_sizes;  // in
  // How many there are.
  size_t num_char_buffers;  // in
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_PhaseCompile_C_Buffers_Destroy_Args,
                          num_char_buffers);

// Frees a list of buffers that another function of this extension returned, and
// the list of their lengths. It returns nothing and cannot fail.
typedef void PJRT_PhaseCompile_C_Buffers_Destroy(
    PJRT_PhaseCompile_C_Buffers_Destroy_Args* args);

// The node of the phase compile extension.
struct PJRT_PhaseCompile_Extension {
  PJRT_Extension_Base base;
  PJRT_NO_DISCARD PJRT_PhaseCompile_Get_Compiler* phase_compile_get_compiler;
  PJRT_PhaseCompile_Destroy_Compiler* phase_compile_destroy_compiler;
  PJRT_NO_DISCARD PJRT_PhaseCompile_Run_Phase* phase_compile_run_phases;
  PJRT_NO_DISCARD PJRT_PhaseCompile_Get_PhaseNames*
      phase_compile_get_phase_names;
  PJRT_PhaseCompile_C_Buffers_Destroy* phase_compile_c_buffers_destroy;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_PhaseCompile_Extension,
                          phase_compile_c_buffers_destroy);

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // XLA_PJRT_C_PJRT_C_API_PHASE_COMPILE_EXTENSION_H_
