// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// The floor: the calls of the C API that each job needs, made in C. The protocol is that of package child.

#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

#include "calls.h"

// A job: what prepare made for it, and how to run it.
struct job {
  int64_t (*run)(struct job*, long n);
  void (*finish)(struct job*);
  size_t param;  // bytes, arguments, devices, ...
  char *text, *options, *data;
  size_t text_size, options_size;
  PJRT_Client* own;  // if not the common one
  PJRT_LoadedExecutable* exe;
  size_t devices, args, results;
  PJRT_Buffer** in;
  PJRT_Buffer*** in_lists;
  PJRT_Buffer** out;
  PJRT_Buffer*** out_lists;
  PJRT_Event** done;
  PJRT_Buffer* buffer;
  struct argument* arguments;
  size_t (*carry)[2];  // results, and the arguments they replace
  size_t carries, read;
};

// An argument of a model, as programs/jobs/models.py describes it.
struct argument {
  PJRT_Buffer_Type type;
  int64_t dims[8];
  size_t rank, bytes;
  void* host;
  int write, donated;
};

static int64_t run_getter(struct job* j, long n) {
  (void)j;
  int64_t start = now();
  for (long i = 0; i < n; ++i) {
    PJRT_Device_IsAddressable_Args a = ARGS(PJRT_Device_IsAddressable);
    a.device = device;
    CALL(PJRT_Device_IsAddressable, a);
  }
  return now() - start;
}

static void launch(struct job* j, PJRT_ExecuteOptions* o, PJRT_Buffer*** out_lists, PJRT_Event** done) {
  PJRT_LoadedExecutable_Execute_Args a = ARGS(PJRT_LoadedExecutable_Execute);
  a.executable = j->exe;
  a.options = o;
  a.argument_lists = (PJRT_Buffer* const* const*)j->in_lists;
  a.num_devices = j->devices;
  a.num_args = j->args;
  a.output_lists = out_lists;
  a.device_complete_events = done;
  CALL(PJRT_LoadedExecutable_Execute, a);
}

static int64_t execute(struct job* j, long n, int wait) {
  PJRT_ExecuteOptions o = {.struct_size = PJRT_ExecuteOptions_STRUCT_SIZE};
  int64_t start = now();
  for (long i = 0; i < n; ++i) {
    launch(j, &o, j->out_lists, j->done);
    for (size_t d = 0; d < j->devices; ++d) {
      if (wait) await(j->done[d]);
      free_event(j->done[d]);
    }
    for (size_t k = 0; k < j->devices * j->results; ++k) free_buffer(j->out[k]);
  }
  return now() - start;
}

static int64_t run_execute(struct job* j, long n) { return execute(j, n, 1); }
static int64_t run_dispatch(struct job* j, long n) { return execute(j, n, 0); }

// n rounds in which param executions are under way before the first is awaited.
static int64_t run_inflight(struct job* j, long n) {
  PJRT_ExecuteOptions o = {.struct_size = PJRT_ExecuteOptions_STRUCT_SIZE};
  PJRT_Buffer** outs = zeroed(j->param * sizeof *outs);
  PJRT_Event** done = zeroed(j->param * sizeof *done);
  int64_t start = now();
  for (long i = 0; i < n; ++i) {
    for (size_t k = 0; k < j->param; ++k) {
      PJRT_Buffer** list = &outs[k];
      launch(j, &o, &list, &done[k]);
    }
    for (size_t k = 0; k < j->param; ++k) {
      await(done[k]);
      free_event(done[k]);
      free_buffer(outs[k]);
    }
  }
  int64_t took = now() - start;
  free(outs);
  free(done);
  return took;
}

struct share {
  struct job* job;
  long n;
};

static void* execute_share(void* arg) {
  struct share* s = arg;
  struct job mine = *s->job;  // with its own lists for the results
  PJRT_Buffer* out;
  PJRT_Buffer** list = &out;
  PJRT_Event* done;
  mine.out = &out;
  mine.out_lists = &list;
  mine.done = &done;
  execute(&mine, s->n, 1);
  return 0;
}

// param threads share n executions.
static int64_t run_threads(struct job* j, long n) {
  pthread_t* threads = zeroed(j->param * sizeof *threads);
  struct share* shares = zeroed(j->param * sizeof *shares);
  int64_t start = now();
  for (size_t i = 0; i < j->param; ++i) {
    shares[i] = (struct share){j, n / (long)j->param + ((long)i < n % (long)j->param)};
    pthread_create(&threads[i], 0, execute_share, &shares[i]);
  }
  for (size_t i = 0; i < j->param; ++i) pthread_join(threads[i], 0);
  int64_t took = now() - start;
  free(threads);
  free(shares);
  return took;
}

static int64_t run_upload(struct job* j, long n) {
  int64_t start = now();
  for (long i = 0; i < n; ++i) {
    free_buffer(upload(client, device, j->data, (int64_t)(j->param / 4), PJRT_HostBufferSemantics_kImmutableUntilTransferCompletes));
  }
  return now() - start;
}

static int64_t run_zero_copy(struct job* j, long n) {
  int64_t start = now();
  for (long i = 0; i < n; ++i) {
    free_buffer(upload(client, device, j->data, (int64_t)(j->param / 4), PJRT_HostBufferSemantics_kImmutableZeroCopy));
  }
  return now() - start;
}

static int64_t run_download(struct job* j, long n) {
  int64_t start = now();
  for (long i = 0; i < n; ++i) {
    PJRT_Buffer_ToHostBuffer_Args a = ARGS(PJRT_Buffer_ToHostBuffer);
    a.src = j->buffer;
    a.dst = j->data;
    a.dst_size = j->param;
    CALL(PJRT_Buffer_ToHostBuffer, a);
    await(a.event);
    free_event(a.event);
  }
  return now() - start;
}

static int64_t resident(void) {
  long long size = 0, pages = 0;
  FILE* f = fopen("/proc/self/statm", "r");
  if (!f || fscanf(f, "%lld %lld", &size, &pages) != 2) fail("statm", "cannot be read", 14);
  fclose(f);
  return pages * sysconf(_SC_PAGESIZE);
}

// The bytes by which the process grows stand in for nanoseconds.
static int64_t run_memory(struct job* j, long n) {
  int64_t grown = 0;
  for (long i = 0; i < n; ++i) {
    execute(j, (long)j->param / 10, 1);  // until pools reach their sizes
    int64_t before = resident();
    execute(j, (long)j->param, 1);
    int64_t after = resident();
    if (after > before) grown += after - before;
  }
  return grown;
}

static int64_t run_compile(struct job* j, long n) {
  int64_t start = now();
  for (long i = 0; i < n; ++i) free_executable(compile(client, j->text, j->text_size, j->options, j->options_size));
  return now() - start;
}

static int64_t run_create(struct job* j, long n) {
  int64_t start = now();
  for (long i = 0; i < n; ++i) {
    free_buffer(upload(client, device, j->data, 4, PJRT_HostBufferSemantics_kImmutableUntilTransferCompletes));
  }
  return now() - start;
}

static int64_t run_client(struct job* j, long n) {
  (void)j;
  int64_t start = now();
  for (long i = 0; i < n; ++i) close_client(new_client(0));
  return now() - start;
}

static PJRT_Buffer* upload_argument(PJRT_Client* c, PJRT_Device* d, struct argument* x) {
  PJRT_Client_BufferFromHostBuffer_Args a = ARGS(PJRT_Client_BufferFromHostBuffer);
  a.client = c;
  a.data = x->host;
  a.type = x->type;
  a.dims = x->dims;
  a.num_dims = x->rank;
  a.host_buffer_semantics = PJRT_HostBufferSemantics_kImmutableOnlyDuringCall;
  a.device = d;
  CALL(PJRT_Client_BufferFromHostBuffer, a);
  free_event(a.done_with_host_buffer);
  return a.buffer;
}

// Writes some arguments, executes, puts results in the place of arguments and reads one result.
static int64_t run_model(struct job* j, long n) {
  PJRT_ExecuteOptions o = {.struct_size = PJRT_ExecuteOptions_STRUCT_SIZE};
  int64_t start = now();
  for (long i = 0; i < n; ++i) {
    for (size_t k = 0; k < j->args; ++k) {
      if (j->arguments[k].write) j->in[k] = upload_argument(client, device, &j->arguments[k]);
    }
    launch(j, &o, j->out_lists, j->done);
    await(j->done[0]);
    free_event(j->done[0]);
    for (size_t k = 0; k < j->args; ++k) {
      if (j->arguments[k].write || j->arguments[k].donated) free_buffer(j->in[k]);
    }
    read_to_host(j->out[j->read], &j->data, &j->param);
    for (size_t k = 0; k < j->carries; ++k) {
      j->in[j->carry[k][1]] = j->out[j->carry[k][0]];
      j->out[j->carry[k][0]] = 0;
    }
    for (size_t k = 0; k < j->results; ++k) {
      if (j->out[k]) free_buffer(j->out[k]);
    }
  }
  return now() - start;
}

// Reads the file alone, into memory that is used again.
static int64_t run_load(struct job* j, long n) {
  static char part[1 << 20];
  char path[4096];
  snprintf(path, sizeof path, "%s/load-%zu.safetensors", getenv("BENCH_PROGRAMS"), j->param);
  int64_t start = now();
  for (long i = 0; i < n; ++i) {
    int f = open(path, O_RDONLY);
    if (f < 0) fail(path, "cannot be opened", 16);
    ssize_t got;
    while ((got = read(f, part, sizeof part)) > 0) {
    }
    if (got < 0) fail(path, "cannot be read", 14);
    close(f);
  }
  return now() - start;
}

static void* compile_one(void* arg) {
  struct job* j = arg;
  free_executable(compile(client, j->text, j->text_size, j->options, j->options_size));
  return 0;
}

// Compiles the program param times at once.
static int64_t run_compile_together(struct job* j, long n) {
  pthread_t* threads = zeroed(j->param * sizeof *threads);
  int64_t start = now();
  for (long i = 0; i < n; ++i) {
    for (size_t k = 0; k < j->param; ++k) pthread_create(&threads[k], 0, compile_one, j);
    for (size_t k = 0; k < j->param; ++k) pthread_join(threads[k], 0);
  }
  int64_t took = now() - start;
  free(threads);
  return took;
}

static void finish(struct job* j) {
  for (size_t i = 0; i < j->devices * j->args; ++i) free_buffer(j->in[i]);
  if (j->exe) free_executable(j->exe);
  if (j->buffer) free_buffer(j->buffer);
  if (j->own) close_client(j->own);
  free(j->text), free(j->options), free(j->data);
  free(j->in), free(j->in_lists), free(j->out), free(j->out_lists), free(j->done);
  free(j->carry);
}

// Compiles the program in a file, and returns its client: one of the job's own for several devices.
static PJRT_Client* compile_file(struct job* j, const char* name, size_t devices) {
  PJRT_Client* c = client;
  if (devices > 1) c = j->own = new_client((int64_t)devices);
  char options[64];
  snprintf(options, sizeof options, "replicas-%zu", devices);
  j->text = read_file(name, ".mlir", &j->text_size);
  j->options = read_file(options, ".options", &j->options_size);
  j->exe = compile(c, j->text, j->text_size, j->options, j->options_size);
  return c;
}

// Compiles a program whose parameters and results are all f32[4], and makes its arguments.
static void program(struct job* j, const char* name, size_t devices, size_t args, size_t results) {
  PJRT_Client* c = compile_file(j, name, devices);
  j->devices = devices, j->args = args, j->results = results;
  j->in = zeroed(devices * args * sizeof *j->in);
  j->out = zeroed(devices * results * sizeof *j->out);
  j->in_lists = zeroed(devices * sizeof *j->in_lists);
  j->out_lists = zeroed(devices * sizeof *j->out_lists);
  j->done = zeroed(devices * sizeof *j->done);
  const float data[4] = {1, 2, 3, 4};
  for (size_t d = 0; d < devices; ++d) {
    for (size_t i = 0; i < args; ++i) {
      j->in[d * args + i] = upload(c, devices_of(c)[d], data, 4, PJRT_HostBufferSemantics_kImmutableOnlyDuringCall);
    }
    j->in_lists[d] = &j->in[d * args];
    j->out_lists[d] = &j->out[d * results];
  }
}

static void fill(struct argument* x, int numbers) {
  size_t count = 1;
  for (size_t i = 0; i < x->rank; ++i) count *= (size_t)x->dims[i];
  x->bytes = 4 * count;
  x->host = aligned_alloc(64, (x->bytes + 63) / 64 * 64);
  if (!x->host) fail("aligned_alloc", "out of memory", 13);
  memset(x->host, 0, x->bytes);
  for (size_t i = 0; numbers && i < count; ++i) {
    if (x->type == PJRT_Buffer_Type_S32) {
      ((int32_t*)x->host)[i] = 1;
    } else {
      ((float*)x->host)[i] = (float)(((uint32_t)i * 2654435761u >> 16) & 0xFF) / 2550 - 0.05f;
    }
  }
}

// Compiles a model, and makes its arguments on each device.
static void model(struct job* j, const char* name, size_t devices) {
  PJRT_Client* c = compile_file(j, name, devices);
  j->arguments = zeroed(4096 * sizeof *j->arguments);
  j->carry = zeroed(4096 * sizeof *j->carry);
  size_t size;
  char *text = read_file(name, ".job", &size), *rest;
  for (char* line = strtok_r(text, "\n", &rest); line; line = strtok_r(0, "\n", &rest)) {
    char type[8], how[16];
    int at;
    size_t a, b;
    struct argument* x = &j->arguments[j->args];
    if (sscanf(line, "arg %7s %15s %zu%n", type, how, &x->rank, &at) == 3) {
      x->type = strcmp(type, "s32") ? PJRT_Buffer_Type_F32 : PJRT_Buffer_Type_S32;
      char* dims = line + at;
      for (size_t i = 0; i < x->rank && i < 8; ++i) x->dims[i] = strtoll(dims, &dims, 10);
      fill(x, !strcmp(how, "numbers"));
      ++j->args;
    } else if (sscanf(line, "write %zu", &a) == 1) {
      j->arguments[a].write = 1;
    } else if (sscanf(line, "carry %zu %zu", &a, &b) == 2) {
      j->arguments[b].donated = 1;
      j->carry[j->carries][0] = a;
      j->carry[j->carries++][1] = b;
    } else if (sscanf(line, "read %zu", &a) == 1) {
      j->read = a;
    } else if (sscanf(line, "results %zu", &a) == 1) {
      j->results = a;
    }
  }
  free(text);
  j->devices = devices;
  j->in = zeroed(devices * j->args * sizeof *j->in);
  j->out = zeroed(devices * j->results * sizeof *j->out);
  j->in_lists = zeroed(devices * sizeof *j->in_lists);
  j->out_lists = zeroed(devices * sizeof *j->out_lists);
  j->done = zeroed(devices * sizeof *j->done);
  for (size_t d = 0; d < devices; ++d) {
    for (size_t i = 0; i < j->args; ++i) {
      if (!j->arguments[i].write) j->in[d * j->args + i] = upload_argument(c, devices_of(c)[d], &j->arguments[i]);
    }
    j->in_lists[d] = &j->in[d * j->args];
    j->out_lists[d] = &j->out[d * j->results];
  }
}

// Frees what the last execution of a model left.
static void finish_model(struct job* j) {
  for (size_t i = 0; i < j->devices * j->args; ++i) {
    if (!j->arguments[i % j->args].write) free_buffer(j->in[i]);
  }
  for (size_t i = 0; i < j->args; ++i) free(j->arguments[i].host);
  free(j->arguments);
  j->args = 0;  // which finish need not free
  finish(j);
}

static void bytes(struct job* j) {
  j->data = aligned_alloc(64, (j->param + 63) / 64 * 64);
  if (!j->data) fail("aligned_alloc", "out of memory", 13);
  memset(j->data, 1, j->param);
}

// Returns 0 if there is no such job.
static int prepare(struct job* j, const char* name, size_t param) {
  memset(j, 0, sizeof *j);
  j->finish = finish;
  j->param = param;
  if (!strcmp(name, "getter")) {
    j->run = run_getter;
  } else if (!strcmp(name, "execute")) {
    program(j, "add", 1, 2, 1);
    j->run = run_execute;
  } else if (!strcmp(name, "dispatch")) {
    program(j, "add", 1, 2, 1);
    j->run = run_dispatch;
  } else if (!strcmp(name, "memory")) {
    program(j, "add", 1, 2, 1);
    j->run = run_memory;
  } else if (!strcmp(name, "inflight")) {
    program(j, "add", 1, 2, 1);
    j->run = run_inflight;
  } else if (!strcmp(name, "threads")) {
    program(j, "add", 1, 2, 1);
    j->run = run_threads;
  } else if (!strcmp(name, "many")) {
    program(j, "many", 1, 200, 100);
    j->run = run_execute;
  } else if (!strcmp(name, "arguments")) {
    char text[64];
    snprintf(text, sizeof text, "arguments-%zu", param);
    program(j, text, 1, param, 1);
    j->run = run_execute;
  } else if (!strcmp(name, "devices")) {
    program(j, "add", param, 2, 1);
    j->run = run_execute;
  } else if (!strcmp(name, "upload") || !strcmp(name, "create")) {
    bytes(j);
    j->run = run_upload;
  } else if (!strcmp(name, "zerocopy")) {
    bytes(j);
    j->run = run_zero_copy;
  } else if (!strcmp(name, "download")) {
    bytes(j);
    j->buffer = upload(client, device, j->data, (int64_t)(param / 4), PJRT_HostBufferSemantics_kImmutableOnlyDuringCall);
    j->run = run_download;
  } else if (!strcmp(name, "alive")) {
    j->data = zeroed(16);
    j->devices = 1, j->args = param;  // which finish frees
    j->in = zeroed(param * sizeof *j->in);
    for (size_t i = 0; i < param; ++i) j->in[i] = upload(client, device, j->data, 4, PJRT_HostBufferSemantics_kImmutableOnlyDuringCall);
    j->run = run_create;
  } else if (!strcmp(name, "compile") || !strcmp(name, "constants")) {
    char text[64] = "add";
    if (param) snprintf(text, sizeof text, "constants-%zu", param);
    j->text = read_file(text, ".mlir", &j->text_size);
    j->options = read_file("replicas-1", ".options", &j->options_size);
    j->run = run_compile;
  } else if (!strcmp(name, "client")) {
    j->run = run_client;
  } else if (!strncmp(name, "model:", 6)) {
    model(j, name + 6, 1);
    j->param = 0;  // how much memory data has
    j->run = run_model;
    j->finish = finish_model;
  } else if (!strncmp(name, "devices-", 8)) {
    char text[64];
    snprintf(text, sizeof text, "%.40s-%zu", name, param);
    model(j, text, param);
    j->run = run_execute;
    j->finish = finish_model;
  } else if (!strcmp(name, "load") || !strcmp(name, "load-mapped")) {
    j->run = run_load;
  } else if (!strcmp(name, "compile-together")) {
    j->text = read_file("step-mlp-128", ".mlir", &j->text_size);
    j->options = read_file("replicas-1", ".options", &j->options_size);
    j->run = run_compile_together;
  } else {
    return 0;
  }
  return 1;
}

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  int64_t start = now();
  open_plugin(argv[1]);
  int64_t opened = now();
  client = new_client(0);
  int64_t made = now();
  device = devices_of(client)[0];
  printf("ready %lld %lld %d.%d\n", (long long)(opened - start), (long long)(made - opened), api->pjrt_api_version.major_version,
         api->pjrt_api_version.minor_version);
  fflush(stdout);

  struct job j = {0};
  char line[256], word[64], name[64];
  while (fgets(line, sizeof line, stdin)) {
    long long n = 0;
    name[0] = 0;
    if (sscanf(line, "%63s", word) != 1) continue;
    if (!strcmp(word, "prepare")) {
      sscanf(line, "%*s %63s %lld", name, &n);
      printf(prepare(&j, name, (size_t)n) ? "ok\n" : "absent\n");
    } else if (!strcmp(word, "run")) {
      long long warm = 0;
      sscanf(line, "%*s %lld %lld", &n, &warm);
      if (warm > 0) j.run(&j, (long)warm);
      printf("ok %lld\n", (long long)j.run(&j, (long)n));
    } else if (!strcmp(word, "allocs")) {
      printf("absent\n");  // only Go counts allocations
    } else if (!strcmp(word, "finish")) {
      j.finish(&j);
      printf("ok\n");
    }
    fflush(stdout);
  }
  return 0;
}
