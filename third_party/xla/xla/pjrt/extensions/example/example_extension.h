/* SPDX-License-Identifier: Apache-2.0
   Restates the public ABI of openxla/xla's header of this path. */

// A worked example of an extension, for vendors who write their own. It does
// nothing of use to a program. Its node carries the type
// PJRT_Extension_Type_Unknown, so it cannot be found by its type alone.

#ifndef XLA_PJRT_EXTENSIONS_EXAMPLE_EXAMPLE_EXTENSION_H_
#define XLA_PJRT_EXTENSIONS_EXAMPLE_EXAMPLE_EXTENSION_H_

#include <cstdint>

#include "xla/pjrt/c/pjrt_c_api.h"

#ifdef __cplusplus
extern "C" {
#endif

// The version of this extension. The plugin does not report it.
#define PJRT_API_EXAMPLE_EXTENSION_VERSION 1

typedef struct PJRT_ExampleExtension_ExampleMethod_Args
    PJRT_ExampleExtension_ExampleMethod_Args;

typedef struct PJRT_ExampleExtension_CreateExampleExtensionCpp_Args
    PJRT_ExampleExtension_CreateExampleExtensionCpp_Args;

typedef struct PJRT_ExampleExtension_CreateExampleExtensionCpp_Args
    PJRT_ExampleExtension_DestroyExampleExtensionCpp_Args;

// The node of the example extension.
struct PJRT_Example_Extension {
  PJRT_Extension_Base base;
  // Passes a number to the implementation, which may use it as it likes. Does
  // not block.
  PJRT_Error* (*example_method)(PJRT_ExampleExtension_ExampleMethod_Args* args);
  // Makes an implementation, which the caller frees through destroy.
  PJRT_Error* (*create)(
      PJRT_ExampleExtension_CreateExampleExtensionCpp_Args* args);
  // Frees an implementation that create made.
  PJRT_Error* (*destroy)(
      PJRT_ExampleExtension_DestroyExampleExtensionCpp_Args* args);
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Example_Extension, destroy);

// An implementation of the example. The caller that made it owns it.
typedef struct PJRT_ExampleExtensionCpp PJRT_ExampleExtensionCpp;

// The arguments of example_method. They have no struct_size, so they can never
// grow.
struct PJRT_ExampleExtension_ExampleMethod_Args {
  // The implementation; null when the plugin has none behind it.
  PJRT_ExampleExtensionCpp* extension_cpp;  // in
  // Any number.
  int64_t value;  // in
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_ExampleExtension_ExampleMethod_Args, value);

// The arguments of create and destroy. They have no struct_size, so they can
// never grow.
struct PJRT_ExampleExtension_CreateExampleExtensionCpp_Args {
  // What create made, or what destroy is to free.
  PJRT_ExampleExtensionCpp* extension_cpp;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_ExampleExtension_CreateExampleExtensionCpp_Args,
                          extension_cpp);

// Makes an implementation of the example extension, and stores it in its
// arguments.
typedef PJRT_Error* PJRT_CreateExampleExtensionCpp_Fn(
    PJRT_ExampleExtension_CreateExampleExtensionCpp_Args*);

// Frees an implementation of the example extension.
typedef PJRT_Error* PJRT_DestroyExampleExtensionCpp_Fn(
    PJRT_ExampleExtension_DestroyExampleExtensionCpp_Args*);

#ifdef __cplusplus
}  // extern "C"
#endif

namespace pjrt {

// Makes the node, in front of next, from the two functions that make and free
// the implementation.
PJRT_Example_Extension CreateExampleExtension(
    PJRT_Extension_Base* next, PJRT_CreateExampleExtensionCpp_Fn create,
    PJRT_DestroyExampleExtensionCpp_Fn destroy);

}  // namespace pjrt

#endif  // XLA_PJRT_EXTENSIONS_EXAMPLE_EXAMPLE_EXTENSION_H_
