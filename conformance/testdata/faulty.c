// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// A plugin that offers nothing, with the fault that FAULT names.

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "xla/pjrt/c/pjrt_c_api.h"

#define NONE 0
#define SEGFAULT_ENTRY 1  // in GetPjrtApi
#define SEGFAULT_FIRST 2  // in every function
#define SEGFAULT_LOAD 3   // when the library is loaded
#define HANG 4            // in every function
#define PRINT 5           // a gigabyte, when a client is made
#define EXIT 6            // with status 0, in every function but those of errors
#define MANGLED 7         // the entry point has a C++ name
#define NULL_TABLE 8
#define THREAD 9          // a thread of the plugin crashes when a client is made
#define OWN_HANDLER 10    // a handler of the plugin's own, then a crash
#define NULL_SLOTS 11     // all but the first few
#define TRUNCATED 12      // the size says that half of the functions are there

static struct PJRT_Error unimplemented_error;

static void fault(void) {
#if FAULT == SEGFAULT_FIRST
  *(volatile int*)8 = 1;
#elif FAULT == HANG
  for (;;) pause();
#elif FAULT == EXIT
  exit(0);
#endif
}

static PJRT_Error* anything(void* args) {
  (void)args;
  fault();
  return &unimplemented_error;
}

static PJRT_Error* initialize(PJRT_Plugin_Initialize_Args* args) {
  (void)args;
  fault();
  return NULL;
}

static void error_destroy(PJRT_Error_Destroy_Args* args) {
  (void)args;
#if FAULT != EXIT
  fault();
#endif
}

static void error_message(PJRT_Error_Message_Args* args) {
  args->message = "nothing is offered";
  args->message_size = strlen(args->message);
}

static PJRT_Error* error_code(PJRT_Error_GetCode_Args* args) {
  args->code = PJRT_Error_Code_UNIMPLEMENTED;
  return NULL;
}

#if FAULT == THREAD
static void* crash(void* unused) {
  *(volatile int*)8 = 1;
  return unused;
}
#endif

#if FAULT == OWN_HANDLER
static void handler(int number) {
  static const char words[] = "*** the plugin's own words on a crash ***\n";
  if (write(2, words, sizeof words - 1) < 0) _exit(1);
  signal(number, SIG_DFL);
  raise(number);
}
#endif

static PJRT_Error* client_create(PJRT_Client_Create_Args* args) {
  (void)args;
  fault();
#if FAULT == PRINT
  static char line[1 << 16];
  memset(line, 'x', sizeof line);
  line[sizeof line - 1] = '\n';
  for (int i = 0; i < 1 << 13; i++) {
    fwrite(line, sizeof line, 1, stdout);
    fwrite(line, sizeof line, 1, stderr);
  }
#elif FAULT == THREAD
  pthread_t thread;
  pthread_create(&thread, NULL, crash, NULL);
  pthread_join(thread, NULL);
#elif FAULT == OWN_HANDLER
  signal(SIGSEGV, handler);
  *(volatile int*)8 = 1;
#endif
  return &unimplemented_error;
}

#if FAULT == SEGFAULT_LOAD
__attribute__((constructor)) static void load(void) { *(volatile int*)8 = 1; }
#endif

static PJRT_Api table;

#if FAULT == MANGLED
#define GetPjrtApi _Z10GetPjrtApiv
#endif

// Fills the table in once: threads use it while others ask for it again.
__attribute__((constructor)) static void fill(void) {
  PJRT_Error* (**slots)(void*) = (PJRT_Error * (**)(void*)) & table.PJRT_Error_Destroy;
  size_t count = (PJRT_Api_STRUCT_SIZE - offsetof(PJRT_Api, PJRT_Error_Destroy)) / sizeof *slots;
  for (size_t i = 0; i < count; i++) slots[i] = anything;
#if FAULT == NULL_SLOTS
  for (size_t i = 10; i < count; i++) slots[i] = NULL;
#endif
  table.struct_size = PJRT_Api_STRUCT_SIZE;
#if FAULT == TRUNCATED
  table.struct_size = offsetof(PJRT_Api, PJRT_Error_Destroy) + count / 2 * sizeof *slots;
#endif
  table.pjrt_api_version.struct_size = PJRT_Api_Version_STRUCT_SIZE;
  table.pjrt_api_version.major_version = PJRT_API_MAJOR;
  table.pjrt_api_version.minor_version = PJRT_API_MINOR;
  table.PJRT_Error_Destroy = error_destroy;
  table.PJRT_Error_Message = error_message;
  table.PJRT_Error_GetCode = error_code;
  table.PJRT_Plugin_Initialize = initialize;
  table.PJRT_Client_Create = client_create;
}

const PJRT_Api* GetPjrtApi(void) {
#if FAULT == SEGFAULT_ENTRY
  *(volatile int*)8 = 1;
#elif FAULT == NULL_TABLE
  return NULL;
#endif
  return &table;
}
