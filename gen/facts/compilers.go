// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package facts

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/purepjrt/purepjrt/gen/model"
)

// Compilers are a C and a C++ compiler. They are the witnesses of facts: they confirm each size,
// offset, value, type and signature of a header.
type Compilers struct {
	c, cxx compiler
	name   string
}

// compiler is a compiler and how it is called. Upstream's headers that are not C need
// -fpermissive: one of them gives a field the name of its own type.
type compiler struct {
	args []string
	ext  string
}

// FindCompilers returns the compilers that CC and CXX name, by default gcc and g++ or else clang
// and clang++. It returns nil if there are none.
func FindCompilers(ctx context.Context) *Compilers {
	for _, pair := range [][2]string{
		{os.Getenv("CC"), os.Getenv("CXX")}, {"gcc", "g++"}, {"clang", "clang++"},
	} {
		cc, cxx := cmp.Or(pair[0], "gcc"), cmp.Or(pair[1], "g++")
		if pair == [2]string{} {
			continue
		}
		_, noC := exec.LookPath(cc)
		_, noCXX := exec.LookPath(cxx)
		if noC != nil || noCXX != nil {
			continue
		}
		version, err := exec.CommandContext(ctx, cc, "--version").Output()
		if err != nil {
			continue
		}
		machine, err := exec.CommandContext(ctx, cc, "-dumpmachine").Output()
		if err != nil {
			continue
		}
		first, _, _ := strings.Cut(string(version), "\n")
		return &Compilers{
			c:    compiler{[]string{cc, "-std=c11", "-Wall", "-Werror"}, ".c"},
			cxx:  compiler{[]string{cxx, "-std=c++17", "-fpermissive", "-w"}, ".cc"},
			name: strings.TrimSpace(first) + ", " + strings.TrimSpace(string(machine)),
		}
	}
	return nil
}

// String names the C compiler, its version and its machine.
func (w *Compilers) String() string { return w.name }

// Subject is a header to confirm.
type Subject struct {
	Facts *model.Header
	C     *bool    // whether it is C upstream, and not only C++; nil if that is not known
	Roots []string // the include roots: where it lies, and where stand-ins for C++ headers lie
}

// Confirm compiles a program that includes the header, compares what the compilers measure
// with the facts, and returns an error for each difference. A header that is C upstream
// must be C here, and one that is not must not be.
func (w *Compilers) Confirm(ctx context.Context, s Subject) error {
	if err := w.language(ctx, s); err != nil {
		return err
	}
	cxx := s.C != nil && !*s.C
	if s.C == nil {
		cxx = w.c.build(ctx, s.Roots, twice(s.Facts.Path), "") != nil
	}
	c := w.c
	if cxx {
		c = w.cxx
	}
	dir, err := os.MkdirTemp("", "witness-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	p := newProbe(s.Facts, cxx)
	program := filepath.Join(dir, "probe")
	if err := c.build(ctx, s.Roots, p.String(), program); err != nil {
		return fmt.Errorf("%s: the compiler refuses what the facts say: %w", s.Facts.Path, err)
	}
	out, err := exec.CommandContext(ctx, program).Output()
	if err != nil {
		return fmt.Errorf("%s: the program that measures it failed: %w", s.Facts.Path, err)
	}
	return p.compare(s.Facts.Path, string(out))
}

// language checks in which languages the header compiles.
func (w *Compilers) language(ctx context.Context, s Subject) error {
	if err := w.cxx.build(ctx, s.Roots, twice(s.Facts.Path), ""); err != nil {
		return fmt.Errorf("%s is not C++: %w", s.Facts.Path, err)
	}
	if s.C == nil {
		return nil
	}
	switch err := w.c.build(ctx, s.Roots, twice(s.Facts.Path), ""); {
	case *s.C && err != nil:
		return fmt.Errorf("%s is C upstream but not here: %w", s.Facts.Path, err)
	case !*s.C && err == nil:
		return fmt.Errorf("%s is C here but not upstream", s.Facts.Path)
	}
	return nil
}

// twice returns source that shows that a header needs nothing before it, and is guarded.
func twice(path string) string { return fmt.Sprintf("#include %q\n#include %q\n", path, path) }

// build compiles source into a program, or only checks it when out is empty.
func (c compiler) build(ctx context.Context, roots []string, source, out string) error {
	args := slices.Clone(c.args[1:])
	for _, r := range roots {
		args = append(args, "-I"+r)
	}
	if out == "" {
		args = append(args, "-fsyntax-only")
	} else {
		args = append(args, "-o", out)
	}
	args = append(args, "-x", map[string]string{".c": "c", ".cc": "c++"}[c.ext], "-")
	cmd := exec.CommandContext(ctx, c.args[0], args...)
	cmd.Stdin = strings.NewReader(source)
	text, err := cmd.CombinedOutput()
	if err != nil {
		return fmt.Errorf("%w\n%s", err, text)
	}
	return nil
}

// compare compares what the program printed with what the facts say.
func (p *probe) compare(path, printed string) error {
	have := make(map[string]string)
	for line := range strings.Lines(printed) {
		key, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		have[key] = value
	}
	var errs []error
	for _, key := range p.keys {
		if have[key] != p.want[key] {
			errs = append(errs, fmt.Errorf("%s: %s: the facts say %s, and the compiler measures %s", path, key, p.want[key], have[key]))
		}
	}
	if len(have) != len(p.want) {
		errs = append(errs, fmt.Errorf("%s: the program measured %d numbers, and the facts have %d", path, len(have), len(p.want)))
	}
	return errors.Join(errs...)
}
