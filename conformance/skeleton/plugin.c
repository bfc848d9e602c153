// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// A small, complete PJRT plugin in C: one device, which is the host's memory, and a compiler that
// is an interpreter. Copy both files, and replace the device and the interpreter by yours.
//
//   cc -O3 -shared -fPIC -fvisibility=hidden -I third_party/xla plugin.c interpreter.c -lm -o plugin.so
//
// Its parts are in the order in which they let more checks of the suite run. Everything happens
// before a call returns, so every event is ready from the start; a plugin with queues must keep
// arguments alive and make events complete later.

#include <pthread.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "interpreter.h"
#include "xla/pjrt/c/pjrt_c_api.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

// Older callers send shorter structs, newer ones longer structs. A function must not touch fields
// beyond struct_size.
#define NEEDS(args, field)                                                                       \
  if ((args)->struct_size < offsetof(__typeof__(*(args)), field) + sizeof((args)->field))        \
    return fail(PJRT_Error_Code_INVALID_ARGUMENT, "%s: struct_size %zu ends before " #field,     \
                __func__, (args)->struct_size)

#define REFUSE_NULL(pointer) \
  if (!(pointer)) return fail(PJRT_Error_Code_INVALID_ARGUMENT, "%s: " #pointer " is null", __func__)

// ---- 1. The table and errors ----

// Since 0.107 an error begins with a table of its functions.
typedef struct {
  PJRT_Error base;
  PJRT_Error_Code code;
  char message[256];
} Error;

static void destroy_error(PJRT_Error* e) { free(e); }

static void error_message(const PJRT_Error* e, const char** message, size_t* size) {
  *message = ((const Error*)e)->message;
  *size = strlen(*message);
}

static PJRT_Error_Code error_code(const PJRT_Error* e) { return ((const Error*)e)->code; }

static void no_payloads(const PJRT_Error* e, PJRT_Error_PayloadVisitor visit, void* arg) {}

static const struct PJRT_Error_FunctionTable error_functions = {
    .struct_size = PJRT_Error_FunctionTable_STRUCT_SIZE,
    .instance_size = PJRT_Error_STRUCT_SIZE,
    .destroy = destroy_error,
    .message = error_message,
    .get_code = error_code,
    .for_each_payload = no_payloads,
};

__attribute__((format(printf, 2, 3))) static PJRT_Error* fail(PJRT_Error_Code code, const char* format, ...) {
  Error* e = calloc(1, sizeof *e);
  e->base.vtable = &error_functions;
  e->code = code;
  va_list list;
  va_start(list, format);
  vsnprintf(e->message, sizeof e->message, format, list);
  va_end(list);
  return &e->base;
}

static void Error_Destroy(PJRT_Error_Destroy_Args* args) { destroy_error(args->error); }

static void Error_Message(PJRT_Error_Message_Args* args) {
  error_message(args->error, &args->message, &args->message_size);
}

static PJRT_Error* Error_GetCode(PJRT_Error_GetCode_Args* args) {
  NEEDS(args, code);
  args->code = error_code(args->error);
  return NULL;
}

// Every slot that nothing else fills.
static PJRT_Error* unimplemented(void* args) {
  return fail(PJRT_Error_Code_UNIMPLEMENTED, "the plugin does not have this function");
}

// ---- 2. The plugin ----

static PJRT_Error* Plugin_Initialize(PJRT_Plugin_Initialize_Args* args) { return NULL; }

// A plugin that reads portable artifacts says which versions: clients write the newest of them.
// This one reads text alone, and says nothing.
static PJRT_Error* Plugin_Attributes(PJRT_Plugin_Attributes_Args* args) {
  NEEDS(args, num_attributes);
  args->attributes = NULL;
  args->num_attributes = 0;
  return NULL;
}

// ---- 3. The client, its device and its memory ----

struct PJRT_DeviceDescription {
  int id;
};

// Since 0.105 a memory begins with a table of functions, with which callers attach data to it.
#define MAX_ATTACHED 16

typedef struct {
  PJRT_Memory base;
  PJRT_Client* client;
  struct {
    const void* key;
    void* data;
    void (*dtor)(void*);
  } attached[MAX_ATTACHED];
} Memory;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void* get_attached(struct PJRT_Memory* memory, const void* key) {
  Memory* m = (Memory*)memory;
  void* data = NULL;
  pthread_mutex_lock(&lock);
  for (int i = 0; i < MAX_ATTACHED; i++) {
    if (m->attached[i].data && m->attached[i].key == key) data = m->attached[i].data;
  }
  pthread_mutex_unlock(&lock);
  return data;
}

static void attach(struct PJRT_Memory* memory, const void* key, void* data, void (*dtor)(void*)) {
  Memory* m = (Memory*)memory;
  int at = -1;
  pthread_mutex_lock(&lock);
  for (int i = MAX_ATTACHED - 1; i >= 0; i--) {
    if (!m->attached[i].data && (at < 0 || !m->attached[at].data)) at = i;
    if (m->attached[i].data && m->attached[i].key == key) at = i;
  }
  void *old = at >= 0 ? m->attached[at].data : data, (*old_dtor)(void*) = at >= 0 ? m->attached[at].dtor : dtor;
  if (at >= 0) {
    m->attached[at].key = key;
    m->attached[at].data = data;
    m->attached[at].dtor = dtor;
  }
  pthread_mutex_unlock(&lock);
  if (old && old_dtor) old_dtor(old);
}

static const struct PJRT_Memory_FunctionTable memory_functions = {
    .struct_size = PJRT_Memory_FunctionTable_STRUCT_SIZE,
    .instance_struct_size = PJRT_Memory_STRUCT_SIZE,
    .get_user_data = get_attached,
    .set_user_data = attach,
};

struct PJRT_Device {
  PJRT_DeviceDescription description;
  PJRT_Client* client;
};

struct PJRT_Client {
  PJRT_Device device, *devices[1];
  Memory memory;
  PJRT_Memory* memories[1];
};

static PJRT_Error* Client_Create(PJRT_Client_Create_Args* args) {
  NEEDS(args, client);
  if (args->num_options > 0) {
    return fail(PJRT_Error_Code_INVALID_ARGUMENT, "there is no create option %.*s", (int)args->create_options[0].name_size,
                args->create_options[0].name);
  }
  PJRT_Client* c = calloc(1, sizeof *c);
  c->device.client = c->memory.client = c;
  c->devices[0] = &c->device;
  c->memories[0] = &c->memory.base;
  c->memory.base.vtable = &memory_functions;
  args->client = c;
  return NULL;
}

static PJRT_Error* Client_Destroy(PJRT_Client_Destroy_Args* args) {
  NEEDS(args, client);
  if (!args->client) return NULL;
  for (int i = 0; i < MAX_ATTACHED; i++) {
    if (args->client->memory.attached[i].data && args->client->memory.attached[i].dtor) {
      args->client->memory.attached[i].dtor(args->client->memory.attached[i].data);
    }
  }
  free(args->client);
  return NULL;
}

// A getter of a string that lives as long as the library.
#define TEXT(function, handle, field, size, value)                \
  static PJRT_Error* function(PJRT_##function##_Args* args) {     \
    NEEDS(args, size);                                            \
    REFUSE_NULL(args->handle);                                    \
    args->field = value;                                          \
    args->size = strlen(args->field);                             \
    return NULL;                                                  \
  }

// A getter of one value.
#define VALUE(function, handle, field, value)                     \
  static PJRT_Error* function(PJRT_##function##_Args* args) {     \
    NEEDS(args, field);                                           \
    REFUSE_NULL(args->handle);                                    \
    args->field = value;                                          \
    return NULL;                                                  \
  }

// A getter of a list.
#define LIST(function, handle, field, size, value, n)             \
  static PJRT_Error* function(PJRT_##function##_Args* args) {     \
    NEEDS(args, field);                                           \
    NEEDS(args, size);                                            \
    REFUSE_NULL(args->handle);                                    \
    args->field = value;                                          \
    args->size = n;                                               \
    return NULL;                                                  \
  }

TEXT(Client_PlatformName, client, platform_name, platform_name_size, "skeleton")
TEXT(Client_PlatformVersion, client, platform_version, platform_version_size, "1.0")
VALUE(Client_ProcessIndex, client, process_index, 0)
LIST(Client_Devices, client, devices, num_devices, args->client->devices, 1)
LIST(Client_AddressableDevices, client, addressable_devices, num_addressable_devices, args->client->devices, 1)
LIST(Client_AddressableMemories, client, addressable_memories, num_addressable_memories, args->client->memories, 1)

static PJRT_Error* Client_LookupDevice(PJRT_Client_LookupDevice_Args* args) {
  NEEDS(args, device);
  REFUSE_NULL(args->client);
  if (args->id != 0) return fail(PJRT_Error_Code_INVALID_ARGUMENT, "there is no device with the id %d", args->id);
  args->device = &args->client->device;
  return NULL;
}

static PJRT_Error* Client_LookupAddressableDevice(PJRT_Client_LookupAddressableDevice_Args* args) {
  NEEDS(args, addressable_device);
  REFUSE_NULL(args->client);
  if (args->local_hardware_id != 0) {
    return fail(PJRT_Error_Code_INVALID_ARGUMENT, "there is no device with the hardware id %d", args->local_hardware_id);
  }
  args->addressable_device = &args->client->device;
  return NULL;
}

static PJRT_Error* Client_DefaultDeviceAssignment(PJRT_Client_DefaultDeviceAssignment_Args* args) {
  NEEDS(args, default_assignment);
  REFUSE_NULL(args->client);
  if (args->num_replicas != 1 || args->num_partitions != 1) {
    return fail(PJRT_Error_Code_INVALID_ARGUMENT, "%d replicas of %d partitions need more than one device",
                args->num_replicas, args->num_partitions);
  }
  if (args->default_assignment_size < 1) {
    return fail(PJRT_Error_Code_INVALID_ARGUMENT, "default_assignment_size is 0, and 1 is needed");
  }
  args->default_assignment[0] = 0;
  return NULL;
}

VALUE(Device_GetDescription, device, device_description, &args->device->description)
VALUE(Device_IsAddressable, device, is_addressable, true)
VALUE(Device_LocalHardwareId, device, local_hardware_id, 0)
LIST(Device_AddressableMemories, device, memories, num_memories, args->device->client->memories, 1)
VALUE(Device_DefaultMemory, device, memory, &args->device->client->memory.base)

VALUE(DeviceDescription_Id, device_description, id, args->device_description->id)
VALUE(DeviceDescription_ProcessIndex, device_description, process_index, 0)
LIST(DeviceDescription_Attributes, device_description, attributes, num_attributes, NULL, 0)
TEXT(DeviceDescription_Kind, device_description, device_kind, device_kind_size, "host")
TEXT(DeviceDescription_DebugString, device_description, debug_string, debug_string_size, "skeleton device 0")
TEXT(DeviceDescription_ToString, device_description, to_string, to_string_size, "SkeletonDevice(id=0)")

VALUE(Memory_Id, memory, id, 0)
TEXT(Memory_Kind, memory, kind, kind_size, "device")
VALUE(Memory_Kind_Id, memory, kind_id, 0)
TEXT(Memory_DebugString, memory, debug_string, debug_string_size, "skeleton memory 0")
TEXT(Memory_ToString, memory, to_string, to_string_size, "SkeletonMemory(id=0)")
LIST(Memory_AddressableByDevices, memory, devices, num_devices, ((Memory*)args->memory)->client->devices, 1)

// ---- 4. Events and buffers ----

// Nothing is under way when a call returns, so an event has nothing to say but that.
struct PJRT_Event {
  char unused;
};

static PJRT_Event* ready(void) { return calloc(1, sizeof(PJRT_Event)); }

static PJRT_Error* Event_Destroy(PJRT_Event_Destroy_Args* args) {
  NEEDS(args, event);
  free(args->event);
  return NULL;
}

VALUE(Event_IsReady, event, is_ready, true)

static PJRT_Error* Event_Error(PJRT_Event_Error_Args* args) {
  NEEDS(args, event);
  REFUSE_NULL(args->event);
  return NULL;
}

static PJRT_Error* Event_Await(PJRT_Event_Await_Args* args) {
  NEEDS(args, event);
  REFUSE_NULL(args->event);
  return NULL;
}

// A plugin that calls later must hold no lock when it does: the callback may call the plugin.
static PJRT_Error* Event_OnReady(PJRT_Event_OnReady_Args* args) {
  NEEDS(args, user_arg);
  REFUSE_NULL(args->event);
  args->callback(NULL, args->user_arg);
  return NULL;
}

// Programs may read the elements of a buffer that another thread deletes, so they are counted.
struct PJRT_Buffer {
  PJRT_Client* client;
  Tensor* tensor;  // NULL once deleted
  Shape shape;
  int64_t order[MAX_RANK];  // the layout, as minor_to_major
};

// The tensor of a buffer, which the caller releases, or NULL if the buffer was deleted.
static Tensor* tensor_of(PJRT_Buffer* b) {
  pthread_mutex_lock(&lock);
  Tensor* t = b->tensor ? retain(b->tensor) : NULL;
  pthread_mutex_unlock(&lock);
  return t;
}

static void delete_buffer(PJRT_Buffer* b) {
  pthread_mutex_lock(&lock);
  Tensor* t = b->tensor;
  b->tensor = NULL;
  pthread_mutex_unlock(&lock);
  if (t) release(t);
}

static PJRT_Buffer* new_buffer(PJRT_Client* client, Tensor* t) {
  PJRT_Buffer* b = calloc(1, sizeof *b);
  b->client = client;
  b->tensor = t;
  b->shape = t->shape;
  for (int i = 0; i < t->shape.rank; i++) b->order[i] = t->shape.rank - 1 - i;
  return b;
}

// Sets the distance in bytes between neighbours of each dimension. order is minor_to_major.
static void strides_of(const Shape* s, const int64_t* order, int64_t* strides) {
  int64_t step = size_of(s->type);
  for (int i = 0; i < s->rank; i++) {
    strides[order[i]] = step;
    step *= s->dims[order[i]];
  }
}

static bool is_order(const int64_t* order, size_t rank) {
  unsigned seen = 0;
  for (size_t i = 0; i < rank; i++) {
    if (order[i] < 0 || order[i] >= (int64_t)rank || (seen & 1u << order[i])) return false;
    seen |= 1u << order[i];
  }
  return true;
}

// Copies between the dense, row-major elements of a tensor and the memory of a caller.
static void copy_strided(const Shape* s, char* dense, char* strided, const int64_t* strides, bool to_dense) {
  int64_t at[MAX_RANK] = {0}, size = size_of(s->type);
  for (int64_t n = elements(s); n > 0; n--) {
    char* p = strided;
    for (int i = 0; i < s->rank; i++) p += at[i] * strides[i];
    if (to_dense) memcpy(dense, p, size);
    else memcpy(p, dense, size);
    dense += size;
    for (int i = s->rank - 1; i >= 0 && ++at[i] == s->dims[i]; i--) at[i] = 0;
  }
}

static PJRT_Error* Client_BufferFromHostBuffer(PJRT_Client_BufferFromHostBuffer_Args* args) {
  NEEDS(args, buffer);
  REFUSE_NULL(args->client);
  Shape shape = {.type = args->type, .rank = (int)args->num_dims};
  if (size_of(args->type) == 0) {
    return fail(PJRT_Error_Code_UNIMPLEMENTED, "there are no arrays of the element type %d", args->type);
  }
  if (args->num_dims > MAX_RANK) {
    return fail(PJRT_Error_Code_UNIMPLEMENTED, "an array has at most %d dimensions, not %zu", MAX_RANK, args->num_dims);
  }
  for (int i = 0; i < shape.rank; i++) {
    shape.dims[i] = args->dims[i];
    if (shape.dims[i] < 0) return fail(PJRT_Error_Code_INVALID_ARGUMENT, "dimension %d is %ld", i, (long)shape.dims[i]);
  }
  if (args->num_byte_strides != 0 && args->num_byte_strides != args->num_dims) {
    return fail(PJRT_Error_Code_INVALID_ARGUMENT, "%zu byte strides for %zu dimensions", args->num_byte_strides, args->num_dims);
  }
  const PJRT_Buffer_MemoryLayout* layout = args->device_layout;
  if (layout && (layout->type != PJRT_Buffer_MemoryLayout_Type_Tiled || layout->tiled.num_tiles > 0)) {
    return fail(PJRT_Error_Code_UNIMPLEMENTED, "layouts with tiles or strides are not supported");
  }
  if (layout && (layout->tiled.minor_to_major_size != args->num_dims || !is_order(layout->tiled.minor_to_major, args->num_dims))) {
    return fail(PJRT_Error_Code_INVALID_ARGUMENT, "minor_to_major is no order of %zu dimensions", args->num_dims);
  }
  if (elements(&shape) > 0) REFUSE_NULL(args->data);
  Tensor* t = new_tensor(&shape);
  if (!t) return fail(PJRT_Error_Code_RESOURCE_EXHAUSTED, "no memory for %ld elements", (long)elements(&shape));
  if (args->num_byte_strides > 0) copy_strided(&shape, t->data, (char*)args->data, args->byte_strides, true);
  else if (elements(&shape) > 0) memcpy(t->data, args->data, elements(&shape) * size_of(shape.type));
  // The host's memory was copied, which is right for all host_buffer_semantics.
  args->buffer = new_buffer(args->client, t);
  if (layout) memcpy(args->buffer->order, layout->tiled.minor_to_major, shape.rank * sizeof(int64_t));
  args->done_with_host_buffer = ready();
  return NULL;
}

static PJRT_Error* Buffer_ToHostBuffer(PJRT_Buffer_ToHostBuffer_Args* args) {
  NEEDS(args, event);
  REFUSE_NULL(args->src);
  const Shape* s = &args->src->shape;
  int64_t strides[MAX_RANK], order[MAX_RANK];
  for (int i = 0; i < s->rank; i++) order[i] = s->rank - 1 - i;
  strides_of(s, order, strides);
  const PJRT_Buffer_MemoryLayout* layout = args->host_layout;
  if (layout && layout->type == PJRT_Buffer_MemoryLayout_Type_Strides) {
    return fail(PJRT_Error_Code_UNIMPLEMENTED, "host layouts with strides are not supported");
  }
  if (layout && (layout->tiled.num_tiles > 0 || layout->tiled.minor_to_major_size != (size_t)s->rank ||
                 !is_order(layout->tiled.minor_to_major, s->rank))) {
    return fail(PJRT_Error_Code_INVALID_ARGUMENT, "the host layout is no order of %d dimensions", s->rank);
  }
  if (layout) strides_of(s, layout->tiled.minor_to_major, strides);
  size_t size = elements(s) * size_of(s->type);
  if (!args->dst) {
    args->dst_size = size;
    return NULL;
  }
  if (args->dst_size < size) {
    return fail(PJRT_Error_Code_INVALID_ARGUMENT, "dst_size is %zu, and the buffer has %zu bytes", args->dst_size, size);
  }
  Tensor* t = tensor_of(args->src);
  if (!t) return fail(PJRT_Error_Code_INVALID_ARGUMENT, "the buffer was deleted");
  copy_strided(s, t->data, args->dst, strides, false);
  release(t);
  args->event = ready();
  return NULL;
}

static PJRT_Error* Buffer_Destroy(PJRT_Buffer_Destroy_Args* args) {
  NEEDS(args, buffer);
  if (args->buffer) delete_buffer(args->buffer);
  free(args->buffer);
  return NULL;
}

static PJRT_Error* Buffer_Delete(PJRT_Buffer_Delete_Args* args) {
  NEEDS(args, buffer);
  REFUSE_NULL(args->buffer);
  delete_buffer(args->buffer);
  return NULL;
}

static PJRT_Error* Buffer_IsDeleted(PJRT_Buffer_IsDeleted_Args* args) {
  NEEDS(args, is_deleted);
  REFUSE_NULL(args->buffer);
  pthread_mutex_lock(&lock);
  args->is_deleted = args->buffer->tensor == NULL;
  pthread_mutex_unlock(&lock);
  return NULL;
}

VALUE(Buffer_ElementType, buffer, type, args->buffer->shape.type)
LIST(Buffer_Dimensions, buffer, dims, num_dims, args->buffer->shape.dims, args->buffer->shape.rank)
LIST(Buffer_UnpaddedDimensions, buffer, unpadded_dims, num_dims, args->buffer->shape.dims, args->buffer->shape.rank)
LIST(Buffer_DynamicDimensionIndices, buffer, dynamic_dim_indices, num_dynamic_dims, NULL, 0)
VALUE(Buffer_Device, buffer, device, &args->buffer->client->device)
VALUE(Buffer_Memory, buffer, memory, &args->buffer->client->memory.base)
VALUE(Buffer_IsOnCpu, buffer, is_on_cpu, false)
VALUE(Buffer_OnDeviceSizeInBytes, buffer, on_device_size_in_bytes, elements(&args->buffer->shape) * size_of(args->buffer->shape.type))

static PJRT_Error* Buffer_ReadyEvent(PJRT_Buffer_ReadyEvent_Args* args) {
  NEEDS(args, event);
  REFUSE_NULL(args->buffer);
  bool deleted = false;
  pthread_mutex_lock(&lock);
  deleted = args->buffer->tensor == NULL;
  pthread_mutex_unlock(&lock);
  if (deleted) return fail(PJRT_Error_Code_INVALID_ARGUMENT, "the buffer was deleted");
  args->event = ready();
  return NULL;
}

static PJRT_Error* Buffer_GetMemoryLayout(PJRT_Buffer_GetMemoryLayout_Args* args) {
  NEEDS(args, layout);
  REFUSE_NULL(args->buffer);
  args->layout = (PJRT_Buffer_MemoryLayout){
      .struct_size = PJRT_Buffer_MemoryLayout_STRUCT_SIZE,
      .type = PJRT_Buffer_MemoryLayout_Type_Tiled,
      .tiled = {.struct_size = PJRT_Buffer_MemoryLayout_Tiled_STRUCT_SIZE,
                .minor_to_major = args->buffer->order,
                .minor_to_major_size = args->buffer->shape.rank},
  };
  return NULL;
}

// An array of another device or memory of this client is the same array here.
static PJRT_Error* copy_to(PJRT_Buffer* from, PJRT_Buffer** to) {
  Tensor* t = tensor_of(from);
  if (!t) return fail(PJRT_Error_Code_INVALID_ARGUMENT, "the buffer was deleted");
  *to = new_buffer(from->client, t);
  memcpy((*to)->order, from->order, sizeof from->order);
  return NULL;
}

static PJRT_Error* Buffer_CopyToMemory(PJRT_Buffer_CopyToMemory_Args* args) {
  NEEDS(args, dst_buffer);
  REFUSE_NULL(args->buffer);
  REFUSE_NULL(args->dst_memory);
  return copy_to(args->buffer, &args->dst_buffer);
}

// ---- 5. Programs ----

// The same program is behind every PJRT_Executable and PJRT_LoadedExecutable of it.
struct PJRT_Executable {
  Program* program;
};

struct PJRT_LoadedExecutable {
  PJRT_Client* client;
  Program* program;
  bool deleted;
};

static Program* share(Program* p) {
  pthread_mutex_lock(&lock);
  p->users++;
  pthread_mutex_unlock(&lock);
  return p;
}

static void drop(Program* p) {
  pthread_mutex_lock(&lock);
  bool last = --p->users == 0;
  pthread_mutex_unlock(&lock);
  if (last) free_program(p);
}

// The options are a CompileOptionsProto, of which this plugin looks at the numbers of replicas (4)
// and of partitions (5) of the field executable_build_options (3).
static bool read_varint(const unsigned char** p, const unsigned char* end, uint64_t* value) {
  *value = 0;
  for (int shift = 0; shift < 64 && *p < end; shift += 7) {
    unsigned char b = *(*p)++;
    *value |= (uint64_t)(b & 127) << shift;
    if (b < 128) return true;
  }
  return false;
}

static bool read_options(const unsigned char* p, const unsigned char* end, int depth, uint64_t* devices) {
  while (p < end) {
    uint64_t tag, n;
    if (!read_varint(&p, end, &tag) || tag >> 3 == 0) return false;
    switch (tag & 7) {
      case 0:
        if (!read_varint(&p, end, &n)) return false;
        if (depth == 1 && (tag >> 3 == 4 || tag >> 3 == 5) && n > 1) *devices *= n;
        continue;
      case 1: n = 8; break;
      case 5: n = 4; break;
      case 2:
        if (!read_varint(&p, end, &n)) return false;
        break;
      default: return false;
    }
    if (n > (uint64_t)(end - p)) return false;
    if (depth == 0 && tag >> 3 == 3 && !read_options(p, p + n, 1, devices)) return false;
    p += n;
  }
  return true;
}

static PJRT_Error* Client_Compile(PJRT_Client_Compile_Args* args) {
  NEEDS(args, executable);
  REFUSE_NULL(args->client);
  REFUSE_NULL(args->program);
  const PJRT_Program* p = args->program;
  if (p->format_size != 4 || memcmp(p->format, "mlir", 4) != 0) {
    return fail(PJRT_Error_Code_INVALID_ARGUMENT, "programs have the format mlir, not %.*s", (int)p->format_size, p->format);
  }
  uint64_t devices = 1;
  const unsigned char* options = (const unsigned char*)args->compile_options;
  if (args->compile_options_size > 0 && !read_options(options, options + args->compile_options_size, 0, &devices)) {
    return fail(PJRT_Error_Code_INVALID_ARGUMENT, "the compile options are no CompileOptionsProto");
  }
  if (devices > 1) return fail(PJRT_Error_Code_INVALID_ARGUMENT, "the program needs %lu devices", (unsigned long)devices);
  char problem[200];
  bool supported = true;
  Program* program = parse_program(p->code, p->code_size, problem, sizeof problem, &supported);
  if (!program) return fail(supported ? PJRT_Error_Code_INVALID_ARGUMENT : PJRT_Error_Code_UNIMPLEMENTED, "%s", problem);
  args->executable = calloc(1, sizeof *args->executable);
  args->executable->client = args->client;
  args->executable->program = program;
  return NULL;
}

static PJRT_Error* LoadedExecutable_Destroy(PJRT_LoadedExecutable_Destroy_Args* args) {
  NEEDS(args, executable);
  if (args->executable) drop(args->executable->program);
  free(args->executable);
  return NULL;
}

static PJRT_Error* LoadedExecutable_Delete(PJRT_LoadedExecutable_Delete_Args* args) {
  NEEDS(args, executable);
  REFUSE_NULL(args->executable);
  args->executable->deleted = true;
  return NULL;
}

VALUE(LoadedExecutable_IsDeleted, executable, is_deleted, args->executable->deleted)
LIST(LoadedExecutable_AddressableDevices, executable, addressable_devices, num_addressable_devices, args->executable->client->devices, 1)

static PJRT_Error* LoadedExecutable_GetExecutable(PJRT_LoadedExecutable_GetExecutable_Args* args) {
  NEEDS(args, executable);
  REFUSE_NULL(args->loaded_executable);
  args->executable = calloc(1, sizeof *args->executable);
  args->executable->program = share(args->loaded_executable->program);
  return NULL;
}

static PJRT_Error* Executable_Destroy(PJRT_Executable_Destroy_Args* args) {
  NEEDS(args, executable);
  if (args->executable) drop(args->executable->program);
  free(args->executable);
  return NULL;
}

TEXT(Executable_Name, executable, executable_name, executable_name_size, args->executable->program->name)
VALUE(Executable_NumReplicas, executable, num_replicas, 1)
VALUE(Executable_NumPartitions, executable, num_partitions, 1)
VALUE(Executable_NumOutputs, executable, num_outputs, args->executable->program->num_results)
LIST(Executable_OutputElementTypes, executable, output_types, num_output_types, args->executable->program->result_types,
     args->executable->program->num_results)

static PJRT_Error* Executable_OutputDimensions(PJRT_Executable_OutputDimensions_Args* args) {
  NEEDS(args, dim_sizes);
  REFUSE_NULL(args->executable);
  args->num_outputs = args->executable->program->num_results;
  args->dims = args->executable->program->result_dims;
  args->dim_sizes = args->executable->program->result_ranks;
  return NULL;
}

static PJRT_Error* Executable_OutputMemoryKinds(PJRT_Executable_OutputMemoryKinds_Args* args) {
  NEEDS(args, memory_kind_sizes);
  REFUSE_NULL(args->executable);
  args->num_outputs = args->executable->program->num_results;
  args->memory_kinds = args->executable->program->result_kinds;
  args->memory_kind_sizes = args->executable->program->result_kind_sizes;
  return NULL;
}

// Donates an argument unless the caller wants to keep it.
static bool may_donate(const PJRT_ExecuteOptions* options, int64_t index) {
  if (!options || options->struct_size < offsetof(PJRT_ExecuteOptions, context)) return true;
  for (size_t i = 0; i < options->num_non_donatable_input_indices; i++) {
    if (options->non_donatable_input_indices[i] == index) return false;
  }
  return true;
}

static PJRT_Error* LoadedExecutable_Execute(PJRT_LoadedExecutable_Execute_Args* args) {
  NEEDS(args, execute_device);
  REFUSE_NULL(args->executable);
  Program* p = args->executable->program;
  if (args->executable->deleted) return fail(PJRT_Error_Code_INVALID_ARGUMENT, "the executable was deleted");
  if (args->num_devices != 1) {
    return fail(PJRT_Error_Code_INVALID_ARGUMENT, "the program is for one device, not %zu", args->num_devices);
  }
  if (args->num_args != (size_t)p->num_parameters) {
    return fail(PJRT_Error_Code_INVALID_ARGUMENT, "the program has %d parameters, and there are %zu arguments", p->num_parameters,
                args->num_args);
  }
  PJRT_Error* error = NULL;
  Tensor** arguments = calloc(args->num_args + 1, sizeof *arguments);
  Tensor** results = calloc(p->num_results + 1, sizeof *results);
  for (size_t i = 0; i < args->num_args && !error; i++) {
    PJRT_Buffer* b = args->argument_lists[0][i];
    if (!b) {
      error = fail(PJRT_Error_Code_INVALID_ARGUMENT, "argument %zu is null", i);
    } else if (!same_shape(&b->shape, &p->parameters[i])) {
      error = fail(PJRT_Error_Code_INVALID_ARGUMENT, "argument %zu has another type or other dimensions than the parameter", i);
    } else if (!(arguments[i] = tensor_of(b))) {
      error = fail(PJRT_Error_Code_INVALID_ARGUMENT, "argument %zu was deleted", i);
    }
  }
  // One buffer cannot be given away and used as another argument.
  for (size_t i = 0; i < args->num_args && !error; i++) {
    for (size_t j = 0; j < args->num_args && p->donated[i] && may_donate(args->options, i); j++) {
      if (i != j && !error && args->argument_lists[0][i] == args->argument_lists[0][j]) {
        error = fail(PJRT_Error_Code_INVALID_ARGUMENT, "argument %zu is donated, and argument %zu is the same buffer", i, j);
      }
    }
  }
  if (!error && !run_program(p, arguments, results)) {
    error = fail(PJRT_Error_Code_RESOURCE_EXHAUSTED, "no memory for the program's arrays");
  }
  for (size_t i = 0; i < args->num_args; i++) {
    if (arguments[i]) release(arguments[i]);
    if (!error && p->donated[i] && may_donate(args->options, i)) delete_buffer(args->argument_lists[0][i]);
  }
  for (int i = 0; i < p->num_results && !error; i++) {
    args->output_lists[0][i] = new_buffer(args->executable->client, results[i]);
  }
  if (!error && args->device_complete_events) args->device_complete_events[0] = ready();
  free(arguments);
  free(results);
  return error;
}

// ---- The table ----

static PJRT_Api api;
static pthread_once_t filled = PTHREAD_ONCE_INIT;

#define SLOT(name) api.PJRT_##name = name

static void fill(void) {
  // All slots from the first function to the end of the table are pointers.
  PJRT_Error* (*stub)(void*) = unimplemented;
  for (char* slot = (char*)&api.PJRT_Error_Destroy; slot < (char*)(&api + 1); slot += sizeof stub) memcpy(slot, &stub, sizeof stub);
  api.struct_size = PJRT_Api_STRUCT_SIZE;
  api.pjrt_api_version = (PJRT_Api_Version){.struct_size = PJRT_Api_Version_STRUCT_SIZE, .major_version = PJRT_API_MAJOR,
                                            .minor_version = PJRT_API_MINOR};
  SLOT(Error_Destroy), SLOT(Error_Message), SLOT(Error_GetCode);
  SLOT(Plugin_Initialize), SLOT(Plugin_Attributes);
  SLOT(Client_Create), SLOT(Client_Destroy), SLOT(Client_PlatformName), SLOT(Client_PlatformVersion), SLOT(Client_ProcessIndex);
  SLOT(Client_Devices), SLOT(Client_AddressableDevices), SLOT(Client_AddressableMemories);
  SLOT(Client_LookupDevice), SLOT(Client_LookupAddressableDevice), SLOT(Client_DefaultDeviceAssignment);
  SLOT(Device_GetDescription), SLOT(Device_IsAddressable), SLOT(Device_LocalHardwareId);
  SLOT(Device_AddressableMemories), SLOT(Device_DefaultMemory);
  SLOT(DeviceDescription_Id), SLOT(DeviceDescription_ProcessIndex), SLOT(DeviceDescription_Attributes);
  SLOT(DeviceDescription_Kind), SLOT(DeviceDescription_DebugString), SLOT(DeviceDescription_ToString);
  SLOT(Memory_Id), SLOT(Memory_Kind), SLOT(Memory_Kind_Id), SLOT(Memory_DebugString), SLOT(Memory_ToString);
  SLOT(Memory_AddressableByDevices);
  SLOT(Event_Destroy), SLOT(Event_IsReady), SLOT(Event_Error), SLOT(Event_Await), SLOT(Event_OnReady);
  SLOT(Client_BufferFromHostBuffer), SLOT(Buffer_ToHostBuffer), SLOT(Buffer_Destroy), SLOT(Buffer_Delete), SLOT(Buffer_IsDeleted);
  SLOT(Buffer_ElementType), SLOT(Buffer_Dimensions), SLOT(Buffer_UnpaddedDimensions), SLOT(Buffer_DynamicDimensionIndices);
  SLOT(Buffer_Device), SLOT(Buffer_Memory), SLOT(Buffer_IsOnCpu), SLOT(Buffer_OnDeviceSizeInBytes), SLOT(Buffer_ReadyEvent);
  SLOT(Buffer_GetMemoryLayout), SLOT(Buffer_CopyToMemory);
  SLOT(Client_Compile), SLOT(LoadedExecutable_Destroy), SLOT(LoadedExecutable_Delete), SLOT(LoadedExecutable_IsDeleted);
  SLOT(LoadedExecutable_AddressableDevices), SLOT(LoadedExecutable_GetExecutable), SLOT(LoadedExecutable_Execute);
  SLOT(Executable_Destroy), SLOT(Executable_Name), SLOT(Executable_NumReplicas), SLOT(Executable_NumPartitions);
  SLOT(Executable_NumOutputs), SLOT(Executable_OutputElementTypes), SLOT(Executable_OutputDimensions);
  SLOT(Executable_OutputMemoryKinds);
}

__attribute__((visibility("default"))) const PJRT_Api* GetPjrtApi(void) {
  pthread_once(&filled, fill);
  return &api;
}
