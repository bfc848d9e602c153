// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Calls of the C API that several programs make, with errors that end the process.

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "xla/pjrt/c/pjrt_c_api.h"

static const PJRT_Api* api;
static PJRT_Client* client;
static PJRT_Device* device;

static inline int64_t now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static inline void fail(const char* what, const char* why, int size) {
  printf("error %s: %.*s\n", what, size, why);
  fflush(stdout);
  exit(1);
}

static inline void check(PJRT_Error* err, const char* what) {
  if (!err) return;
  PJRT_Error_Message_Args m = {.struct_size = PJRT_Error_Message_Args_STRUCT_SIZE, .error = err};
  api->PJRT_Error_Message(&m);
  fail(what, m.message, (int)m.message_size);
}

#define CALL(fn, args) check(api->fn(&(args)), #fn)
#define ARGS(fn) {.struct_size = fn##_Args_STRUCT_SIZE}

static inline void* zeroed(size_t n) {
  void* p = calloc(1, n);
  if (!p) fail("calloc", "out of memory", 13);
  return p;
}

// Reads a file, and ends it with a zero. Returns null if there is none.
static inline char* read_at(const char* dir, const char* name, size_t* size) {
  char path[4096];
  snprintf(path, sizeof path, "%s/%s", dir, name);
  FILE* f = fopen(path, "rb");
  if (!f) return 0;
  fseek(f, 0, SEEK_END);
  *size = (size_t)ftell(f);
  rewind(f);
  char* text = zeroed(*size + 1);
  if (fread(text, 1, *size, f) != *size) fail(path, "cannot be read", 14);
  fclose(f);
  return text;
}

static inline char* read_file(const char* name, const char* suffix, size_t* size) {
  char file[256];
  snprintf(file, sizeof file, "%s%s", name, suffix);
  char* text = read_at(getenv("BENCH_PROGRAMS"), file, size);
  if (!text) fail(file, "cannot be opened", 16);
  return text;
}

static inline int on_gpu(void) { return getenv("BENCH_SHARED_GPU") != 0; }

static inline PJRT_Client* new_client(int64_t devices) {
  PJRT_NamedValue several = {.struct_size = PJRT_NamedValue_STRUCT_SIZE,
                             .name = "cpu_device_count",
                             .name_size = 16,
                             .type = PJRT_NamedValue_kInt64,
                             .int64_value = devices,
                             .value_size = 1};
  PJRT_NamedValue shared = {.struct_size = PJRT_NamedValue_STRUCT_SIZE,
                            .name = "preallocate",
                            .name_size = 11,
                            .type = PJRT_NamedValue_kBool,
                            .bool_value = false,
                            .value_size = 1};
  PJRT_Client_Create_Args a = ARGS(PJRT_Client_Create);
  if (on_gpu()) a.create_options = &shared, a.num_options = 1;
  if (devices > 0) a.create_options = &several, a.num_options = 1;
  CALL(PJRT_Client_Create, a);
  return a.client;
}

static inline void close_client(PJRT_Client* c) {
  PJRT_Client_Destroy_Args a = ARGS(PJRT_Client_Destroy);
  a.client = c;
  CALL(PJRT_Client_Destroy, a);
}

static inline PJRT_Device* const* devices_of(PJRT_Client* c) {
  PJRT_Client_AddressableDevices_Args a = ARGS(PJRT_Client_AddressableDevices);
  a.client = c;
  CALL(PJRT_Client_AddressableDevices, a);
  return a.addressable_devices;
}

static inline void await(PJRT_Event* e) {
  PJRT_Event_Await_Args a = ARGS(PJRT_Event_Await);
  a.event = e;
  CALL(PJRT_Event_Await, a);
}

static inline void free_event(PJRT_Event* e) {
  PJRT_Event_Destroy_Args a = ARGS(PJRT_Event_Destroy);
  a.event = e;
  CALL(PJRT_Event_Destroy, a);
}

static inline void free_buffer(PJRT_Buffer* b) {
  PJRT_Buffer_Destroy_Args a = ARGS(PJRT_Buffer_Destroy);
  a.buffer = b;
  CALL(PJRT_Buffer_Destroy, a);
}

static inline void free_executable(PJRT_LoadedExecutable* e) {
  PJRT_LoadedExecutable_Destroy_Args a = ARGS(PJRT_LoadedExecutable_Destroy);
  a.executable = e;
  CALL(PJRT_LoadedExecutable_Destroy, a);
}

static inline PJRT_Buffer* upload_array(PJRT_Client* c, PJRT_Device* d, const void* data, PJRT_Buffer_Type type, const int64_t* dims,
                                        size_t rank, PJRT_HostBufferSemantics s) {
  PJRT_Client_BufferFromHostBuffer_Args a = ARGS(PJRT_Client_BufferFromHostBuffer);
  a.client = c;
  a.data = data;
  a.type = type;
  a.dims = dims;
  a.num_dims = rank;
  a.host_buffer_semantics = s;
  a.device = d;
  CALL(PJRT_Client_BufferFromHostBuffer, a);
  if (s == PJRT_HostBufferSemantics_kImmutableUntilTransferCompletes) await(a.done_with_host_buffer);
  free_event(a.done_with_host_buffer);
  return a.buffer;
}

static inline PJRT_Buffer* upload(PJRT_Client* c, PJRT_Device* d, const void* data, int64_t elements, PJRT_HostBufferSemantics s) {
  return upload_array(c, d, data, PJRT_Buffer_Type_F32, &elements, 1, s);
}

static inline PJRT_LoadedExecutable* compile(PJRT_Client* c, const char* text, size_t size, const char* options, size_t options_size) {
  PJRT_Program p = {.struct_size = PJRT_Program_STRUCT_SIZE, .code = (char*)text, .code_size = size, .format = "mlir", .format_size = 4};
  PJRT_Client_Compile_Args a = ARGS(PJRT_Client_Compile);
  a.client = c;
  a.program = &p;
  a.compile_options = options;
  a.compile_options_size = options_size;
  CALL(PJRT_Client_Compile, a);
  return a.executable;
}

// Copies a result to memory with some room, or to more: on a CPU from where it is, as pjrt does, since
// a transfer takes a turn of another thread.
static inline char* read_to_host(PJRT_Buffer* b, char** data, size_t* room) {
  PJRT_Buffer_ToHostBuffer_Args r = ARGS(PJRT_Buffer_ToHostBuffer);
  r.src = b;
  CALL(PJRT_Buffer_ToHostBuffer, r);  // for the size
  if (r.dst_size > *room) {
    free(*data);
    *data = zeroed(*room = r.dst_size);
  }
  if (!on_gpu()) {
    PJRT_Buffer_IncreaseExternalReferenceCount_Args up = ARGS(PJRT_Buffer_IncreaseExternalReferenceCount);
    up.buffer = b;
    CALL(PJRT_Buffer_IncreaseExternalReferenceCount, up);  // without which the address may change
    PJRT_Buffer_OpaqueDeviceMemoryDataPointer_Args p = ARGS(PJRT_Buffer_OpaqueDeviceMemoryDataPointer);
    p.buffer = b;
    CALL(PJRT_Buffer_OpaqueDeviceMemoryDataPointer, p);
    memcpy(*data, p.device_memory_ptr, r.dst_size);
    PJRT_Buffer_DecreaseExternalReferenceCount_Args down = ARGS(PJRT_Buffer_DecreaseExternalReferenceCount);
    down.buffer = b;
    CALL(PJRT_Buffer_DecreaseExternalReferenceCount, down);
    return *data;
  }
  r.dst = *data;
  CALL(PJRT_Buffer_ToHostBuffer, r);
  await(r.event);
  free_event(r.event);
  return *data;
}

// Loads the plugin and initializes it.
static inline void open_plugin(const char* path) {
  void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!library) fail("dlopen", dlerror(), 1000);
  const PJRT_Api* (*get)(void) = (const PJRT_Api* (*)(void))dlsym(library, "GetPjrtApi");
  if (!get) fail("dlsym", "no GetPjrtApi", 13);
  api = get();
  PJRT_Plugin_Initialize_Args init = ARGS(PJRT_Plugin_Initialize);
  CALL(PJRT_Plugin_Initialize, init);
}
