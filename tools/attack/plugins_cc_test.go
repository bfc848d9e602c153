// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

//go:build cc && linux

package attack

import (
	"cmp"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// faults are those of the plugin in conformance/testdata/faulty.c.
var faults = []string{
	"SEGFAULT_ENTRY", "SEGFAULT_FIRST", "SEGFAULT_LOAD", "HANG", "PRINT", "EXIT", "MANGLED", "NULL_TABLE", "THREAD", "OWN_HANDLER",
	"NULL_SLOTS", "TRUNCATED",
}

// libraries are sources of libraries that hurt the process in other ways: when they are loaded, in
// GetPjrtApi, and with tables that are none.
var libraries = map[string]string{
	"aborts":               `__attribute__((constructor)) static void f(void) { abort(); }`,
	"exits":                `__attribute__((constructor)) static void f(void) { exit(0); }`,
	"kills itself":         `__attribute__((constructor)) static void f(void) { raise(SIGKILL); }`,
	"stops itself":         `__attribute__((constructor)) static void f(void) { raise(SIGSTOP); }`,
	"loops":                `void *GetPjrtApi(void) { for (;;); }`,
	"takes all memory":     `void *GetPjrtApi(void) { for (;;) memset(malloc(1 << 26), 1, 1 << 26); }`,
	"overflows the stack":  `static int f(volatile int n) { volatile char b[4096]; b[0] = n; return f(n + 1) + b[0]; } void *GetPjrtApi(void) { f(0); return 0; }`,
	"closes every file":    `__attribute__((constructor)) static void f(void) { for (int i = 0; i < 1024; i++) close(i); }`,
	"takes all files":      `__attribute__((constructor)) static void f(void) { while (open("/dev/null", 0) >= 0); }`,
	"takes the signals":    `__attribute__((constructor)) static void f(void) { for (int i = 1; i < 65; i++) signal(i, SIG_IGN); }`,
	"starts processes":     `__attribute__((constructor)) static void f(void) { for (int i = 0; i < 8; i++) if (fork() == 0) { sleep(30); _exit(0); } }`,
	"prints without end":   `void *GetPjrtApi(void) { char b[4096]; memset(b, 'x', sizeof b); for (;;) if (write(2, b, sizeof b) < 0) abort(); }`,
	"answers for another":  `void *GetPjrtApi(void) { for (int i = 3; i < 64; i++) write(i, "nonsense nonsense nonsense nonsense nonsense", 44); return 0; }`,
	"has a table of noise": `void *GetPjrtApi(void) { static unsigned char t[8192]; for (int i = 0; i < 8192; i++) t[i] = i * 7919 >> 3; return t; }`,
	"has no table":         `void *GetPjrtApi(void) { return (void *)8; }`,
	"has an endless table": `void *GetPjrtApi(void) { static unsigned long t[8] = {~0UL >> 1}; return t; }`,
	"has a short table":    `void *GetPjrtApi(void) { static unsigned long t[8] = {8}; return t; }`,
	"has circular extensions": `
struct node { unsigned long size; int type; struct node *next; };
void *GetPjrtApi(void) {
  static struct node n = {24, 3, &n};
  static unsigned long t[256] = {2048, (unsigned long)&n, 24, 0, 81};
  return t;
}`,
}

// built compiles a library.
func built(t *testing.T, args ...string) string {
	t.Helper()
	out := filepath.Join(t.TempDir(), "plugin.so")
	cc := exec.Command(cmp.Or(os.Getenv("CC"), "gcc"), append([]string{"-std=gnu11", "-w", "-O1", "-shared", "-fPIC", "-o", out}, append(args, "-lpthread")...)...)
	text, err := cc.CombinedOutput()
	require.NoError(t, err, "%s", text)
	return out
}

// The commands that try a plugin say what it does, and go on.
func TestPluginsThatHurtTheProcessAreReported(t *testing.T) {
	t.Parallel()
	attack := func(t *testing.T, library string) {
		t.Parallel()
		dir := t.TempDir()
		session := filepath.Join(dir, "session.jsonl")
		require.NoError(t, os.WriteFile(session, []byte(`{"format":"purepjrt session","version":1,"api":[0,81]}`+"\n"), 0o600))
		for _, args := range [][]string{
			{"info", "--timeout", "2s", library}, {"list", "--timeout", "2s", library}, {"doctor", "--timeout", "2s", library},
			{"replay", "--patience", "2s", session, "--plugin", library},
		} {
			v := attacked(t, dir, nil, args...)
			assert.NotEmpty(t, v.stdout+v.stderr, args[0])
		}
	}
	for _, fault := range faults {
		t.Run(fault, func(t *testing.T) {
			attack(t, built(t, "-DFAULT="+fault, "-I../../third_party/xla", "../../conformance/testdata/faulty.c"))
		})
	}
	for name, source := range libraries {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "plugin.c")
			include := "#define _GNU_SOURCE\n"
			for _, h := range strings.Fields("fcntl.h signal.h stdlib.h string.h unistd.h") {
				include += "#include <" + h + ">\n"
			}
			require.NoError(t, os.WriteFile(file, []byte(include+source), 0o600))
			attack(t, built(t, file))
		})
	}
}
