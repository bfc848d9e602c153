// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

//go:build cc && linux

package library

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/conformance/internal/check"
)

// header is what the libraries have in common: the head of a table.
const header = `
#include <stdlib.h>
#include <unistd.h>
#include <string.h>
struct version { size_t size; void *extension; int major, minor; };
struct api { size_t size; void *extension; struct version version; void *slots[118]; };
static struct api *make(void) {
	struct api *a = calloc(1, sizeof *a);
	a->size = sizeof *a; a->version.size = sizeof a->version; a->version.minor = 81;
	return a;
}
`

// build compiles a library.
func build(t *testing.T, source string) string {
	t.Helper()
	dir := t.TempDir()
	from, to := filepath.Join(dir, "plugin.c"), filepath.Join(dir, "plugin.so")
	require.NoError(t, os.WriteFile(from, []byte(header+source), 0o600))
	out, err := exec.Command("cc", "-shared", "-fPIC", "-Wno-implicit-function-declaration", "-o", to, from).CombinedOutput()
	require.NoError(t, err, "%s", out)
	return to
}

func TestFaultsOfTheFile(t *testing.T) {
	loadLimit = 200 * time.Millisecond
	for _, fault := range []struct{ check, name, source string }{
		{"LOAD-01", "the symbol is that of C++", `struct api *_Z10GetPjrtApiv(void) { return make(); }`},
		{"LOAD-01", "the symbol is hidden", `__attribute__((visibility("hidden"))) struct api *GetPjrtApi(void) { return make(); }`},
		{"LOAD-01", "there is no table", `struct api *GetPjrtApi(void) { return 0; }`},
		{"LOAD-02", "makes a table for each call", `struct api *GetPjrtApi(void) { return make(); }`},
		{"LOAD-03", "looks for devices when it is loaded", `struct api *GetPjrtApi(void) { usleep(600000); return make(); }`},
		{"LOAD-11", "needs functions of the program", `struct api *GetPjrtApi(void) { return function_of_the_program(make()); }`},
	} {
		t.Run(fault.check+": "+fault.name, func(t *testing.T) {
			c := suite.Checks[0]
			for _, other := range suite.Checks {
				if other.Name() == fault.check {
					c = other
				}
			}
			require.Equal(t, fault.check, c.Name())
			r := check.Run(t.Context(), &c, &check.Env{Path: build(t, fault.source)})
			assert.True(t, r.Verdict.Failed(), "%+v", r)
			t.Log(r.Failures)
		})
	}
	good := build(t, `static struct api *a; __attribute__((constructor)) static void init(void) { a = make(); } struct api *GetPjrtApi(void) { return a; }`)
	for _, c := range suite.Checks[:3] {
		r := check.Run(t.Context(), &c, &check.Env{Path: good})
		assert.Equal(t, check.Pass, r.Verdict, "%s: %v", c.Name(), r.Failures)
	}
}
