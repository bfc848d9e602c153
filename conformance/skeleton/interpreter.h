// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// An interpreter of StableHLO text, for the operations that the suite's profile smoke compiles.

#ifndef INTERPRETER_H_
#define INTERPRETER_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "xla/pjrt/c/pjrt_c_api.h"

#define MAX_RANK 8

typedef struct {
  PJRT_Buffer_Type type;
  int rank;
  int64_t dims[MAX_RANK];
} Shape;

// A dense, row-major array. Elements narrower than a byte have a byte each.
typedef struct {
  Shape shape;
  int users;
  char* data;
} Tensor;

// The bytes of an element, or 0 for types that have no arrays here.
int size_of(PJRT_Buffer_Type type);
int64_t elements(const Shape* s);
bool same_shape(const Shape* a, const Shape* b);

// Makes an array with one user, or returns NULL without memory.
Tensor* new_tensor(const Shape* s);
Tensor* retain(Tensor* t);
void release(Tensor* t);

typedef struct Block Block;

typedef struct {
  int users;
  char name[128];
  int num_parameters, num_results, num_values;
  Shape *parameters, *results;
  bool* donated;  // of each parameter
  Block* body;
  // What PJRT_Executable_Output... return.
  PJRT_Buffer_Type* result_types;
  int64_t* result_dims;
  size_t *result_ranks, *result_kind_sizes;
  const char** result_kinds;
} Program;

// Reads a text, or returns NULL with a problem. Then supported says whether the text is wrong or
// has what the interpreter lacks.
Program* parse_program(const char* code, size_t size, char* problem, size_t room, bool* supported);
void free_program(Program* p);

// Sets the results, or returns false without memory. Any number of threads may run a program.
bool run_program(const Program* p, Tensor** arguments, Tensor** results);

#endif  // INTERPRETER_H_
