/* SPDX-License-Identifier: Apache-2.0
   Restates the public ABI of openxla/xla's header of this path. */

// XLA's foreign function interface: how a compiled program calls functions of
// the program that runs it, its custom calls. XLA passes a call frame to a
// handler; the handler reads its arguments there, calls back through the table
// that the frame names, and returns null or an error.

#ifndef XLA_FFI_API_C_API_H_
#define XLA_FFI_API_C_API_H_

#include <stddef.h>
#include <stdint.h>

// The size of a struct up to and including the named field, without the padding
// after it.
#define XLA_FFI_STRUCT_SIZE(struct_type, last_field) \
  (offsetof(struct_type, last_field) + sizeof(((struct_type*)0)->last_field))

// Follows each struct: its typedef, and the constant that goes into
// struct_size.
#define XLA_FFI_DEFINE_STRUCT_TRAITS(sname, last_field) \
  typedef struct sname sname;                           \
  enum { sname##_STRUCT_SIZE = XLA_FFI_STRUCT_SIZE(sname, last_field) }

#ifdef __cplusplus
extern "C" {
#endif

// Raised when the interface changes so that old handlers break.
#define XLA_FFI_API_MAJOR 0

// Raised when something is added to the interface.
#define XLA_FFI_API_MINOR 5

// The kinds of XLA_FFI_InternalExtension.
typedef enum XLA_FFI_InternalExtension_Type {
  // An XLA_FFI_Metadata_Extension.
  XLA_FFI_Extension_Metadata = 1,
} XLA_FFI_InternalExtension_Type;

// A node of a chain that is attached to a struct and carries something besides
// its fields.
struct XLA_FFI_InternalExtension {
  size_t struct_size;
  // What the node is.
  XLA_FFI_InternalExtension_Type type;
  // The next node; null at the end.
  struct XLA_FFI_InternalExtension* next;
};
XLA_FFI_DEFINE_STRUCT_TRAITS(XLA_FFI_InternalExtension, next);

// Which extension a node of the invoke context is, and in which version.
struct XLA_FFI_ExtensionId {
  // The number of the extension.
  int64_t extension_type;
  // Differs between versions that are incompatible.
  int32_t major_version;
  // Grows when something is added.
  int32_t minor_version;
};
XLA_FFI_DEFINE_STRUCT_TRAITS(XLA_FFI_ExtensionId, minor_version);

typedef struct XLA_FFI_Extension XLA_FFI_Extension;

// Something that the runtime offers a handler besides the table, found by its
// id.
struct XLA_FFI_Extension {
  size_t struct_size;
  // Which extension it is.
  XLA_FFI_ExtensionId id;
  // The next one; null at the end.
  const XLA_FFI_Extension* next;
};
XLA_FFI_DEFINE_STRUCT_TRAITS(XLA_FFI_Extension, next);

// A version of the interface.
struct XLA_FFI_Api_Version {
  size_t struct_size;
  XLA_FFI_InternalExtension* extension_start;
  // The major version.
  int major_version;  // out
  // The minor version.
  int minor_version;  // out
};
XLA_FFI_DEFINE_STRUCT_TRAITS(XLA_FFI_Api_Version, minor_version);

// The kinds of errors. The numbers are those of PJRT_Error_Code, with zero for
// success.
typedef enum XLA_FFI_Error_Code {
  // Success.
  XLA_FFI_Error_Code_OK = 0,
  // The call was cancelled, usually by its caller.
  XLA_FFI_Error_Code_CANCELLED = 1,
  // An error of no known kind.
  XLA_FFI_Error_Code_UNKNOWN = 2,
  // An argument is wrong, whatever the state of the system.
  XLA_FFI_Error_Code_INVALID_ARGUMENT = 3,
  // Time ran out before the call ended.
  XLA_FFI_Error_Code_DEADLINE_EXCEEDED = 4,
  // Something that was asked for does not exist.
  XLA_FFI_Error_Code_NOT_FOUND = 5,
  // Something that was to be made already exists.
  XLA_FFI_Error_Code_ALREADY_EXISTS = 6,
  // The caller may not do this.
  XLA_FFI_Error_Code_PERMISSION_DENIED = 7,
  // Memory, or another resource, is used up.
  XLA_FFI_Error_Code_RESOURCE_EXHAUSTED = 8,
  // The state of the system does not allow this.
  XLA_FFI_Error_Code_FAILED_PRECONDITION = 9,
  // The call was aborted because of another one.
  XLA_FFI_Error_Code_ABORTED = 10,
  // A position lies past the valid range.
  XLA_FFI_Error_Code_OUT_OF_RANGE = 11,
  // This is not supported.
  XLA_FFI_Error_Code_UNIMPLEMENTED = 12,
  // Something that must hold does not: a fault of the implementation.
  XLA_FFI_Error_Code_INTERNAL = 13,
  // The service cannot be reached now; trying again may help.
  XLA_FFI_Error_Code_UNAVAILABLE = 14,
  // Data are lost or damaged.
  XLA_FFI_Error_Code_DATA_LOSS = 15,
  // The caller did not prove who it is.
  XLA_FFI_Error_Code_UNAUTHENTICATED = 16,
} XLA_FFI_Error_Code;

// The arguments of XLA_FFI_Error_Create.
struct XLA_FFI_Error_Create_Args {
  size_t struct_size;
  XLA_FFI_InternalExtension* extension_start;
  // The text, terminated by a zero byte and copied.
  const char* message;
  // The kind.
  XLA_FFI_Error_Code errc;
};
XLA_FFI_DEFINE_STRUCT_TRAITS(XLA_FFI_Error_Create_Args, errc);

// Functions for handlers that are built together with XLA. Others leave it
// alone.
typedef struct XLA_FFI_InternalApi XLA_FFI_InternalApi;

// An error that one side passes to the other. XLA owns the error that a handler
// returns.
typedef struct XLA_FFI_Error XLA_FFI_Error;

// Makes an error. The handler returns it, or passes it to
// XLA_FFI_Future_SetError; otherwise it frees it with XLA_FFI_Error_Destroy.
typedef XLA_FFI_Error* XLA_FFI_Error_Create(XLA_FFI_Error_Create_Args* args);

// The arguments of XLA_FFI_Error_GetDetails.
struct XLA_FFI_Error_GetDetails_Args {
  size_t struct_size;
  XLA_FFI_InternalExtension* extension_start;
  XLA_FFI_Error* error;
  // The text, terminated by a zero byte and valid as long as the error.
  const char* message;  // out
  // The kind.
  XLA_FFI_Error_Code errc;  // out
};
XLA_FFI_DEFINE_STRUCT_TRAITS(XLA_FFI_Error_GetDetails_Args, errc);

// Returns the text and the kind of an error.
typedef void XLA_FFI_Error_GetDetails(XLA_FFI_Error_GetDetails_Args* args);

// The arguments of XLA_FFI_Error_Destroy.
struct XLA_FFI_Error_Destroy_Args {
  size_t struct_size;
  XLA_FFI_InternalExtension* extension_start;
  XLA_FFI_Error* error;
};
XLA_FFI_DEFINE_STRUCT_TRAITS(XLA_FFI_Error_Destroy_Args, error);

// Frees an error.
typedef void XLA_FFI_Error_Destroy(XLA_FFI_Error_Destroy_Args* args);

// The types of elements. The numbers are those of XLA's PrimitiveType, not of
// PJRT_Buffer_Type.
typedef enum XLA_FFI_DataType {
  // No type.
  XLA_FFI_DataType_INVALID = 0,
  // A truth value in one byte.
  XLA_FFI_DataType_PRED = 1,
  // A signed integer of 1 bit.
  XLA_FFI_DataType_S1 = 30,
  // A signed integer of 2 bits.
  XLA_FFI_DataType_S2 = 26,
  // A signed integer of 4 bits.
  XLA_FFI_DataType_S4 = 21,
  // A signed integer of 8 bits.
  XLA_FFI_DataType_S8 = 2,
  // A signed integer of 16 bits.
  XLA_FFI_DataType_S16 = 3,
  // A signed integer of 32 bits.
  XLA_FFI_DataType_S32 = 4,
  // A signed integer of 64 bits.
  XLA_FFI_DataType_S64 = 5,
  // An unsigned integer of 1 bit.
  XLA_FFI_DataType_U1 = 31,
  // An unsigned integer of 2 bits.
  XLA_FFI_DataType_U2 = 27,
  // An unsigned integer of 4 bits.
  XLA_FFI_DataType_U4 = 22,
  // An unsigned integer of 8 bits.
  XLA_FFI_DataType_U8 = 6,
  // An unsigned integer of 16 bits.
  XLA_FFI_DataType_U16 = 7,
  // An unsigned integer of 32 bits.
  XLA_FFI_DataType_U32 = 8,
  // An unsigned integer of 64 bits.
  XLA_FFI_DataType_U64 = 9,
  // An IEEE 754 number of 16 bits.
  XLA_FFI_DataType_F16 = 10,
  // An IEEE 754 number of 32 bits.
  XLA_FFI_DataType_F32 = 11,
  // An IEEE 754 number of 64 bits.
  XLA_FFI_DataType_F64 = 12,
  // The upper half of an F32.
  XLA_FFI_DataType_BF16 = 16,
  // A complex number of two F32.
  XLA_FFI_DataType_C64 = 15,
  // A complex number of two F64.
  XLA_FFI_DataType_C128 = 18,
  // A token, which orders side effects and has no data.
  XLA_FFI_DataType_TOKEN = 17,
  // A number of 8 bits with 5 of exponent and 2 of mantissa.
  XLA_FFI_DataType_F8E5M2 = 19,
  // A number of 8 bits with 3 of exponent and 4 of mantissa.
  XLA_FFI_DataType_F8E3M4 = 29,
  // A number of 8 bits with 4 of exponent and 3 of mantissa.
  XLA_FFI_DataType_F8E4M3 = 28,
  // As F8E4M3, without infinities.
  XLA_FFI_DataType_F8E4M3FN = 20,
  // As F8E4M3, with an exponent bias of 11, without infinities or negative
  // zero.
  XLA_FFI_DataType_F8E4M3B11FNUZ = 23,
  // As F8E5M2, without infinities or negative zero.
  XLA_FFI_DataType_F8E5M2FNUZ = 24,
  // As F8E4M3, without infinities or negative zero.
  XLA_FFI_DataType_F8E4M3FNUZ = 25,
  // A number of 4 bits with 2 of exponent and 1 of mantissa, without
  // infinities.
  XLA_FFI_DataType_F4E2M1FN = 32,
  // A power of two in 8 bits of exponent, without sign.
  XLA_FFI_DataType_F8E8M0FNU = 33,
} XLA_FFI_DataType;

// An array in device memory, borrowed until the call ends.
struct XLA_FFI_Buffer {
  size_t struct_size;
  XLA_FFI_InternalExtension* extension_start;
  // The type of the elements.
  XLA_FFI_DataType dtype;
  // The elements, without gaps, the last dimension varying fastest. A device
  // address on a GPU.
  void* data;
  // The number of dimensions.
  int64_t rank;
  // The dimensions.
  int64_t* dims;
};
XLA_FFI_DEFINE_STRUCT_TRAITS(XLA_FFI_Buffer, dims);

// Bytes with a length, borrowed from whoever made the struct. They need not end
// in a zero byte.
typedef struct XLA_FFI_ByteSpan {
  // The first byte.
  const char* ptr;
  // The length in bytes.
  size_t len;
} XLA_FFI_ByteSpan;

// One number as an attribute.
typedef struct XLA_FFI_Scalar {
  // The type of the elements.
  XLA_FFI_DataType dtype;
  // Where the number is.
  void* value;
} XLA_FFI_Scalar;

// A list of numbers as an attribute.
typedef struct XLA_FFI_Array {
  // The type of the elements.
  XLA_FFI_DataType dtype;
  // How many there are.
  size_t size;
  // The numbers, one after the other.
  void* data;
} XLA_FFI_Array;

// The id of a type that the program defines, unique in the process.
typedef struct XLA_FFI_TypeId {
  // The id; zero for none.
  int64_t type_id;
} XLA_FFI_TypeId;

// The id of a type that nobody registered, as a C++ expression.
#define XLA_FFI_UNKNOWN_TYPE_ID XLA_FFI_TypeId{0}

// How XLA treats values of a type.
struct XLA_FFI_TypeInfo {
  size_t struct_size;
  XLA_FFI_InternalExtension* extension_start;
  // Frees a value of the type; null when there is nothing to free.
  void (*deleter)(void* object);
};
XLA_FFI_DEFINE_STRUCT_TRAITS(XLA_FFI_TypeInfo, deleter);

// The call in which a handler runs. It belongs to XLA and is valid until the
// handler returns, or until the future of the call is set.
typedef struct XLA_FFI_InvokeContext XLA_FFI_InvokeContext;

// The name of XLA_FFI_InvokeContext in older versions of the interface.
typedef struct XLA_FFI_InvokeContext XLA_FFI_ExecutionContext;

// The end of a call that goes on after its handler has returned.
typedef struct XLA_FFI_Future XLA_FFI_Future;

// The arguments of XLA_FFI_Future_Create.
struct XLA_FFI_Future_Create_Args {
  size_t struct_size;
  XLA_FFI_InternalExtension* extension_start;
  // Belongs to XLA once it is stored in the call frame.
  XLA_FFI_Future* future;  // out
};
XLA_FFI_DEFINE_STRUCT_TRAITS(XLA_FFI_Future_Create_Args, extension_start);

// Makes a future, for a handler whose work goes on after it has returned. The
// handler stores it in the call frame and sets it later, exactly once.
typedef XLA_FFI_Error* XLA_FFI_Future_Create(XLA_FFI_Future_Create_Args* args);

// The arguments of XLA_FFI_Future_SetAvailable.
struct XLA_FFI_Future_SetAvailable_Args {
  size_t struct_size;
  XLA_FFI_InternalExtension* extension_start;
  XLA_FFI_Future* future;
};
XLA_FFI_DEFINE_STRUCT_TRAITS(XLA_FFI_Future_SetAvailable_Args, future);

// Ends a call with success. May be called from any thread.
typedef XLA_FFI_Error* XLA_FFI_Future_SetAvailable(
    XLA_FFI_Future_SetAvailable_Args* args);

// The arguments of XLA_FFI_Future_SetError.
struct XLA_FFI_Future_SetError_Args {
  size_t struct_size;
  XLA_FFI_InternalExtension* extension_start;
  XLA_FFI_Future* future;
  // XLA owns it from here on.
  XLA_FFI_Error* error;
};
XLA_FFI_DEFINE_STRUCT_TRAITS(XLA_FFI_Future_SetError_Args, error);

// Ends a call with an error. May be called from any thread.
typedef XLA_FFI_Error* XLA_FFI_Future_SetError(
    XLA_FFI_Future_SetError_Args* args);

// The kinds of arguments.
typedef enum XLA_FFI_ArgType {
  // An XLA_FFI_Buffer.
  XLA_FFI_ArgType_BUFFER = 1,
} XLA_FFI_ArgType;

// The arguments of a call, in order.
struct XLA_FFI_Args {
  size_t struct_size;
  XLA_FFI_InternalExtension* extension_start;
  // How many there are.
  int64_t size;
  // The kind of each.
  XLA_FFI_ArgType* types;
  // Where each is; its kind determines its struct.
  void** args;
};
XLA_FFI_DEFINE_STRUCT_TRAITS(XLA_FFI_Args, args);

// The kinds of results.
typedef enum XLA_FFI_RetType {
  // An XLA_FFI_Buffer, which the handler fills.
  XLA_FFI_RetType_BUFFER = 1,
} XLA_FFI_RetType;

// The results of a call, in order. Their memory is already allocated.
struct XLA_FFI_Rets {
  size_t struct_size;
  XLA_FFI_InternalExtension* extension_start;
  // How many there are.
  int64_t size;
  // The kind of each.
  XLA_FFI_RetType* types;
  // Where each is; its kind determines its struct.
  void** rets;
};
XLA_FFI_DEFINE_STRUCT_TRAITS(XLA_FFI_Rets, rets);

// The kinds of attributes.
typedef enum XLA_FFI_AttrType {
  // An XLA_FFI_Array.
  XLA_FFI_AttrType_ARRAY = 1,
  // An XLA_FFI_Attrs.
  XLA_FFI_AttrType_DICTIONARY = 2,
  // An XLA_FFI_Scalar.
  XLA_FFI_AttrType_SCALAR = 3,
  // An XLA_FFI_ByteSpan.
  XLA_FFI_AttrType_STRING = 4,
} XLA_FFI_AttrType;

// The attributes of a call, sorted by name.
struct XLA_FFI_Attrs {
  size_t struct_size;
  XLA_FFI_InternalExtension* extension_start;
  // How many there are.
  int64_t size;
  // The kind of each.
  XLA_FFI_AttrType* types;
  // The name of each.
  XLA_FFI_ByteSpan** names;
  // Where each is; its kind determines its struct.
  void** attrs;
};
XLA_FFI_DEFINE_STRUCT_TRAITS(XLA_FFI_Attrs, attrs);

// The moments at which XLA calls a handler. A handler is registered for some of
// them.
typedef enum XLA_FFI_ExecutionStage {
  // Once for each loaded program. There are attributes, but no arguments and no
  // results.
  XLA_FFI_ExecutionStage_INSTANTIATE = 0,
  // Before an execution, to ask for resources.
  XLA_FFI_ExecutionStage_PREPARE = 1,
  // Before the first operation of an execution, on each device.
  XLA_FFI_ExecutionStage_INITIALIZE = 2,
  // The call itself.
  XLA_FFI_ExecutionStage_EXECUTE = 3,
  // While operations are recorded, to be replayed later.
  XLA_FFI_ExecutionStage_RECORD = 4,
} XLA_FFI_ExecutionStage;

typedef struct XLA_FFI_Api XLA_FFI_Api;

// All that a handler is given. It belongs to XLA and is valid until the handler
// returns.
struct XLA_FFI_CallFrame {
  size_t struct_size;
  XLA_FFI_InternalExtension* extension_start;
  // The table of the XLA that calls.
  const XLA_FFI_Api* api;
  // The call, to be passed to functions of the table.
  XLA_FFI_InvokeContext* ctx;
  // Why the handler is called.
  XLA_FFI_ExecutionStage stage;
  // The arguments.
  XLA_FFI_Args args;
  // The results.
  XLA_FFI_Rets rets;
  // The attributes.
  XLA_FFI_Attrs attrs;
  // Set by a handler whose work goes on after it has returned; left alone
  // otherwise. XLA_FFI_CallFrame_STRUCT_SIZE ends before it, so test the
  // struct_size of the frame first.
  XLA_FFI_Future* future;  // out
};
XLA_FFI_DEFINE_STRUCT_TRAITS(XLA_FFI_CallFrame, attrs);

// A handler: returns null on success, and otherwise an error, which XLA owns.
// It may be called on any thread, several at a time. When an
// XLA_FFI_Metadata_Extension is attached to the frame, the handler fills that
// in and does nothing else.
typedef XLA_FFI_Error* XLA_FFI_Handler(XLA_FFI_CallFrame* call_frame);

// The handlers of a custom call, one for each stage. Only execute is needed;
// the others may be null.
typedef struct XLA_FFI_Handler_Bundle {
  // Called when a program is loaded.
  XLA_FFI_Handler* instantiate;
  // Called before an execution.
  XLA_FFI_Handler* prepare;
  // Called before the first operation of an execution.
  XLA_FFI_Handler* initialize;
  // Called for the operation itself.
  XLA_FFI_Handler* execute;
  // Called while operations are recorded.
  XLA_FFI_Handler* record;
} XLA_FFI_Handler_Bundle;

// What a handler promises. The values are bits and can be combined.
enum XLA_FFI_Handler_TraitsBits {
  // The handler may be recorded once and replayed many times, as GPU command
  // buffers do.
  XLA_FFI_HANDLER_TRAITS_COMMAND_BUFFER_COMPATIBLE = 1,
};

// Bits of XLA_FFI_Handler_TraitsBits.
typedef uint32_t XLA_FFI_Handler_Traits;

// The arguments of XLA_FFI_Handler_Register.
struct XLA_FFI_Handler_Register_Args {
  size_t struct_size;
  XLA_FFI_InternalExtension* extension_start;
  // The name by which programs call them.
  XLA_FFI_ByteSpan name;
  // The platform that they are for, such as Host or CUDA.
  XLA_FFI_ByteSpan platform;
  // The handlers. They must stay callable: nothing unregisters them.
  XLA_FFI_Handler_Bundle bundle;
  // What the handlers promise; zero for nothing.
  XLA_FFI_Handler_Traits traits;
};
XLA_FFI_DEFINE_STRUCT_TRAITS(XLA_FFI_Handler_Register_Args, traits);

// Registers handlers for a custom call, in the whole process.
typedef XLA_FFI_Error* XLA_FFI_Handler_Register(
    XLA_FFI_Handler_Register_Args* args);

// The arguments of XLA_FFI_Type_Register.
struct XLA_FFI_Type_Register_Args {
  size_t struct_size;
  XLA_FFI_InternalExtension* extension_start;
  // The name of the type, unique in the process.
  XLA_FFI_ByteSpan name;
  // Zero asks for an id, which is stored here. Any other number asks for that
  // id; it is an error when the name has another one.
  XLA_FFI_TypeId* type_id;  // in/out
  // How to treat values of the type.
  const XLA_FFI_TypeInfo* type_info;
};
XLA_FFI_DEFINE_STRUCT_TRAITS(XLA_FFI_Type_Register_Args, type_id);

// Gives an id to a type that the program defines.
typedef XLA_FFI_Error* XLA_FFI_Type_Register(XLA_FFI_Type_Register_Args* args);

// The arguments of XLA_FFI_InvokeContext_FindExtension.
struct XLA_FFI_InvokeContext_FindExtension_Args {
  size_t struct_size;
  XLA_FFI_InternalExtension* extension_start;
  XLA_FFI_InvokeContext* ctx;
  // The number of the extension.
  int64_t extension_type;
  // The extension, valid as long as the call; null when the runtime does not
  // have it.
  const XLA_FFI_Extension* extension;  // out
};
XLA_FFI_DEFINE_STRUCT_TRAITS(XLA_FFI_InvokeContext_FindExtension_Args,
                             extension);

// Looks for something that the runtime offers besides the table.
typedef XLA_FFI_Error* XLA_FFI_InvokeContext_FindExtension(
    XLA_FFI_InvokeContext_FindExtension_Args* args);

// The arguments of XLA_FFI_InvokeContext_Get.
struct XLA_FFI_InvokeContext_Get_Args {
  size_t struct_size;
  XLA_FFI_InternalExtension* extension_start;
  XLA_FFI_InvokeContext* ctx;
  // The id of its type.
  XLA_FFI_TypeId* type_id;
  // The value, borrowed. It is an error when there is none of that type.
  void* data;  // out
};
XLA_FFI_DEFINE_STRUCT_TRAITS(XLA_FFI_InvokeContext_Get_Args, data);

// Returns a value that the caller of the program has put into its execute
// context.
typedef XLA_FFI_Error* XLA_FFI_InvokeContext_Get(
    XLA_FFI_InvokeContext_Get_Args* args);

// The arguments of XLA_FFI_CustomOptions_Get.
struct XLA_FFI_CustomOptions_Get_Args {
  size_t struct_size;
  XLA_FFI_InternalExtension* extension_start;
  XLA_FFI_InvokeContext* ctx;
  // The options, lent to the handler for the call. There are none if the caller
  // gave none; the pointer is not null then.
  const XLA_FFI_Attrs* attrs;  // out
};
XLA_FFI_DEFINE_STRUCT_TRAITS(XLA_FFI_CustomOptions_Get_Args, attrs);

// Gives a handler the custom options of the execution that calls it, which are
// separate from the attributes of the call and cannot be changed.
typedef XLA_FFI_Error* XLA_FFI_CustomOptions_Get(
    XLA_FFI_CustomOptions_Get_Args* args);

// The arguments of XLA_FFI_State_Set.
struct XLA_FFI_State_Set_Args {
  size_t struct_size;
  XLA_FFI_InternalExtension* extension_start;
  XLA_FFI_InvokeContext* ctx;
  // The stage that the state belongs to.
  XLA_FFI_ExecutionStage stage;
  // The id of its type.
  XLA_FFI_TypeId* type_id;
  // The value. XLA owns it from here on.
  void* state;
};
XLA_FFI_DEFINE_STRUCT_TRAITS(XLA_FFI_State_Set_Args, state);

// Keeps a value for later stages of the same custom call. XLA frees it with the
// deleter of its type. Setting a state twice is an error.
typedef XLA_FFI_Error* XLA_FFI_State_Set(XLA_FFI_State_Set_Args* args);

// The arguments of XLA_FFI_State_Get.
struct XLA_FFI_State_Get_Args {
  size_t struct_size;
  XLA_FFI_InternalExtension* extension_start;
  XLA_FFI_InvokeContext* ctx;
  // The stage that the state belongs to.
  XLA_FFI_ExecutionStage stage;
  // The id of its type.
  XLA_FFI_TypeId* type_id;
  // The value, borrowed. It is an error when there is none of that type.
  void* state;  // out
};
XLA_FFI_DEFINE_STRUCT_TRAITS(XLA_FFI_State_Get_Args, state);

// Returns the value that an earlier stage has kept.
typedef XLA_FFI_Error* XLA_FFI_State_Get(XLA_FFI_State_Get_Args* args);

// The arguments of XLA_FFI_Stream_Get.
struct XLA_FFI_Stream_Get_Args {
  size_t struct_size;
  XLA_FFI_InternalExtension* extension_start;
  XLA_FFI_InvokeContext* ctx;
  // The stream as the platform knows it, a CUstream with CUDA.
  void* stream;  // out
};
XLA_FFI_DEFINE_STRUCT_TRAITS(XLA_FFI_Stream_Get_Args, stream);

// Returns the stream on which the operation has to put its work, on platforms
// that have streams.
typedef XLA_FFI_Error* XLA_FFI_Stream_Get(XLA_FFI_Stream_Get_Args* args);

// The arguments of XLA_FFI_DeviceMemory_Allocate.
struct XLA_FFI_DeviceMemory_Allocate_Args {
  size_t struct_size;
  XLA_FFI_InternalExtension* extension_start;
  XLA_FFI_InvokeContext* ctx;
  // How many bytes.
  size_t size;
  // The alignment: the address is a multiple of it.
  size_t alignment;
  // The memory. Free it with XLA_FFI_DeviceMemory_Free; XLA frees what is left
  // when the call ends.
  void* data;  // out
};
XLA_FFI_DEFINE_STRUCT_TRAITS(XLA_FFI_DeviceMemory_Allocate_Args, data);

// Allocates device memory for the time of the call. It may fail for lack of
// memory.
typedef XLA_FFI_Error* XLA_FFI_DeviceMemory_Allocate(
    XLA_FFI_DeviceMemory_Allocate_Args* args);

// The arguments of XLA_FFI_DeviceMemory_Free.
struct XLA_FFI_DeviceMemory_Free_Args {
  size_t struct_size;
  XLA_FFI_InternalExtension* extension_start;
  XLA_FFI_InvokeContext* ctx;
  // How many bytes were asked for.
  size_t size;
  // The memory.
  void* data;
};
XLA_FFI_DEFINE_STRUCT_TRAITS(XLA_FFI_DeviceMemory_Free_Args, data);

// Frees device memory.
typedef XLA_FFI_Error* XLA_FFI_DeviceMemory_Free(
    XLA_FFI_DeviceMemory_Free_Args* args);

// Work for XLA's threads. The argument is what was given when it was scheduled.
typedef void XLA_FFI_Task(void* data);

// The arguments of XLA_FFI_ThreadPool_Schedule.
struct XLA_FFI_ThreadPool_Schedule_Args {
  size_t struct_size;
  XLA_FFI_InternalExtension* extension_start;
  XLA_FFI_InvokeContext* ctx;
  // The function to run.
  XLA_FFI_Task* task;
  // Passed on to the task unchanged.
  void* data;
};
XLA_FFI_DEFINE_STRUCT_TRAITS(XLA_FFI_ThreadPool_Schedule_Args, data);

// Runs a task on one of XLA's threads. Returns at once; the handler must wait
// for its tasks, or store a future.
typedef XLA_FFI_Error* XLA_FFI_ThreadPool_Schedule(
    XLA_FFI_ThreadPool_Schedule_Args* args);

// The arguments of XLA_FFI_ThreadPool_NumThreads.
struct XLA_FFI_ThreadPool_NumThreads_Args {
  size_t struct_size;
  XLA_FFI_InternalExtension* extension_start;
  XLA_FFI_InvokeContext* ctx;
  // Where the number goes; the caller provides the memory.
  int64_t* num_threads;  // out
};
XLA_FFI_DEFINE_STRUCT_TRAITS(XLA_FFI_ThreadPool_NumThreads_Args, num_threads);

// Returns how many threads XLA has for tasks.
typedef XLA_FFI_Error* XLA_FFI_ThreadPool_NumThreads(
    XLA_FFI_ThreadPool_NumThreads_Args* args);

// The arguments of XLA_FFI_RunId_Get.
struct XLA_FFI_RunId_Get_Args {
  size_t struct_size;
  XLA_FFI_InternalExtension* extension_start;
  XLA_FFI_InvokeContext* ctx;
  // The number.
  int64_t run_id;  // out
};
XLA_FFI_DEFINE_STRUCT_TRAITS(XLA_FFI_RunId_Get_Args, run_id);

// Returns a number that all devices of one execution have in common, and no
// other execution has.
typedef XLA_FFI_Error* XLA_FFI_RunId_Get(XLA_FFI_RunId_Get_Args* args);

// The arguments of XLA_FFI_DeviceOrdinal_Get.
struct XLA_FFI_DeviceOrdinal_Get_Args {
  size_t struct_size;
  XLA_FFI_InternalExtension* extension_start;
  XLA_FFI_InvokeContext* ctx;
  // The number of the device in this process.
  int32_t device_ordinal;  // out
};
XLA_FFI_DEFINE_STRUCT_TRAITS(XLA_FFI_DeviceOrdinal_Get_Args, device_ordinal);

// Returns the device on which the operation runs.
typedef XLA_FFI_Error* XLA_FFI_DeviceOrdinal_Get(
    XLA_FFI_DeviceOrdinal_Get_Args* args);

// What a handler says about itself.
struct XLA_FFI_Metadata {
  size_t struct_size;
  // The version of the interface that the handler speaks.
  XLA_FFI_Api_Version api_version;
  // What the handlers promise; zero for nothing.
  XLA_FFI_Handler_Traits traits;
  // The type of the state that the handler keeps; zero for none.
  // XLA_FFI_Metadata_STRUCT_SIZE ends before it.
  XLA_FFI_TypeId state_type_id;
};
XLA_FFI_DEFINE_STRUCT_TRAITS(XLA_FFI_Metadata, traits);

// Attached to a call frame when XLA asks a handler about itself instead of
// calling it.
struct XLA_FFI_Metadata_Extension {
  // The node of the chain.
  XLA_FFI_InternalExtension extension_base;
  // Where the handler stores its answer.
  XLA_FFI_Metadata* metadata;
};
XLA_FFI_DEFINE_STRUCT_TRAITS(XLA_FFI_Metadata_Extension, metadata);

// The table through which a handler calls XLA. It belongs to XLA and lives as
// long as the process. Functions past its struct_size do not exist.
struct XLA_FFI_Api {
  size_t struct_size;
  XLA_FFI_InternalExtension* extension_start;
  // The version of the interface that XLA speaks.
  XLA_FFI_Api_Version api_version;
  // For handlers that are built together with XLA.
  const XLA_FFI_InternalApi* internal_api;

// Each slot is named after its function type.
#define _XLA_FFI_API_STRUCT_FIELD(fn_type) fn_type* fn_type

  _XLA_FFI_API_STRUCT_FIELD(XLA_FFI_Error_Create);
  _XLA_FFI_API_STRUCT_FIELD(XLA_FFI_Error_GetDetails);
  _XLA_FFI_API_STRUCT_FIELD(XLA_FFI_Error_Destroy);
  _XLA_FFI_API_STRUCT_FIELD(XLA_FFI_Handler_Register);
  _XLA_FFI_API_STRUCT_FIELD(XLA_FFI_Stream_Get);
  _XLA_FFI_API_STRUCT_FIELD(XLA_FFI_Type_Register);
  _XLA_FFI_API_STRUCT_FIELD(XLA_FFI_InvokeContext_Get);
  _XLA_FFI_API_STRUCT_FIELD(XLA_FFI_State_Set);
  _XLA_FFI_API_STRUCT_FIELD(XLA_FFI_State_Get);
  _XLA_FFI_API_STRUCT_FIELD(XLA_FFI_DeviceMemory_Allocate);
  _XLA_FFI_API_STRUCT_FIELD(XLA_FFI_DeviceMemory_Free);
  _XLA_FFI_API_STRUCT_FIELD(XLA_FFI_ThreadPool_Schedule);
  _XLA_FFI_API_STRUCT_FIELD(XLA_FFI_ThreadPool_NumThreads);
  _XLA_FFI_API_STRUCT_FIELD(XLA_FFI_Future_Create);
  _XLA_FFI_API_STRUCT_FIELD(XLA_FFI_Future_SetAvailable);
  _XLA_FFI_API_STRUCT_FIELD(XLA_FFI_Future_SetError);
  _XLA_FFI_API_STRUCT_FIELD(XLA_FFI_RunId_Get);
  _XLA_FFI_API_STRUCT_FIELD(XLA_FFI_DeviceOrdinal_Get);
  _XLA_FFI_API_STRUCT_FIELD(XLA_FFI_InvokeContext_FindExtension);
  _XLA_FFI_API_STRUCT_FIELD(XLA_FFI_CustomOptions_Get);

#undef _XLA_FFI_API_STRUCT_FIELD
};
XLA_FFI_DEFINE_STRUCT_TRAITS(XLA_FFI_Api, XLA_FFI_CustomOptions_Get);

// Returns the FFI table of the XLA that is linked into the program. Handlers in
// other libraries find the table in their call frame.
const XLA_FFI_Api* XLA_FFI_GetApi();

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // XLA_FFI_API_C_API_H_
