// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// A plugin as it is early in its making: it has 31 functions, with which a client uploads
// and downloads arrays, and no compiler. Its one device is the memory of the host, and
// everything is done when a function returns. The other functions are what OTHERS says:
// STUBS, which return UNIMPLEMENTED, or NULLS.

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "xla/pjrt/c/pjrt_c_api.h"

#define STUBS 0
#define NULLS 1

#define MOST_DIMS 16

typedef struct {
  PJRT_Error base;
  PJRT_Error_Code code;
  const char* message;
} early_error;

struct PJRT_Event {
  int unused;
};

struct PJRT_DeviceDescription {
  int id;
};

struct PJRT_Device {
  PJRT_DeviceDescription description;
};

struct PJRT_Client {
  PJRT_Device device;
  PJRT_Device* devices[1];
};

struct PJRT_Buffer {
  PJRT_Buffer_Type type;
  size_t num_dims;
  int64_t dims[MOST_DIMS];
  size_t size;
  char* data;
};

static const char* text(const char* s, size_t* size) {
  *size = strlen(s);
  return s;
}

static void destroy(PJRT_Error* error) { free(error); }

static void message(const PJRT_Error* error, const char** message, size_t* size) {
  *message = text(((const early_error*)error)->message, size);
}

static PJRT_Error_Code code(const PJRT_Error* error) { return ((const early_error*)error)->code; }

static void payloads(const PJRT_Error* error, PJRT_Error_PayloadVisitor visitor, void* arg) {
  (void)error, (void)visitor, (void)arg;
}

static const struct PJRT_Error_FunctionTable functions = {
    .struct_size = PJRT_Error_FunctionTable_STRUCT_SIZE,
    .instance_size = sizeof(early_error),
    .destroy = destroy,
    .message = message,
    .get_code = code,
    .for_each_payload = payloads,
};

static PJRT_Error* fail(PJRT_Error_Code code, const char* message) {
  early_error* error = malloc(sizeof *error);
  error->base.vtable = &functions;
  error->code = code;
  error->message = message;
  return &error->base;
}

// A caller that is older than the function it calls is sent away.
#define SIZED(name) \
  if (args->struct_size < name##_Args_STRUCT_SIZE) return fail(PJRT_Error_Code_INVALID_ARGUMENT, #name ": struct_size is too small")

static PJRT_Error* unimplemented(void* args) {
  (void)args;
  return fail(PJRT_Error_Code_UNIMPLEMENTED, "not yet");
}

static void error_destroy(PJRT_Error_Destroy_Args* args) { destroy(args->error); }

static void error_message(PJRT_Error_Message_Args* args) { message(args->error, &args->message, &args->message_size); }

static PJRT_Error* error_code(PJRT_Error_GetCode_Args* args) {
  SIZED(PJRT_Error_GetCode);
  args->code = code(args->error);
  return NULL;
}

static PJRT_Error* error_payloads(PJRT_Error_ForEachPayload_Args* args) {
  SIZED(PJRT_Error_ForEachPayload);
  if (!args->visitor) return fail(PJRT_Error_Code_INVALID_ARGUMENT, "no visitor");
  payloads(args->error, args->visitor, args->user_arg);
  return NULL;
}

static PJRT_Error* initialize(PJRT_Plugin_Initialize_Args* args) {
  SIZED(PJRT_Plugin_Initialize);
  return NULL;
}

static PJRT_Error* attributes(PJRT_Plugin_Attributes_Args* args) {
  SIZED(PJRT_Plugin_Attributes);
  args->attributes = NULL;
  args->num_attributes = 0;
  return NULL;
}

static PJRT_Error* event_destroy(PJRT_Event_Destroy_Args* args) {
  SIZED(PJRT_Event_Destroy);
  free(args->event);
  return NULL;
}

static PJRT_Error* event_ready(PJRT_Event_IsReady_Args* args) {
  SIZED(PJRT_Event_IsReady);
  args->is_ready = true;
  return NULL;
}

static PJRT_Error* event_error(PJRT_Event_Error_Args* args) {
  SIZED(PJRT_Event_Error);
  return NULL;
}

static PJRT_Error* event_await(PJRT_Event_Await_Args* args) {
  SIZED(PJRT_Event_Await);
  return NULL;
}

static PJRT_Error* event_on_ready(PJRT_Event_OnReady_Args* args) {
  SIZED(PJRT_Event_OnReady);
  args->callback(NULL, args->user_arg);
  return NULL;
}

static PJRT_Event* ready(void) { return calloc(1, sizeof(PJRT_Event)); }

static PJRT_Error* client_create(PJRT_Client_Create_Args* args) {
  SIZED(PJRT_Client_Create);
  if (args->num_options > 0) return fail(PJRT_Error_Code_INVALID_ARGUMENT, "no create option is known");
  PJRT_Client* client = calloc(1, sizeof *client);
  client->devices[0] = &client->device;
  args->client = client;
  return NULL;
}

static PJRT_Error* client_destroy(PJRT_Client_Destroy_Args* args) {
  SIZED(PJRT_Client_Destroy);
  free(args->client);
  return NULL;
}

static PJRT_Error* client_platform(PJRT_Client_PlatformName_Args* args) {
  SIZED(PJRT_Client_PlatformName);
  args->platform_name = text("early", &args->platform_name_size);
  return NULL;
}

static PJRT_Error* client_version(PJRT_Client_PlatformVersion_Args* args) {
  SIZED(PJRT_Client_PlatformVersion);
  args->platform_version = text("0.1", &args->platform_version_size);
  return NULL;
}

static PJRT_Error* client_process(PJRT_Client_ProcessIndex_Args* args) {
  SIZED(PJRT_Client_ProcessIndex);
  args->process_index = 0;
  return NULL;
}

static PJRT_Error* client_devices(PJRT_Client_Devices_Args* args) {
  SIZED(PJRT_Client_Devices);
  args->devices = args->client->devices;
  args->num_devices = 1;
  return NULL;
}

static PJRT_Error* client_addressable(PJRT_Client_AddressableDevices_Args* args) {
  SIZED(PJRT_Client_AddressableDevices);
  args->addressable_devices = args->client->devices;
  args->num_addressable_devices = 1;
  return NULL;
}

static PJRT_Error* device_description(PJRT_Device_GetDescription_Args* args) {
  SIZED(PJRT_Device_GetDescription);
  args->device_description = &args->device->description;
  return NULL;
}

static PJRT_Error* device_addressable(PJRT_Device_IsAddressable_Args* args) {
  SIZED(PJRT_Device_IsAddressable);
  args->is_addressable = true;
  return NULL;
}

static PJRT_Error* description_id(PJRT_DeviceDescription_Id_Args* args) {
  SIZED(PJRT_DeviceDescription_Id);
  args->id = args->device_description->id;
  return NULL;
}

static PJRT_Error* description_process(PJRT_DeviceDescription_ProcessIndex_Args* args) {
  SIZED(PJRT_DeviceDescription_ProcessIndex);
  args->process_index = 0;
  return NULL;
}

static PJRT_Error* description_kind(PJRT_DeviceDescription_Kind_Args* args) {
  SIZED(PJRT_DeviceDescription_Kind);
  args->device_kind = text("early", &args->device_kind_size);
  return NULL;
}

static PJRT_Error* description_debug(PJRT_DeviceDescription_DebugString_Args* args) {
  SIZED(PJRT_DeviceDescription_DebugString);
  args->debug_string = text("early device 0", &args->debug_string_size);
  return NULL;
}

static PJRT_Error* description_string(PJRT_DeviceDescription_ToString_Args* args) {
  SIZED(PJRT_DeviceDescription_ToString);
  args->to_string = text("EarlyDevice(id=0)", &args->to_string_size);
  return NULL;
}

static size_t size_of(PJRT_Buffer_Type type) {
  switch (type) {
    case PJRT_Buffer_Type_PRED:
    case PJRT_Buffer_Type_S8:
    case PJRT_Buffer_Type_U8:
      return 1;
    case PJRT_Buffer_Type_S16:
    case PJRT_Buffer_Type_U16:
    case PJRT_Buffer_Type_F16:
    case PJRT_Buffer_Type_BF16:
      return 2;
    case PJRT_Buffer_Type_S32:
    case PJRT_Buffer_Type_U32:
    case PJRT_Buffer_Type_F32:
      return 4;
    case PJRT_Buffer_Type_S64:
    case PJRT_Buffer_Type_U64:
    case PJRT_Buffer_Type_F64:
    case PJRT_Buffer_Type_C64:
      return 8;
    case PJRT_Buffer_Type_C128:
      return 16;
    default:
      return 0;
  }
}

// Copies an array between two orders of its elements, whose strides are in bytes.
static void copy(char* to, const int64_t* to_strides, const char* from, const int64_t* from_strides, const int64_t* dims, size_t n,
                 size_t item) {
  if (n == 0) {
    memcpy(to, from, item);
    return;
  }
  for (int64_t i = 0; i < dims[0]; i++) {
    copy(to + i * to_strides[0], to_strides + 1, from + i * from_strides[0], from_strides + 1, dims + 1, n - 1, item);
  }
}

static void dense(const int64_t* dims, size_t n, size_t item, int64_t* strides) {
  for (size_t i = n; i-- > 0;) {
    strides[i] = item;
    item *= dims[i];
  }
}

static PJRT_Error* upload(PJRT_Client_BufferFromHostBuffer_Args* args) {
  SIZED(PJRT_Client_BufferFromHostBuffer);
  size_t item = size_of(args->type), size = item;
  if (item == 0) return fail(PJRT_Error_Code_UNIMPLEMENTED, "this element type");
  if (args->num_dims > MOST_DIMS) return fail(PJRT_Error_Code_INVALID_ARGUMENT, "too many dimensions");
  if (args->device_layout) return fail(PJRT_Error_Code_UNIMPLEMENTED, "layouts of devices");
  if (args->memory) return fail(PJRT_Error_Code_UNIMPLEMENTED, "memories");
  if (!args->device) return fail(PJRT_Error_Code_INVALID_ARGUMENT, "no device");
  if (args->device != &args->client->device) return fail(PJRT_Error_Code_INVALID_ARGUMENT, "a device of another client");
  if ((unsigned)args->host_buffer_semantics > PJRT_HostBufferSemantics_kMutableZeroCopy) {
    return fail(PJRT_Error_Code_INVALID_ARGUMENT, "unknown host_buffer_semantics");
  }
  for (size_t i = 0; i < args->num_dims; i++) {
    if (args->dims[i] < 0) return fail(PJRT_Error_Code_INVALID_ARGUMENT, "a negative dimension");
    if (__builtin_mul_overflow(size, (size_t)args->dims[i], &size)) return fail(PJRT_Error_Code_RESOURCE_EXHAUSTED, "too large");
  }
  if (size > 0 && !args->data) return fail(PJRT_Error_Code_INVALID_ARGUMENT, "no data");
  if (args->num_byte_strides > 0 && args->num_byte_strides != args->num_dims) {
    return fail(PJRT_Error_Code_INVALID_ARGUMENT, "as many strides as dimensions, or none");
  }
  char* data = malloc(size + 1);
  if (!data) return fail(PJRT_Error_Code_RESOURCE_EXHAUSTED, "out of memory");
  PJRT_Buffer* buffer = calloc(1, sizeof *buffer);
  buffer->type = args->type;
  buffer->num_dims = args->num_dims;
  if (args->num_dims > 0) memcpy(buffer->dims, args->dims, args->num_dims * sizeof *args->dims);
  buffer->size = size;
  buffer->data = data;
  int64_t strides[MOST_DIMS];
  dense(buffer->dims, buffer->num_dims, item, strides);
  if (size > 0) {
    copy(data, strides, args->data, args->num_byte_strides > 0 ? args->byte_strides : strides, buffer->dims, buffer->num_dims, item);
  }
  args->buffer = buffer;
  args->done_with_host_buffer = ready();
  return NULL;
}

static PJRT_Error* download(PJRT_Buffer_ToHostBuffer_Args* args) {
  SIZED(PJRT_Buffer_ToHostBuffer);
  PJRT_Buffer* buffer = args->src;
  size_t item = size_of(buffer->type), size = item;
  int64_t from[MOST_DIMS], to[MOST_DIMS];
  dense(buffer->dims, buffer->num_dims, item, from);
  memcpy(to, from, sizeof to);
  if (args->host_layout && args->host_layout->type == PJRT_Buffer_MemoryLayout_Type_Strides) {
    return fail(PJRT_Error_Code_UNIMPLEMENTED, "layouts with strides");
  }
  if (args->host_layout) {
    const PJRT_Buffer_MemoryLayout_Tiled* order = &args->host_layout->tiled;
    if (order->num_tiles > 0) return fail(PJRT_Error_Code_UNIMPLEMENTED, "layouts with tiles");
    if (order->minor_to_major_size != buffer->num_dims) return fail(PJRT_Error_Code_INVALID_ARGUMENT, "a layout of another rank");
    for (size_t i = 0; i < buffer->num_dims; i++) {
      int64_t dim = order->minor_to_major[i];
      if (dim < 0 || (size_t)dim >= buffer->num_dims) return fail(PJRT_Error_Code_INVALID_ARGUMENT, "no such dimension");
      to[dim] = size;
      size *= buffer->dims[dim];
    }
  }
  if (!args->dst) {
    args->dst_size = buffer->size;
    return NULL;
  }
  if (args->dst_size < buffer->size) return fail(PJRT_Error_Code_INVALID_ARGUMENT, "the destination is too small");
  if (buffer->size > 0) copy(args->dst, to, buffer->data, from, buffer->dims, buffer->num_dims, item);
  args->event = ready();
  return NULL;
}

static PJRT_Error* buffer_destroy(PJRT_Buffer_Destroy_Args* args) {
  SIZED(PJRT_Buffer_Destroy);
  if (args->buffer) free(args->buffer->data);
  free(args->buffer);
  return NULL;
}

static PJRT_Error* buffer_dims(PJRT_Buffer_Dimensions_Args* args) {
  SIZED(PJRT_Buffer_Dimensions);
  args->dims = args->buffer->dims;
  args->num_dims = args->buffer->num_dims;
  return NULL;
}

static PJRT_Error* buffer_type(PJRT_Buffer_ElementType_Args* args) {
  SIZED(PJRT_Buffer_ElementType);
  args->type = args->buffer->type;
  return NULL;
}

static PJRT_Error* buffer_ready(PJRT_Buffer_ReadyEvent_Args* args) {
  SIZED(PJRT_Buffer_ReadyEvent);
  args->event = ready();
  return NULL;
}

static PJRT_Api table;

// Fills the table in once: threads use it while others ask for it again.
__attribute__((constructor)) static void fill(void) {
  PJRT_Error* (**slots)(void*) = (PJRT_Error * (**)(void*)) & table.PJRT_Error_Destroy;
  size_t count = (PJRT_Api_STRUCT_SIZE - offsetof(PJRT_Api, PJRT_Error_Destroy)) / sizeof *slots;
  for (size_t i = 0; i < count; i++) slots[i] = OTHERS == NULLS ? NULL : unimplemented;
  table.struct_size = PJRT_Api_STRUCT_SIZE;
  table.pjrt_api_version.struct_size = PJRT_Api_Version_STRUCT_SIZE;
  table.pjrt_api_version.major_version = PJRT_API_MAJOR;
  table.pjrt_api_version.minor_version = PJRT_API_MINOR;
  table.PJRT_Error_Destroy = error_destroy;
  table.PJRT_Error_Message = error_message;
  table.PJRT_Error_GetCode = error_code;
  table.PJRT_Error_ForEachPayload = error_payloads;
  table.PJRT_Plugin_Initialize = initialize;
  table.PJRT_Plugin_Attributes = attributes;
  table.PJRT_Event_Destroy = event_destroy;
  table.PJRT_Event_IsReady = event_ready;
  table.PJRT_Event_Error = event_error;
  table.PJRT_Event_Await = event_await;
  table.PJRT_Event_OnReady = event_on_ready;
  table.PJRT_Client_Create = client_create;
  table.PJRT_Client_Destroy = client_destroy;
  table.PJRT_Client_PlatformName = client_platform;
  table.PJRT_Client_PlatformVersion = client_version;
  table.PJRT_Client_ProcessIndex = client_process;
  table.PJRT_Client_Devices = client_devices;
  table.PJRT_Client_AddressableDevices = client_addressable;
  table.PJRT_Device_GetDescription = device_description;
  table.PJRT_Device_IsAddressable = device_addressable;
  table.PJRT_DeviceDescription_Id = description_id;
  table.PJRT_DeviceDescription_ProcessIndex = description_process;
  table.PJRT_DeviceDescription_Kind = description_kind;
  table.PJRT_DeviceDescription_DebugString = description_debug;
  table.PJRT_DeviceDescription_ToString = description_string;
  table.PJRT_Client_BufferFromHostBuffer = upload;
  table.PJRT_Buffer_ToHostBuffer = download;
  table.PJRT_Buffer_Destroy = buffer_destroy;
  table.PJRT_Buffer_Dimensions = buffer_dims;
  table.PJRT_Buffer_ElementType = buffer_type;
  table.PJRT_Buffer_ReadyEvent = buffer_ready;
}

const PJRT_Api* GetPjrtApi(void) { return &table; }
