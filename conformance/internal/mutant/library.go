// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package mutant

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

//go:embed libraries/head.c
var head string

// soundLibrary is the source of the library without a fault.
const soundLibrary = `
static struct api table;
__attribute__((constructor)) static void load(void) { fill(&table); }
struct api *GetPjrtApi(void) { return &table; }
`

// LibraryOf makes a mutant that is a library of its own, for faults of the file and of
// the process. The source, in C, is appended to libraries/head.c and defines
// GetPjrtApi.
func LibraryOf(check, fault, source string) Mutant {
	return Mutant{Check: check, Fault: fault, Base: Library, source: source}
}

// ErrNoCompiler says that libraries cannot be made on this machine.
var ErrNoCompiler = errors.New("no C compiler was found: set CC, or install gcc or clang")

// Compiler returns the command of a C compiler.
func Compiler() (string, error) {
	for _, name := range []string{os.Getenv("CC"), "cc", "gcc", "clang"} {
		if name == "" {
			continue
		}
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", ErrNoCompiler
}

// Compile makes the library of a mutant whose base is Library, or, if m is nil, the one
// without a fault, in a folder, and returns its path.
func Compile(ctx context.Context, m *Mutant, dir string) (string, error) {
	compiler, err := Compiler()
	if err != nil {
		return "", err
	}
	source := soundLibrary
	if m != nil {
		source = m.source
	}
	work, err := os.MkdirTemp(dir, "library")
	if err != nil {
		return "", err
	}
	from, to := filepath.Join(work, "plugin.c"), filepath.Join(work, "plugin.so")
	if err := os.WriteFile(from, []byte(head+source), 0o600); err != nil {
		return "", err
	}
	out, err := exec.CommandContext(ctx, compiler, "-std=gnu11", "-w", "-O1", "-shared", "-fPIC", "-o", to, from, "-lpthread",
		"-lm").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("compile a library: %w\n%s", err, out)
	}
	return to, nil
}
