// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// The floor of the second start: the calls of the C API that the example transformer needs until its
// first token, made in C, with the programs in files.
//
//   start PLUGIN FOLDER DESCRIPTION CACHE
//
// DESCRIPTION says in a word each what the library reads from the files of the model: see
// describeStart in jobs_start.go. Programs that CACHE lacks are compiled and written there.

#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "calls.h"

enum { most = 4096 };

static PJRT_Buffer* arguments[most + 4];  // the weights, then keys, values, tokens and the first position
static size_t count;
static PJRT_LoadedExecutable* programs[2];
static const char* names[] = {"chunk", "token"};
static const char *folder, *cache;

static char* map_at(const char* dir, const char* name) {
  char path[4096];
  snprintf(path, sizeof path, "%s/%s", dir, name);
  int f = open(path, O_RDONLY);
  struct stat info;
  if (f < 0 || fstat(f, &info)) fail(path, "cannot be opened", 16);
  char* data = mmap(0, (size_t)info.st_size, PROT_READ | PROT_WRITE, MAP_PRIVATE, f, 0);
  if (data == MAP_FAILED) fail(path, "cannot be mapped", 16);
  close(f);
  return data;
}

static PJRT_Buffer* copy(const void* data, PJRT_Buffer_Type type, const int64_t* dims, size_t rank) {
  return upload_array(client, device, data, type, dims, rank, PJRT_HostBufferSemantics_kImmutableOnlyDuringCall);
}

static void unused(void* data, void* arg) { (void)data, (void)arg; }

// A CPU uses the weights where they are.
static PJRT_Buffer* weight(void* data, const int64_t* dims, size_t rank) {
  if (on_gpu()) return copy(data, PJRT_Buffer_Type_F32, dims, rank);
  PJRT_Client_CreateViewOfDeviceBuffer_Args a = ARGS(PJRT_Client_CreateViewOfDeviceBuffer);
  a.client = client;
  a.device_buffer_ptr = data;
  a.dims = dims;
  a.num_dims = rank;
  a.element_type = PJRT_Buffer_Type_F32;
  a.device = device;
  a.on_delete_callback = unused;
  CALL(PJRT_Client_CreateViewOfDeviceBuffer, a);
  return a.buffer;
}

static void store(PJRT_LoadedExecutable* program, const char* name) {
  PJRT_LoadedExecutable_GetExecutable_Args g = ARGS(PJRT_LoadedExecutable_GetExecutable);
  g.loaded_executable = program;
  CALL(PJRT_LoadedExecutable_GetExecutable, g);
  PJRT_Executable_Serialize_Args s = ARGS(PJRT_Executable_Serialize);
  s.executable = g.executable;
  CALL(PJRT_Executable_Serialize, s);
  char path[4096];
  snprintf(path, sizeof path, "%s/%s", cache, name);
  FILE* f = fopen(path, "wb");
  if (!f || fwrite(s.serialized_bytes, 1, s.serialized_bytes_size, f) != s.serialized_bytes_size || fclose(f)) {
    fail(path, "cannot be written", 17);
  }
  s.serialized_executable_deleter(s.serialized_executable);
  PJRT_Executable_Destroy_Args d = ARGS(PJRT_Executable_Destroy);
  d.executable = g.executable;
  CALL(PJRT_Executable_Destroy, d);
}

static void* load(void* arg) {
  size_t i = (size_t)arg, size, options_size;
  char* bytes = read_at(cache, names[i], &size);
  if (!bytes) {
    char name[64];
    snprintf(name, sizeof name, "%s.mlir", names[i]);
    char *text = read_at(folder, name, &size), *options = read_file("replicas-1", ".options", &options_size);
    if (!text) fail(name, "cannot be opened", 16);
    programs[i] = compile(client, text, size, options, options_size);
    store(programs[i], names[i]);
    return 0;
  }
  PJRT_Executable_DeserializeAndLoad_Args a = ARGS(PJRT_Executable_DeserializeAndLoad);
  a.client = client;
  a.serialized_executable = bytes;
  a.serialized_executable_size = size;
  CALL(PJRT_Executable_DeserializeAndLoad, a);
  free(bytes);
  programs[i] = a.loaded_executable;
  return 0;
}

int main(int argc, char** argv) {
  if (argc != 5) return 2;
  folder = argv[2], cache = argv[4];
  open_plugin(argv[1]);
  client = new_client(0);
  device = devices_of(client)[0];

  // The weights are views of the mapped files.
  size_t size, rank, offset, vocabulary = 0, room = 0;
  char* logits = 0;
  int64_t dims[8], of_cache[4] = {0}, chunk = 0;
  char *text = read_at("", argv[3], &size), *rest, *file = 0;
  if (!text) fail(argv[3], "cannot be opened", 16);
  for (char* line = strtok_r(text, "\n", &rest); line; line = strtok_r(0, "\n", &rest)) {
    int at;
    if (!strncmp(line, "file ", 5)) {
      file = map_at(folder, line + 5);
    } else if (sscanf(line, "array %zu %zu%n", &offset, &rank, &at) == 2 && count < most) {
      char* numbers = line + at;
      for (size_t i = 0; i < rank && i < 8; ++i) dims[i] = strtoll(numbers, &numbers, 10);
      size_t place = (size_t)strtoll(numbers, &numbers, 10);
      if (place < most) arguments[place] = weight(file + offset, dims, rank), ++count;
    } else if (sscanf(line, "cache %ld %ld %ld %ld", &of_cache[0], &of_cache[1], &of_cache[2], &of_cache[3]) != 4 &&
               sscanf(line, "chunk %ld", &chunk) != 1) {
      sscanf(line, "vocabulary %zu", &vocabulary);
    }
  }

  pthread_t thread;
  pthread_create(&thread, 0, load, (void*)1);  // the first token needs only the other
  load(0);

  void* zeros = zeroed(4 * (size_t)(of_cache[0] * of_cache[1] * of_cache[2] * of_cache[3]));
  int32_t *tokens = zeroed(4 * (size_t)chunk), first = 0;
  const char prompt[] = "A quick";
  for (size_t i = 0; i < sizeof prompt - 1; ++i) tokens[i] = prompt[i];
  arguments[count] = copy(zeros, PJRT_Buffer_Type_F32, of_cache, 4);
  arguments[count + 1] = copy(zeros, PJRT_Buffer_Type_F32, of_cache, 4);
  arguments[count + 2] = copy(tokens, PJRT_Buffer_Type_S32, &chunk, 1);
  arguments[count + 3] = copy(&first, PJRT_Buffer_Type_S32, 0, 0);

  PJRT_ExecuteOptions o = {.struct_size = PJRT_ExecuteOptions_STRUCT_SIZE};
  PJRT_Buffer *const *in = arguments, *out[3], **outs = out;
  PJRT_Event* done;
  PJRT_LoadedExecutable_Execute_Args e = ARGS(PJRT_LoadedExecutable_Execute);
  e.executable = programs[0];
  e.options = &o;
  e.argument_lists = &in;
  e.num_devices = 1;
  e.num_args = count + 4;
  e.output_lists = &outs;
  e.device_complete_events = &done;
  CALL(PJRT_LoadedExecutable_Execute, e);
  await(done);
  free_event(done);
  const float* last = (const float*)read_to_host(out[0], &logits, &room) + (sizeof prompt - 2) * vocabulary;
  size_t best = 0;
  for (size_t i = 1; i < vocabulary; ++i) {
    if (last[i] > last[best]) best = i;
  }
  printf("%zu\n", best);
  fflush(stdout);

  pthread_join(thread, 0);
  for (size_t i = 0; i < count + 4; ++i) free_buffer(arguments[i]);
  for (size_t i = 0; i < 3; ++i) free_buffer(out[i]);
  for (size_t i = 0; i < 2; ++i) free_executable(programs[i]);
  close_client(client);
  return 0;
}
