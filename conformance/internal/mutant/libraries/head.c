// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// The beginning of each library: a correct plugin of API 0.81 that offers nothing.
// What follows defines GetPjrtApi.

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct version { size_t size; void *extension; int major, minor; };
struct api { size_t size; void *extension; struct version version; void *(*slots[118])(void *); };
struct args { size_t size; void *extension, *error; };

// fail makes an error, which is its code.
static void *fail(int code) {
	int *error = malloc(sizeof *error);
	*error = code;
	return error;
}

static void *answer_unimplemented(void *args) { return fail(12); }

static void *initialize(void *args) { return *(size_t *)args < 16 ? fail(3) : 0; }

static void *destroy(void *args) {
	free(((struct args *)args)->error);
	return 0;
}

static void *message(void *args) {
	const char *text = *(int *)((struct args *)args)->error == 3 ? "the struct is too short" : "nothing is offered";
	*(const char **)((struct args *)args + 1) = text;
	((size_t *)((struct args *)args + 1))[1] = strlen(text);
	return 0;
}

static void *code(void *args) {
	*(int *)((struct args *)args + 1) = *(int *)((struct args *)args)->error;
	return 0;
}

static void *attributes(void *args) {
	if (*(size_t *)args < 24) return fail(3);
	((void **)args)[2] = 0;
	((size_t *)args)[3] = 0;
	return 0;
}

// extension is a vendor's own.
static struct extension { size_t size; int type; void *next; } extension = {sizeof extension, 1000, 0};

// fill makes a table sound.
static struct api *fill(struct api *a) {
	for (int i = 0; i < 118; i++) a->slots[i] = answer_unimplemented;
	a->slots[0] = destroy;
	a->slots[1] = message;
	a->slots[2] = code;
	a->slots[3] = initialize;
	a->slots[4] = attributes;
	a->size = sizeof *a;
	a->version.size = sizeof a->version;
	a->version.minor = 81;
	a->extension = &extension;
	return a;
}
