// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Functions of the shape of PJRT's, for the tests of the call path.

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

struct args {
  size_t struct_size;
  const uint64_t* in;
  size_t num_in;
  void (*callback)(void* user_arg, uint64_t value);
  void* user_arg;
  uint64_t out;     // out
  uint64_t result;  // what to return
};

// Sums the inputs and returns the wanted result, with all of its 64 bits.
void* stub_sum(struct args* a) {
  a->out = 0;
  for (size_t i = 0; i < a->num_in; ++i) a->out += a->in[i];
  return (void*)a->result;
}

// Calls back before it writes its results, so that a frame which moved in the
// meantime does not see them.
void* stub_call_back(struct args* a) {
  a->callback(a->user_arg, 7);
  return stub_sum(a);
}

static void* from_thread(void* p) {
  struct args* a = p;
  a->callback(a->user_arg, 8);
  return NULL;
}

// Calls back from a thread that Go has never seen.
void* stub_call_back_elsewhere(struct args* a) {
  pthread_t t;
  if (pthread_create(&t, NULL, from_thread, a) != 0) return (void*)1;
  pthread_join(t, NULL);
  return stub_sum(a);
}

// Returns nothing, and leaves an address in the result register.
void stub_void(struct args* a) {
  a->out = 42;
#if defined(__x86_64__)
  __asm__ volatile("movabsq $0x7fdeadbeef00, %%rax" ::: "rax");
#elif defined(__aarch64__)
  __asm__ volatile("movz x0, #0xbeef" ::: "x0");
#endif
}

// Uses every callee-saved register and wide stack slots, and checks that the
// stack is aligned as the platform's ABI wants it.
void* stub_alignment(struct args* a) {
  volatile _Alignas(16) char slot[64];
  slot[0] = 1;
  a->out = (uintptr_t)slot % 16 + (uintptr_t)__builtin_frame_address(0) % 16;
  return NULL;
}
