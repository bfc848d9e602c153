// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

#include "interpreter.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- Arrays ----

static const struct {
  const char* name;
  PJRT_Buffer_Type type;
  int size;
  bool number;  // the interpreter computes with it
} types[] = {
    {"i1", PJRT_Buffer_Type_PRED, 1, true},     {"i4", PJRT_Buffer_Type_S4, 1, false},    {"i8", PJRT_Buffer_Type_S8, 1, true},
    {"i16", PJRT_Buffer_Type_S16, 2, true},     {"i32", PJRT_Buffer_Type_S32, 4, true},   {"i64", PJRT_Buffer_Type_S64, 8, true},
    {"ui4", PJRT_Buffer_Type_U4, 1, false},     {"ui8", PJRT_Buffer_Type_U8, 1, true},    {"ui16", PJRT_Buffer_Type_U16, 2, true},
    {"ui32", PJRT_Buffer_Type_U32, 4, true},    {"ui64", PJRT_Buffer_Type_U64, 8, true},  {"f16", PJRT_Buffer_Type_F16, 2, false},
    {"bf16", PJRT_Buffer_Type_BF16, 2, true},   {"f32", PJRT_Buffer_Type_F32, 4, true},   {"f64", PJRT_Buffer_Type_F64, 8, true},
    {"complex<f32>", PJRT_Buffer_Type_C64, 8, false}, {"complex<f64>", PJRT_Buffer_Type_C128, 16, false},
};

#define NUM_TYPES (sizeof types / sizeof *types)

int size_of(PJRT_Buffer_Type type) {
  for (size_t i = 0; i < NUM_TYPES; i++) {
    if (types[i].type == type) return types[i].size;
  }
  return 0;
}

static bool is_number(PJRT_Buffer_Type type) {
  for (size_t i = 0; i < NUM_TYPES; i++) {
    if (types[i].type == type) return types[i].number;
  }
  return false;
}

static bool is_float(PJRT_Buffer_Type t) {
  return t == PJRT_Buffer_Type_F32 || t == PJRT_Buffer_Type_F64 || t == PJRT_Buffer_Type_BF16;
}

int64_t elements(const Shape* s) {
  int64_t n = 1;
  for (int i = 0; i < s->rank; i++) n *= s->dims[i];
  return n;
}

static bool same_dims(const Shape* a, const Shape* b) {
  return a->rank == b->rank && memcmp(a->dims, b->dims, a->rank * sizeof *a->dims) == 0;
}

bool same_shape(const Shape* a, const Shape* b) { return a->type == b->type && same_dims(a, b); }

Tensor* new_tensor(const Shape* s) {
  int64_t size = size_of(s->type);
  for (int i = 0; i < s->rank; i++) {
    if (__builtin_mul_overflow(size, s->dims[i], &size)) return NULL;
  }
  Tensor* t = malloc(sizeof *t);
  if (!t) return NULL;
  *t = (Tensor){.shape = *s, .users = 1, .data = malloc(size + 1)};
  if (!t->data) {
    free(t);
    return NULL;
  }
  return t;
}

Tensor* retain(Tensor* t) {
  __atomic_add_fetch(&t->users, 1, __ATOMIC_RELAXED);
  return t;
}

void release(Tensor* t) {
  if (__atomic_sub_fetch(&t->users, 1, __ATOMIC_ACQ_REL) > 0) return;
  free(t->data);
  free(t);
}

static double get_float(const Tensor* t, int64_t i);

static int64_t get_int(const Tensor* t, int64_t i) {
  switch (t->shape.type) {
    case PJRT_Buffer_Type_PRED:
    case PJRT_Buffer_Type_U8: return ((uint8_t*)t->data)[i];
    case PJRT_Buffer_Type_S8: return ((int8_t*)t->data)[i];
    case PJRT_Buffer_Type_S16: return ((int16_t*)t->data)[i];
    case PJRT_Buffer_Type_U16: return ((uint16_t*)t->data)[i];
    case PJRT_Buffer_Type_S32: return ((int32_t*)t->data)[i];
    case PJRT_Buffer_Type_U32: return ((uint32_t*)t->data)[i];
    case PJRT_Buffer_Type_S64:
    case PJRT_Buffer_Type_U64: return ((int64_t*)t->data)[i];
    default: return (int64_t)get_float(t, i);
  }
}

static double get_float(const Tensor* t, int64_t i) {
  switch (t->shape.type) {
    case PJRT_Buffer_Type_F32: return ((float*)t->data)[i];
    case PJRT_Buffer_Type_F64: return ((double*)t->data)[i];
    case PJRT_Buffer_Type_BF16: {
      uint32_t bits = (uint32_t)((uint16_t*)t->data)[i] << 16;
      float x;
      memcpy(&x, &bits, 4);
      return x;
    }
    case PJRT_Buffer_Type_U64: return (double)(uint64_t)get_int(t, i);
    default: return (double)get_int(t, i);
  }
}

static void set_int(Tensor* t, int64_t i, int64_t x) {
  switch (t->shape.type) {
    case PJRT_Buffer_Type_PRED: ((uint8_t*)t->data)[i] = x != 0; break;
    default: memcpy(t->data + i * size_of(t->shape.type), &x, size_of(t->shape.type));  // little-endian
  }
}

static void set_float(Tensor* t, int64_t i, double x) {
  switch (t->shape.type) {
    case PJRT_Buffer_Type_F32: ((float*)t->data)[i] = (float)x; break;
    case PJRT_Buffer_Type_F64: ((double*)t->data)[i] = x; break;
    case PJRT_Buffer_Type_BF16: {
      float f = (float)x;
      uint32_t bits;
      memcpy(&bits, &f, 4);
      bool nan = f != f;
      ((uint16_t*)t->data)[i] = nan ? 0x7fc0 : (bits + 0x7fff + (bits >> 16 & 1)) >> 16;  // to even
      break;
    }
    default: set_int(t, i, (int64_t)x);
  }
}

// ---- Programs ----

typedef enum {
  CONSTANT, ADD, SUBTRACT, MULTIPLY, MAXIMUM, MINIMUM, NEGATE, EXPONENTIAL, CONVERT, COMPARE, SELECT, IOTA, TRANSPOSE, REDUCE, DOT,
  DOT_GENERAL, WHILE, NUM_KINDS
} Kind;

static const char* const kinds[NUM_KINDS] = {
    "constant", "add", "subtract", "multiply", "maximum", "minimum", "negate", "exponential", "convert", "compare", "select", "iota",
    "transpose", "reduce", "dot", "dot_general", "while",
};

static const char* const directions[] = {"EQ", "NE", "LT", "LE", "GT", "GE"};

// Values have numbers, which are places in the memory of a run.
typedef struct {
  Kind kind;
  int num_in, num_out, num_regions;
  int *in, *out;
  Tensor* constant;
  int64_t dims[2][MAX_RANK];  // of transpose, reduce, iota and dot
  int num_dims[2];
  int direction;  // of compare
  Kind reducer;
  Block* regions[2];
} Op;

struct Block {
  int num_params, num_ops, num_returned;
  int *params, *returned;
  Op* ops;
};

// All that a program owns, but for its constants, so that it can be freed at once.
typedef struct Memory {
  struct Memory* next;
  max_align_t data[];
} Memory;

typedef struct {
  Program base;
  Memory* memory;
  Op** constants;
  int num_constants;
  Shape* shapes;  // of all values
} Parsed;

static void* allocate(Parsed* p, size_t size) {
  Memory* m = calloc(1, sizeof *m + size);
  if (!m) abort();
  m->next = p->memory;
  p->memory = m;
  return m->data;
}

// Makes room for one more element of a list, which has n.
static void* grown(Parsed* p, void* list, int n, size_t size) {
  if (n & (n - 1) || (n == 0 && list)) return list;
  void* longer = allocate(p, (n ? 2 * n : 1) * size);
  if (n) memcpy(longer, list, n * size);
  return longer;
}

#define APPEND(p, list, n) ((list) = grown(p, list, n, sizeof *(list)), &(list)[(n)++])

void free_program(Program* program) {
  Parsed* p = (Parsed*)program;
  for (int i = 0; i < p->num_constants; i++) {
    if (p->constants[i]->constant) release(p->constants[i]->constant);
  }
  for (Memory *m = p->memory, *next; m; m = next) {
    next = m->next;
    free(m);
  }
  free(p);
}

// ---- The parser ----

typedef struct {
  char name[64];
  int first, count;  // values
} Name;

typedef struct {
  const char *start, *at, *end;
  Parsed* p;
  Name* names;
  int num_names, depth;
  char* problem;
  size_t room;
  bool supported;
  jmp_buf failed;
} Parser;

__attribute__((noreturn, format(printf, 3, 4))) static void stop(Parser* s, bool supported, const char* format, ...) {
  int line = 1;
  for (const char* c = s->start; c < s->at; c++) line += *c == '\n';
  int n = snprintf(s->problem, s->room, "line %d: ", line);
  va_list list;
  va_start(list, format);
  vsnprintf(s->problem + n, s->room - n, format, list);
  va_end(list);
  s->supported = supported;
  longjmp(s->failed, 1);
}

#define WRONG(s, ...) stop(s, true, __VA_ARGS__)
#define LACKS(s, ...) stop(s, false, __VA_ARGS__)

static bool in_word(char c) {
  return c == '_' || c == '.' || c == '$' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static char peek(Parser* s) {
  for (;;) {
    while (s->at < s->end && strchr(" \t\r\n", *s->at) && *s->at) s->at++;
    if (s->end - s->at < 2 || s->at[0] != '/' || s->at[1] != '/') break;
    while (s->at < s->end && *s->at != '\n') s->at++;
  }
  return s->at < s->end ? *s->at : 0;
}

static bool eat(Parser* s, const char* text) {
  peek(s);
  size_t n = strlen(text);
  if ((size_t)(s->end - s->at) < n || memcmp(s->at, text, n) != 0) return false;
  if (in_word(text[n - 1]) && in_word(s->at[n])) return false;
  s->at += n;
  return true;
}

static void want(Parser* s, const char* text) {
  if (!eat(s, text)) WRONG(s, "expected %s, got %.20s", text, s->at);
}

// Reads a word into room for n characters.
static void word(Parser* s, char* to, int n) {
  peek(s);
  int i = 0;
  while (in_word(*s->at)) {
    if (i + 1 >= n) LACKS(s, "a name is longer than %d characters", n - 1);
    to[i++] = *s->at++;
  }
  if (i == 0) WRONG(s, "expected a name, got %.20s", s->at);
  to[i] = 0;
}

static void skip_string(Parser* s) {
  for (s->at++; s->at < s->end && *s->at != '"'; s->at++) {
    if (*s->at == '\\') s->at++;
  }
  if (s->at >= s->end) WRONG(s, "a string does not end");
  s->at++;
}

// Skips what is between brackets, which begins here.
static void skip_brackets(Parser* s) {
  int depth = 0;
  do {
    char c = peek(s);
    if (!c) WRONG(s, "brackets do not end");
    if (c == '"') {
      skip_string(s);
      continue;
    }
    depth += strchr("([{<", c) ? 1 : strchr(")]}>", c) ? -1 : 0;
    s->at++;
  } while (depth > 0);
}

static int64_t integer(Parser* s) {
  peek(s);
  char* end;
  int64_t x = strtoll(s->at, &end, 10);
  if (end == s->at) WRONG(s, "expected a number, got %.20s", s->at);
  s->at = end;
  return x;
}

static void parse_shape(Parser* s, Shape* shape) {
  *shape = (Shape){0};
  if (!eat(s, "tensor")) LACKS(s, "the only types are tensors, not %.20s", s->at);
  want(s, "<");
  for (;;) {
    char c = peek(s);
    if (c == '?') LACKS(s, "dimensions must be known");
    if (c < '0' || c > '9') break;
    if (shape->rank == MAX_RANK) LACKS(s, "a tensor has at most %d dimensions", MAX_RANK);
    shape->dims[shape->rank++] = integer(s);
    if (*s->at != 'x') WRONG(s, "expected x after a dimension");
    s->at++;
  }
  for (size_t i = 0; i < NUM_TYPES; i++) {
    if (eat(s, types[i].name)) {
      shape->type = types[i].type;
      want(s, ">");
      return;
    }
  }
  LACKS(s, "there are no tensors of the type %.12s", s->at);
}

// Reads shapes, alone or in parentheses, and those after an arrow in their place.
static Shape* parse_types(Parser* s, int* n) {
  Shape* list = NULL;
  do {
    *n = 0;
    bool open = eat(s, "(");
    if (!open || peek(s) != ')') {
      do {
        Shape shape;
        parse_shape(s, &shape);
        if (open && peek(s) == '{') skip_brackets(s);
        *APPEND(s->p, list, *n) = shape;
      } while (eat(s, ","));
    }
    if (open) want(s, ")");
  } while (eat(s, "->"));
  return list;
}

static int new_value(Parser* s, const Shape* shape) {
  *APPEND(s->p, s->p->shapes, s->p->base.num_values) = *shape;
  return s->p->base.num_values - 1;
}

static void name_values(Parser* s, const char* name, int first, int count) {
  Name* n = APPEND(s->p, s->names, s->num_names);
  snprintf(n->name, sizeof n->name, "%s", name);
  n->first = first;
  n->count = count;
}

static int operand(Parser* s) {
  char name[64];
  want(s, "%");
  word(s, name, sizeof name);
  int64_t part = 0;
  if (*s->at == '#') {
    s->at++;
    part = integer(s);
  }
  for (int i = s->num_names - 1; i >= 0; i--) {
    if (strcmp(s->names[i].name, name) == 0) {
      if (part < 0 || part >= s->names[i].count) WRONG(s, "%%%s has %d results", name, s->names[i].count);
      return s->names[i].first + part;
    }
  }
  WRONG(s, "there is no value %%%s", name);
}

static Shape* shape_of(Parser* s, int value) { return &s->p->shapes[value]; }

static void parse_op(Parser* s, Block* b);

// Reads the operations of a block up to the brace behind it.
static void parse_body(Parser* s, Block* b) {
  if (++s->depth > 20) LACKS(s, "regions lie deeper than 20");
  for (;;) {
    bool quoted = eat(s, "\"func.return\"") || eat(s, "\"stablehlo.return\"");
    if (!quoted && !eat(s, "return") && !eat(s, "func.return") && !eat(s, "stablehlo.return")) {
      parse_op(s, b);
      continue;
    }
    if (quoted) want(s, "(");
    while (peek(s) == '%') {
      int value = operand(s);
      *APPEND(s->p, b->returned, b->num_returned) = value;
      if (!eat(s, ",")) break;
    }
    if (quoted) want(s, ")");
    int n;
    if (eat(s, ":")) parse_types(s, &n);
    want(s, "}");
    s->depth--;
    return;
  }
}

static Block* new_block(Parser* s) { return allocate(s->p, sizeof(Block)); }

static void parameter(Parser* s, Block* b, const char* name, const Shape* shape) {
  int value = new_value(s, shape);
  *APPEND(s->p, b->params, b->num_params) = value;
  name_values(s, name, value, 1);
}

// Reads a region in the form of all operations, which begins with a brace.
static Block* parse_region(Parser* s) {
  Block* b = new_block(s);
  int before = s->num_names;
  want(s, "{");
  if (eat(s, "^")) {
    char name[64];
    word(s, name, sizeof name);
    if (eat(s, "(")) {
      do {
        Shape shape;
        want(s, "%");
        word(s, name, sizeof name);
        want(s, ":");
        parse_shape(s, &shape);
        parameter(s, b, name, &shape);
      } while (eat(s, ","));
      want(s, ")");
    }
    want(s, ":");
  }
  parse_body(s, b);
  s->num_names = before;
  return b;
}

// Finds a word in a part of the text, or returns NULL.
static const char* find(const char* from, const char* to, const char* name) {
  size_t n = strlen(name);
  for (const char* c = from; c + n <= to; c++) {
    if (memcmp(c, name, n) == 0 && (c == from || !in_word(c[-1])) && !in_word(c[n])) return c + n;
  }
  return NULL;
}

// Reads the numbers of "= [1, 0]" or "= array<i64: 1, 0>", and returns what follows.
static const char* numbers(const char* at, const char* to, int64_t* list, int* n) {
  while (at < to && !strchr("[<0123456789", *at)) at++;
  bool list_follows = at < to && (*at == '[' || *at == '<');
  if (at < to && *at == '<') {
    while (at < to && *at != ':' && *at != '>') at++;
  }
  if (list_follows && at < to && *at != '>') at++;
  *n = 0;
  while (at < to && *n < MAX_RANK) {
    char* end;
    int64_t x = strtoll(at, &end, 10);
    if (end == at) break;
    list[(*n)++] = x;
    at = end;
    while (at < to && (*at == ' ' || *at == ',')) at++;
    if (!list_follows) break;
  }
  return at;
}

static void need(Parser* s, bool ok, const Op* op, const char* what) {
  if (!ok) WRONG(s, "stablehlo.%s: %s", kinds[op->kind], what);
}

static void can(Parser* s, bool ok, const Op* op, const char* what) {
  if (!ok) LACKS(s, "stablehlo.%s: %s is not supported", kinds[op->kind], what);
}

static void parse_constant(Parser* s, Op* op, const char* at, const char* to, const Shape* shape) {
  at = find(at, to, "dense");
  can(s, at && *at == '<' && is_number(shape->type), op, "this value");
  Tensor* t = op->constant = new_tensor(shape);
  can(s, t, op, "a constant of this size");
  *APPEND(s->p, s->p->constants, s->p->num_constants) = op;
  int64_t n = elements(shape), i = 0;
  int size = size_of(shape->type);
  at++;
  if (*at == '"') {  // all bytes in hexadecimal
    for (at += 3; at + 1 < to && *at != '"' && i < n * size; at += 2) {
      char pair[3] = {at[0], at[1], 0};
      t->data[i++] = (char)strtol(pair, NULL, 16);
    }
    need(s, i == n * size && *at == '"', op, "the text has another number of bytes than the type");
    return;
  }
  for (; at < to && *at != '>'; at++) {
    if (strchr("[], \n", *at)) continue;
    bool hex = at[0] == '0' && at[1] == 'x';
    Tensor one = {.shape = {.type = shape->type}, .data = i < n ? t->data + i * size : (char[16]){0}};
    char* end = (char*)at;
    if (strncmp(at, "true", 4) == 0 || strncmp(at, "false", 5) == 0) {
      set_int(&one, 0, *at == 't');
      end += *at == 't' ? 4 : 5;
    } else if (hex || !is_float(shape->type)) {
      set_int(&one, 0, at[0] == '-' ? strtoll(at, &end, 0) : (int64_t)strtoull(at, &end, 0));
    } else {
      set_float(&one, 0, strtod(at, &end));
    }
    need(s, end > at, op, "an element is no number");
    if (hex && is_float(shape->type)) {  // the bits
      uint64_t bits = strtoull(at, NULL, 16);
      memcpy(one.data, &bits, size);
    }
    i++;
    at = end - 1;
  }
  need(s, n == 0 || i == 1 || i == n, op, "there is another number of elements than in the type");
  for (int64_t j = 1; i == 1 && j < n; j++) memcpy(t->data + j * size, t->data, size);
}

static bool is_binary(Kind k) { return k >= ADD && k <= MINIMUM; }

// Checks shapes, and reads what only one operation has from the text before its types.
static void finish(Parser* s, Op* op, const char* from, const char* to) {
  static const int operands[NUM_KINDS] = {[ADD] = 2, [SUBTRACT] = 2, [MULTIPLY] = 2, [MAXIMUM] = 2, [MINIMUM] = 2, [NEGATE] = 1,
      [EXPONENTIAL] = 1, [CONVERT] = 1, [COMPARE] = 2, [SELECT] = 3, [TRANSPOSE] = 1, [REDUCE] = 2, [DOT] = 2, [DOT_GENERAL] = 2};
  Shape* out = shape_of(s, op->out[0]);
  if (op->kind != WHILE) {
    can(s, op->num_out == 1, op, "more than one result");
    need(s, op->num_in == operands[op->kind], op, "another number of operands is needed");
  }
  Shape* in[3] = {0};
  for (int i = 0; i < op->num_in && i < 3; i++) in[i] = shape_of(s, op->in[i]);
  const char* at;
  switch (op->kind) {
    case CONSTANT: parse_constant(s, op, from, to, out); break;
    case NEGATE:
    case EXPONENTIAL:
      need(s, same_shape(in[0], out), op, "the result is not like the operand");
      can(s, is_number(out->type) && (op->kind == NEGATE || is_float(out->type)), op, "this type");
      break;
    case CONVERT:
      need(s, same_dims(in[0], out), op, "the result has other dimensions");
      can(s, is_number(in[0]->type) && is_number(out->type), op, "this type");
      break;
    case COMPARE:
      need(s, same_shape(in[0], in[1]) && same_dims(in[0], out) && out->type == PJRT_Buffer_Type_PRED, op, "the types do not fit");
      can(s, is_number(in[0]->type), op, "this type");
      op->direction = -1;
      for (int i = 0; i < 6; i++) {
        if (find(from, to, directions[i])) op->direction = i;
      }
      need(s, op->direction >= 0, op, "there is no direction");
      break;
    case SELECT:
      need(s, same_shape(in[1], out) && same_shape(in[2], out) && in[0]->type == PJRT_Buffer_Type_PRED &&
              (in[0]->rank == 0 || same_dims(in[0], out)), op, "the types do not fit");
      break;
    case IOTA:
      at = find(from, to, "dim");
      if (!at) at = find(from, to, "iota_dimension");
      need(s, at, op, "there is no dimension");
      numbers(at, to, op->dims[0], &op->num_dims[0]);
      need(s, op->num_dims[0] == 1 && op->dims[0][0] >= 0 && op->dims[0][0] < out->rank, op, "there is no such dimension");
      can(s, is_number(out->type), op, "this type");
      break;
    case TRANSPOSE: {
      at = find(from, to, "permutation");
      if (!at) at = find(from, to, "dims");
      need(s, at, op, "there is no permutation");
      numbers(at, to, op->dims[0], &op->num_dims[0]);
      bool ok = op->num_dims[0] == out->rank && in[0]->rank == out->rank && in[0]->type == out->type;
      unsigned seen = 0;
      for (int i = 0; ok && i < out->rank; i++) {
        int64_t d = op->dims[0][i];
        ok = d >= 0 && d < out->rank && !(seen & 1u << d) && in[0]->dims[d] == out->dims[i];
        if (ok) seen |= 1u << d;
      }
      need(s, ok, op, "the permutation does not fit the types");
      break;
    }
    case REDUCE: {
      op->reducer = NUM_KINDS;
      for (int k = ADD; k <= MINIMUM; k++) {
        char name[32];
        snprintf(name, sizeof name, "stablehlo.%s", kinds[k]);
        if (op->num_regions == 0 && find(from, to, name)) op->reducer = k;
      }
      if (op->num_regions == 1) {
        Block* b = op->regions[0];
        if (b->num_ops == 1 && b->num_params == 2 && b->num_returned == 1 && is_binary(b->ops[0].kind) &&
            b->returned[0] == b->ops[0].out[0] && b->ops[0].in[0] == b->params[0] && b->ops[0].in[1] == b->params[1]) {
          op->reducer = b->ops[0].kind;
        }
      }
      can(s, op->reducer != NUM_KINDS && is_number(out->type), op, "a function of more than one operation");
      at = find(from, to, "dimensions");
      need(s, at, op, "there are no dimensions");
      numbers(at, to, op->dims[0], &op->num_dims[0]);
      bool reduced[MAX_RANK] = {0};
      for (int i = 0; i < op->num_dims[0]; i++) {
        int64_t d = op->dims[0][i];
        need(s, d >= 0 && d < in[0]->rank && !reduced[d], op, "there is no such dimension");
        reduced[d] = true;
      }
      Shape kept = {.type = in[0]->type};
      for (int i = 0; i < in[0]->rank; i++) {
        if (!reduced[i]) kept.dims[kept.rank++] = in[0]->dims[i];
      }
      need(s, same_shape(&kept, out) && in[1]->rank == 0 && in[1]->type == out->type, op, "the types do not fit");
      break;
    }
    case DOT:
    case DOT_GENERAL: {
      op->dims[0][0] = in[0]->rank - 1;
      op->num_dims[0] = op->num_dims[1] = 1;
      if (op->kind == DOT_GENERAL) {
        can(s, !find(from, to, "batching_dims") && !find(from, to, "lhs_batching_dimensions"), op, "batching");
        if ((at = find(from, to, "contracting_dims"))) {
          at = numbers(at, to, op->dims[0], &op->num_dims[0]);
          numbers(at, to, op->dims[1], &op->num_dims[1]);
        } else if ((at = find(from, to, "lhs_contracting_dimensions"))) {
          numbers(at, to, op->dims[0], &op->num_dims[0]);
          at = find(from, to, "rhs_contracting_dimensions");
          need(s, at, op, "the operands have no dimension in common");
          numbers(at, to, op->dims[1], &op->num_dims[1]);
        }
      }
      can(s, op->num_dims[0] == 1 && op->num_dims[1] == 1 && in[0]->rank <= 2 && in[1]->rank <= 2 && in[0]->rank > 0 &&
             in[1]->rank > 0, op, "another form than of matrices and vectors");
      int64_t l = op->dims[0][0], r = op->dims[1][0];
      bool ok = l >= 0 && l < in[0]->rank && r >= 0 && r < in[1]->rank && in[0]->dims[l] == in[1]->dims[r];
      Shape product = {.type = out->type};
      if (ok && in[0]->rank == 2) product.dims[product.rank++] = in[0]->dims[1 - l];
      if (ok && in[1]->rank == 2) product.dims[product.rank++] = in[1]->dims[1 - r];
      need(s, ok && same_shape(&product, out) && in[0]->type == in[1]->type, op, "the types do not fit");
      can(s, is_number(out->type) && in[0]->type == out->type, op, "this type");
      break;
    }
    case WHILE: {
      bool ok = op->num_regions == 2 && op->num_in == op->num_out;
      for (int r = 0; ok && r < 2; r++) {
        Block* b = op->regions[r];
        ok = b->num_params == op->num_in && b->num_returned == (r ? op->num_in : 1);
        for (int i = 0; ok && i < op->num_in; i++) {
          ok = same_shape(shape_of(s, b->params[i]), shape_of(s, op->in[i])) && same_shape(shape_of(s, op->out[i]), shape_of(s, op->in[i])) &&
               (r == 0 || same_shape(shape_of(s, b->returned[i]), shape_of(s, op->in[i])));
        }
        if (ok && r == 0) {
          Shape* c = shape_of(s, b->returned[0]);
          ok = c->rank == 0 && c->type == PJRT_Buffer_Type_PRED;
        }
      }
      need(s, ok, op, "the regions do not fit the operands");
      break;
    }
    default:
      need(s, same_shape(in[0], out) && same_shape(in[1], out), op, "the types are not all the same");
      can(s, is_number(out->type), op, "this type");
  }
}

// Reads (%i = %zero, %x = %a) : types cond { } do { }.
static Shape* parse_while(Parser* s, Op* op, int* n) {
  char(*names)[64] = NULL;
  int count = 0;
  want(s, "(");
  do {
    char name[64];
    want(s, "%");
    word(s, name, sizeof name);
    memcpy(APPEND(s->p, names, count), name, sizeof name);
    want(s, "=");
    int value = operand(s);
    *APPEND(s->p, op->in, op->num_in) = value;
  } while (eat(s, ","));
  want(s, ")");
  want(s, ":");
  Shape* list = parse_types(s, n);
  need(s, *n == count, op, "there is another number of types than of operands");
  static const char* const words[] = {"cond", "do"};
  for (int r = 0; r < 2; r++) {
    want(s, words[r]);
    want(s, "{");
    int before = s->num_names;
    Block* b = op->regions[op->num_regions++] = new_block(s);
    for (int i = 0; i < count; i++) parameter(s, b, names[i], &list[i]);
    parse_body(s, b);
    s->num_names = before;
  }
  return list;
}

static void parse_op(Parser* s, Block* b) {
  char name[64];
  int count = 1;
  want(s, "%");
  word(s, name, sizeof name);
  if (eat(s, ":")) count = (int)integer(s);
  want(s, "=");
  bool quoted = eat(s, "\"");
  char called[64];
  word(s, called, sizeof called);
  if (quoted) want(s, "\"");
  Op* op = APPEND(s->p, b->ops, b->num_ops);
  *op = (Op){.kind = NUM_KINDS};
  for (int k = 0; k < NUM_KINDS; k++) {
    if (strncmp(called, "stablehlo.", 10) == 0 && strcmp(called + 10, kinds[k]) == 0) op->kind = k;
  }
  if (op->kind == NUM_KINDS) LACKS(s, "there is no operation %s", called);
  // Nested operations may move the list of this block's operations only if they are its own.
  const char *from = s->at, *to = NULL;
  Shape* list;
  int n;
  if (op->kind == WHILE && !quoted) {
    list = parse_while(s, op, &n);
  } else {
    for (int depth = 0; depth > 0 || peek(s) != ':';) {
      char c = peek(s);
      if (!c) WRONG(s, "an operation has no type");
      if (c == '"') {
        skip_string(s);
      } else if (c == '%') {
        int value = operand(s);
        *APPEND(s->p, op->in, op->num_in) = value;
      } else if (c == '(' && (s->at++, peek(s) == '{')) {
        do {
          if (op->num_regions == 2) WRONG(s, "stablehlo.%s has at most two regions", kinds[op->kind]);
          op->regions[op->num_regions++] = parse_region(s);
        } while (eat(s, ","));
        want(s, ")");
        from = s->at;
      } else if (c == '(') {
        depth++;
      } else {
        depth += strchr("[{<", c) ? 1 : strchr(")]}>", c) ? -1 : 0;
        s->at++;
      }
      if (depth < 0) WRONG(s, "a bracket is closed that was not opened");
    }
    to = s->at;
    want(s, ":");
    list = parse_types(s, &n);
    if (count == 1 && n > 1) list[0] = list[n - 1], n = 1;
  }
  if (n != count) WRONG(s, "stablehlo.%s: expected %d results, got %d", kinds[op->kind], n, count);
  for (int i = 0; i < count; i++) {
    int value = new_value(s, &list[i]);
    *APPEND(s->p, op->out, op->num_out) = value;
  }
  name_values(s, name, op->out[0], count);
  finish(s, op, from, to);
}

static void parse_main(Parser* s) {
  Parsed* p = s->p;
  Program* base = &p->base;
  base->body = new_block(s);
  want(s, "(");
  while (peek(s) != ')') {
    char name[64];
    Shape shape;
    want(s, "%");
    word(s, name, sizeof name);
    want(s, ":");
    parse_shape(s, &shape);
    parameter(s, base->body, name, &shape);
    bool donated = false;
    if (peek(s) == '{') {
      const char* from = s->at;
      skip_brackets(s);
      donated = find(from, s->at, "tf.aliasing_output") || find(from, s->at, "jax.buffer_donor");
    }
    int n = base->num_parameters;
    *APPEND(p, base->donated, n) = donated;
    *APPEND(p, base->parameters, base->num_parameters) = shape;
    if (!eat(s, ",")) break;
  }
  want(s, ")");
  if (eat(s, "->")) base->results = parse_types(s, &base->num_results);
  if (eat(s, "attributes")) skip_brackets(s);
  want(s, "{");
  parse_body(s, base->body);
  if (base->body->num_returned != base->num_results) {
    WRONG(s, "main returns %d values, and has %d results", base->body->num_returned, base->num_results);
  }
  for (int i = 0; i < base->num_results; i++) {
    if (!same_shape(shape_of(s, base->body->returned[i]), &base->results[i])) WRONG(s, "result %d has another type than main says", i);
  }
}

static void parse_module(Parser* s) {
  Program* base = &s->p->base;
  snprintf(base->name, sizeof base->name, "main");
  want(s, "module");
  if (eat(s, "@")) word(s, base->name, sizeof base->name);
  if (eat(s, "attributes")) skip_brackets(s);
  want(s, "{");
  want(s, "func.func");
  if (!eat(s, "public") && eat(s, "private")) LACKS(s, "the only function is main");
  if (!eat(s, "@main")) LACKS(s, "the only function is main");
  parse_main(s);
  if (peek(s) == 'f') LACKS(s, "the only function is main");
  want(s, "}");
  if (peek(s)) WRONG(s, "text follows the module");
}

// Describes the results the way PJRT_Executable_Output... return them.
static void describe(Parsed* p) {
  Program* b = &p->base;
  int n = b->num_results, rank = 0;
  for (int i = 0; i < n; i++) rank += b->results[i].rank;
  b->result_types = allocate(p, (n + 1) * sizeof *b->result_types);
  b->result_ranks = allocate(p, (n + 1) * sizeof *b->result_ranks);
  b->result_kinds = allocate(p, (n + 1) * sizeof *b->result_kinds);
  b->result_kind_sizes = allocate(p, (n + 1) * sizeof *b->result_kind_sizes);
  b->result_dims = allocate(p, (rank + 1) * sizeof *b->result_dims);
  for (int i = 0, at = 0; i < n; i++) {
    b->result_types[i] = b->results[i].type;
    b->result_ranks[i] = b->results[i].rank;
    b->result_kinds[i] = "device";
    b->result_kind_sizes[i] = strlen("device");
    for (int d = 0; d < b->results[i].rank; d++) b->result_dims[at++] = b->results[i].dims[d];
  }
}

Program* parse_program(const char* code, size_t size, char* problem, size_t room, bool* supported) {
  Parsed* p = calloc(1, sizeof *p);
  char* text = allocate(p, size + 1);  // ends with a NUL
  memcpy(text, code, size);
  Parser s = {.start = text, .at = text, .end = text + strlen(text), .p = p, .problem = problem, .room = room};
  if (size >= 4 && memcmp(code, "ML\xefR", 4) == 0) {
    snprintf(problem, room, "the program is bytecode, and the plugin reads text alone");
    *supported = false;
    free_program(&p->base);
    return NULL;
  }
  if (setjmp(s.failed)) {
    *supported = s.supported;
    free_program(&p->base);
    return NULL;
  }
  parse_module(&s);
  describe(p);
  p->base.users = 1;
  return &p->base;
}

// ---- The interpreter ----

typedef struct {
  const Parsed* p;
  Tensor** values;
} Run;

static void set_value(Run* r, int value, Tensor* t) {
  if (r->values[value]) release(r->values[value]);
  r->values[value] = t;
}

static bool run_block(Run* r, const Block* b);

static double of_floats(Kind k, double a, double b) {
  switch (k) {
    case ADD: return a + b;
    case SUBTRACT: return a - b;
    case MULTIPLY: return a * b;
    case MAXIMUM: return a != a || a > b ? a : b;
    default: return a != a || a < b ? a : b;
  }
}

static int64_t of_ints(Kind k, int64_t a, int64_t b, bool is_unsigned) {
  bool less = is_unsigned ? (uint64_t)a < (uint64_t)b : a < b;
  switch (k) {
    case ADD: return (int64_t)((uint64_t)a + (uint64_t)b);
    case SUBTRACT: return (int64_t)((uint64_t)a - (uint64_t)b);
    case MULTIPLY: return (int64_t)((uint64_t)a * (uint64_t)b);
    case MAXIMUM: return less ? b : a;
    default: return less ? a : b;
  }
}

// Sets element k of out to what a binary operation makes of two elements.
static void combine(Kind kind, Tensor* out, int64_t k, const Tensor* a, int64_t i, const Tensor* b, int64_t j) {
  PJRT_Buffer_Type t = out->shape.type;
  if (is_float(t)) set_float(out, k, of_floats(kind, get_float(a, i), get_float(b, j)));
  else set_int(out, k, of_ints(kind, get_int(a, i), get_int(b, j), t == PJRT_Buffer_Type_U64));
}

static bool holds(int direction, const Tensor* a, const Tensor* b, int64_t i) {
  bool less, equal, more;
  if (is_float(a->shape.type)) {
    double x = get_float(a, i), y = get_float(b, i);
    less = x < y, equal = x == y, more = x > y;
  } else if (a->shape.type == PJRT_Buffer_Type_U64) {
    uint64_t x = get_int(a, i), y = get_int(b, i);
    less = x < y, equal = x == y, more = x > y;
  } else {
    int64_t x = get_int(a, i), y = get_int(b, i);
    less = x < y, equal = x == y, more = x > y;
  }
  switch (direction) {
    case 0: return equal;
    case 1: return !equal;
    case 2: return less;
    case 3: return less || equal;
    case 4: return more;
    default: return more || equal;
  }
}

static void convert(Tensor* out, const Tensor* in, int64_t i) {
  PJRT_Buffer_Type to = out->shape.type;
  if (is_float(to)) {
    set_float(out, i, get_float(in, i));
  } else if (!is_float(in->shape.type)) {
    set_int(out, i, get_int(in, i));
  } else if (to == PJRT_Buffer_Type_PRED) {
    set_int(out, i, get_float(in, i) != 0);
  } else {
    // Values that do not fit become the nearest that does.
    bool is_unsigned = to >= PJRT_Buffer_Type_U8 && to <= PJRT_Buffer_Type_U64;
    int bits = 8 * size_of(to);
    double x = get_float(in, i), low = is_unsigned ? 0 : -ldexp(1, bits - 1), high = ldexp(1, is_unsigned ? bits : bits - 1);
    uint64_t most = is_unsigned ? ~0ull >> (64 - bits) : ~0ull >> (65 - bits);
    if (x != x) set_int(out, i, 0);
    else if (x >= high) set_int(out, i, (int64_t)most);
    else if (x <= low) set_int(out, i, is_unsigned ? 0 : (int64_t)(~0ull << (bits - 1)));
    else set_int(out, i, is_unsigned ? (int64_t)(uint64_t)x : (int64_t)x);
  }
}

// Moves the elements of one array to another: element at of out is element sum(at[i]*steps[i]).
static void gather(Tensor* out, const Tensor* in, const int64_t* steps) {
  int64_t at[MAX_RANK] = {0}, size = size_of(out->shape.type);
  const Shape* s = &out->shape;
  for (int64_t k = 0; k < elements(s); k++) {
    int64_t from = 0;
    for (int i = 0; i < s->rank; i++) from += at[i] * steps[i];
    memcpy(out->data + k * size, in->data + from * size, size);
    for (int i = s->rank - 1; i >= 0 && ++at[i] == s->dims[i]; i--) at[i] = 0;
  }
}

static void steps_of(const Shape* s, int64_t* steps) {
  int64_t step = 1;
  for (int i = s->rank - 1; i >= 0; i--) {
    steps[i] = step;
    step *= s->dims[i];
  }
}

static void reduce(const Op* op, Tensor* out, const Tensor* in, const Tensor* initial) {
  int64_t at[MAX_RANK] = {0}, steps[MAX_RANK], into[MAX_RANK] = {0};
  steps_of(&out->shape, steps);
  for (int i = 0, k = 0; i < in->shape.rank; i++) {
    bool reduced = false;
    for (int d = 0; d < op->num_dims[0]; d++) reduced |= op->dims[0][d] == i;
    if (!reduced) into[i] = steps[k++];
  }
  int size = size_of(out->shape.type);
  for (int64_t k = 0; k < elements(&out->shape); k++) memcpy(out->data + k * size, initial->data, size);
  for (int64_t k = 0; k < elements(&in->shape); k++) {
    int64_t to = 0;
    for (int i = 0; i < in->shape.rank; i++) to += at[i] * into[i];
    combine(op->reducer, out, to, out, to, in, k);
    for (int i = in->shape.rank - 1; i >= 0 && ++at[i] == in->shape.dims[i]; i--) at[i] = 0;
  }
}

static void add_scaled(float* restrict z, float x, const float* restrict y, int64_t n) {
  for (int64_t i = 0; i < n; i++) z[i] += x * y[i];
}

static void dot(const Op* op, Tensor* out, const Tensor* a, const Tensor* b) {
  int64_t l = op->dims[0][0], r = op->dims[1][0], depth = a->shape.dims[l];
  int64_t rows = a->shape.rank == 2 ? a->shape.dims[1 - l] : 1, columns = b->shape.rank == 2 ? b->shape.dims[1 - r] : 1;
  int64_t sa[MAX_RANK], sb[MAX_RANK];
  steps_of(&a->shape, sa);
  steps_of(&b->shape, sb);
  int64_t row = a->shape.rank == 2 ? sa[1 - l] : 0, column = b->shape.rank == 2 ? sb[1 - r] : 0;
  memset(out->data, 0, rows * columns * size_of(out->shape.type));
  for (int64_t i = 0; i < rows; i++) {
    for (int64_t k = 0; k < depth; k++) {
      if (out->shape.type == PJRT_Buffer_Type_F32) {
        const float x = ((float*)a->data)[i * row + k * sa[l]], *y = (float*)b->data + k * sb[r];
        float* z = (float*)out->data + i * columns;
        if (column == 1) add_scaled(z, x, y, columns);
        else for (int64_t j = 0; j < columns; j++) z[j] += x * y[j * column];
        continue;
      }
      for (int64_t j = 0; j < columns; j++) {
        int64_t x = i * row + k * sa[l], y = k * sb[r] + j * column, z = i * columns + j;
        if (is_float(out->shape.type)) set_float(out, z, get_float(out, z) + get_float(a, x) * get_float(b, y));
        else set_int(out, z, of_ints(ADD, get_int(out, z), of_ints(MULTIPLY, get_int(a, x), get_int(b, y), false), false));
      }
    }
  }
}

static bool run_while(Run* r, const Op* op) {
  for (int i = 0; i < op->num_in; i++) set_value(r, op->out[i], retain(r->values[op->in[i]]));
  for (;;) {
    for (int i = 0; i < op->num_in; i++) set_value(r, op->regions[0]->params[i], retain(r->values[op->out[i]]));
    if (!run_block(r, op->regions[0])) return false;
    if (!get_int(r->values[op->regions[0]->returned[0]], 0)) return true;
    for (int i = 0; i < op->num_in; i++) set_value(r, op->regions[1]->params[i], retain(r->values[op->out[i]]));
    if (!run_block(r, op->regions[1])) return false;
    // A returned value may be a parameter, which must not change before all are read.
    for (int i = 0; i < op->num_in; i++) set_value(r, op->out[i], retain(r->values[op->regions[1]->returned[i]]));
  }
}

static bool run_op(Run* r, const Op* op) {
  if (op->kind == WHILE) return run_while(r, op);
  if (op->kind == CONSTANT) {
    set_value(r, op->out[0], retain(op->constant));
    return true;
  }
  Tensor* in[3] = {0};
  for (int i = 0; i < op->num_in; i++) in[i] = r->values[op->in[i]];
  Tensor* out = new_tensor(&r->p->shapes[op->out[0]]);
  if (!out) return false;
  int64_t n = elements(&out->shape), size = size_of(out->shape.type), steps[MAX_RANK], permuted[MAX_RANK];
  switch (op->kind) {
    case NEGATE:
      for (int64_t i = 0; i < n; i++) {
        if (is_float(out->shape.type)) set_float(out, i, -get_float(in[0], i));
        else set_int(out, i, of_ints(SUBTRACT, 0, get_int(in[0], i), false));
      }
      break;
    case EXPONENTIAL:
      for (int64_t i = 0; i < n; i++) set_float(out, i, exp(get_float(in[0], i)));
      break;
    case CONVERT:
      for (int64_t i = 0; i < n; i++) convert(out, in[0], i);
      break;
    case COMPARE:
      for (int64_t i = 0; i < n; i++) set_int(out, i, holds(op->direction, in[0], in[1], i));
      break;
    case SELECT:
      for (int64_t i = 0; i < n; i++) {
        const Tensor* from = get_int(in[0], in[0]->shape.rank ? i : 0) ? in[1] : in[2];
        memcpy(out->data + i * size, from->data + i * size, size);
      }
      break;
    case IOTA:
      steps_of(&out->shape, steps);
      for (int64_t i = 0; i < n; i++) set_float(out, i, (double)(i / steps[op->dims[0][0]] % out->shape.dims[op->dims[0][0]]));
      break;
    case TRANSPOSE:
      steps_of(&in[0]->shape, steps);
      for (int i = 0; i < out->shape.rank; i++) permuted[i] = steps[op->dims[0][i]];
      gather(out, in[0], permuted);
      break;
    case REDUCE: reduce(op, out, in[0], in[1]); break;
    case DOT:
    case DOT_GENERAL: dot(op, out, in[0], in[1]); break;
    default:
      for (int64_t i = 0; i < n; i++) combine(op->kind, out, i, in[0], i, in[1], i);
  }
  set_value(r, op->out[0], out);
  return true;
}

static bool run_block(Run* r, const Block* b) {
  for (int i = 0; i < b->num_ops; i++) {
    if (!run_op(r, &b->ops[i])) return false;
  }
  return true;
}

bool run_program(const Program* p, Tensor** arguments, Tensor** results) {
  Run r = {.p = (const Parsed*)p, .values = calloc(p->num_values + 1, sizeof(Tensor*))};
  if (!r.values) return false;
  for (int i = 0; i < p->num_parameters; i++) r.values[p->body->params[i]] = retain(arguments[i]);
  bool ok = run_block(&r, p->body);
  for (int i = 0; ok && i < p->num_results; i++) results[i] = retain(r.values[p->body->returned[i]]);
  for (int i = 0; i < p->num_values; i++) {
    if (r.values[i]) release(r.values[i]);
  }
  free(r.values);
  return ok;
}
