// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

//go:build cc && linux

package capi

import (
	"cmp"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/internal/dynamic"
)

func TestOpenSaysWhatALibraryWithUndefinedSymbolsLacks(t *testing.T) {
	for name, c := range map[string]struct{ symbol, want string }{
		"Python":         {"PyByteArray_Type", "it needs Python, and does not say in which library"},
		"Python, inside": {"_PyThreadState_UncheckedGet", "it needs Python, and does not say in which library"},
		"another":        {"Pyramid", "the dynamic linker rejected it"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			source, library := filepath.Join(dir, "plugin.c"), filepath.Join(dir, "plugin.so")
			code := "extern char " + c.symbol + "; char *address = &" + c.symbol + "; void *GetPjrtApi(void) { return 0; }"
			require.NoError(t, os.WriteFile(source, []byte(code), 0o600))
			out, err := exec.Command(cmp.Or(os.Getenv("CC"), "gcc"), "-shared", "-fPIC", "-o", library, source).CombinedOutput()
			require.NoError(t, err, string(out))
			_, err = Open(library)
			require.ErrorContains(t, err, c.want)
			assert.ErrorContains(t, err, "undefined symbol: "+c.symbol)
		})
	}
}

func TestAStaticProgramSaysThatItCannotLoad(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	program := filepath.Join(dir, "main.go")
	require.NoError(t, os.WriteFile(program, []byte(`package main

import "C"

import (
	"fmt"
	"os"

	"github.com/purepjrt/purepjrt/capi"
)

func main() {
	_, err := capi.Open(os.Args[1])
	fmt.Println(err)
}
`), 0o600))
	build := exec.CommandContext(t.Context(), "go", "build", "-ldflags=-linkmode=external -extldflags=-static", "-o", filepath.Join(dir, "main"), program)
	build.Env = append(os.Environ(), "CGO_ENABLED=1")
	out, err := build.CombinedOutput()
	require.NoError(t, err, string(out))
	library, err := filepath.EvalSymlinks("/lib64/ld-linux-x86-64.so.2")
	if err != nil {
		t.Skip(err)
	}
	out, err = exec.CommandContext(t.Context(), filepath.Join(dir, "main"), library).CombinedOutput()
	require.NoError(t, err, string(out))
	assert.Contains(t, string(out), dynamic.ErrStatic.Error())
}
