// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package header reads PJRT's C headers, upstream's own of any age and ours,
// into a [model.Header]: declarations, comments and the layout that a C
// compiler for x86-64 Linux gives them.
//
// It runs no program and reads no system header. The C front end is
// modernc.org/cc; what its language lacks is prepared for it token by token,
// because many of upstream's headers are C++ in part: namespaces, qualified
// names, default arguments, scoped enums, tags used as types. A project header
// that cannot be found counts as empty, and a type that nothing declares is
// opaque, so that a header can be read alone as far as its layout allows.
package header

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/purepjrt/purepjrt/gen/model"
	"modernc.org/cc/v4"
)

// Options say how to read a header.
type Options struct {
	// IncludeDirs are searched for what the header includes, in order. After
	// them come the directories above the header itself, so that a header in
	// its own tree needs none.
	IncludeDirs []string
}

// Parse reads the header in the file at path. An error about the header's
// contents is an [*Error], with file, line and column.
func Parse(path string, opts Options) (*model.Header, error) {
	text, err := readFile(path)
	if err != nil {
		return nil, err
	}
	return ParseText(path, text, opts)
}

// ParseText is Parse for a header whose text is at hand. Its path says where
// it would be: includes are looked up from there, and errors name it.
func ParseText(path string, text []byte, opts Options) (h *model.Header, err error) {
	for _, d := range opts.IncludeDirs {
		if info, err := os.Stat(d); err != nil {
			return nil, fmt.Errorf("cannot use include directory %s: %w", d, cause(err))
		} else if !info.IsDir() {
			return nil, fmt.Errorf("cannot use include directory %s: it is not a directory", d)
		}
	}
	u, err := load(path, text, opts)
	if err != nil {
		return nil, err
	}
	t, err := u.translate()
	if err != nil {
		return nil, err
	}
	return t.extract()
}

// Tree returns the paths, sorted, of the headers under root/xla.
func Tree(root string) ([]string, error) {
	var paths []string
	err := filepath.WalkDir(filepath.Join(root, "xla"), func(p string, d os.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() && strings.HasSuffix(p, ".h") {
			paths = append(paths, p)
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("cannot list the headers of %s: %w", root, err)
	}
	slices.Sort(paths)
	return paths, nil
}

// translation is a unit that the C front end has accepted.
type translation struct {
	*unit
	rw      *rewriter // of the main header
	rws     map[string]*rewriter
	shifts  map[string][]shift
	spelled map[string]string
	added   []added // to the main header
	ast     *cc.AST
	opaque  map[string]int // types that nothing declares
}

// sentinels stand behind the header. The front end skips what it does not expect
// until it meets something that can go on, and never stops at the end of its
// input.
var sentinels = strings.Repeat("int __sentinel(int);\n", 2*maxNesting)

// What the C front end calls the main header, which no #include can name, and
// the declarations before and behind it.
const (
	mainName  = "\x00main"
	namesName = "<names>"
	endName   = "<end>"
)

// translate rewrites the unit's sources and runs the C front end on them.
func (u *unit) translate() (*translation, error) {
	t := &translation{unit: u}
	for range 64 { // each round adds a header that was not included
		t.spelled = map[string]string{}
		t.shifts = map[string][]shift{}
		t.rws = map[string]*rewriter{}
		wanted := map[string]int{}
		for _, name := range append(sortedKeys(u.files), mainName) {
			s := u.files[name]
			if name == mainName {
				s = u.main
			}
			if s == nil {
				continue
			}
			rw, err := rewrite(s, u.known, t.spelled)
			if err != nil {
				return nil, err
			}
			t.rws[name] = rw
			for n, i := range rw.unknown {
				wanted[n] = i
			}
			for n, i := range rw.vague {
				wanted[n] = i
			}
		}
		t.rw = t.rws[mainName]
		found, err := u.provide(wanted)
		if err != nil {
			return nil, err
		}
		if !found {
			break
		}
	}
	for _, n := range sortedKeys(t.rw.vague) {
		if i := t.rw.vague[n]; t.rw.is(i+1, "(") {
			return nil, u.main.errorAt(i, "the macro %s is not defined: give the directory that holds xla/ with -I", n)
		}
	}
	return t, t.run()
}

// run gives the sources to the C front end. Input that makes it panic is an
// error of the input.
func (t *translation) run() (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = t.main.errorf(1, 1, "the C front end cannot read this: %v", p)
		}
	}()
	abi, err := cc.NewABI("linux", "amd64")
	if err != nil {
		return fmt.Errorf("no layout rules for linux/amd64: %w", err)
	}
	served := &includeFS{texts: map[string][]byte{}, once: map[string]bool{}}
	var text []byte
	for name, rw := range t.rws {
		emitted, shifts, extra := rw.emit()
		t.shifts[name] = shifts
		if name == mainName {
			text, t.added = emitted, extra
			continue
		}
		served.texts[name] = emitted
		if rw.once {
			served.once[name] = false
		}
	}
	cfg := &cc.Config{
		ABI: abi, FS: served, FSOnly: true, Header: true, UnsignedEnums: true, EvalAllMacros: true,
		IncludePaths: []string{"."}, SysIncludePaths: []string{"."}, IgnoreStaticAssert: true,
		ExpansionLimit: 5_000_000,
	}
	sources := []cc.Source{
		{Name: "<prelude>", Value: prelude + "int __predefined_declarator;\n"},
		{Name: namesName, Value: t.declared()},
	}
	var implicit strings.Builder
	for _, name := range t.implicit {
		fmt.Fprintf(&implicit, "#include %q\n", name)
	}
	sources = append(sources, cc.Source{Name: "<implicit>", Value: implicit.String()})
	sources = append(sources, cc.Source{Name: mainName, Value: text}, cc.Source{Name: endName, Value: sentinels})
	t.ast, err = cc.Translate(cfg, sources)
	return t.explain(err)
}

// declared is C that declares what the headers use as C++ does, or without any
// declaration.
func (t *translation) declared() string {
	var b strings.Builder
	t.opaque = map[string]int{}
	for name, rw := range t.rws {
		for n, i := range rw.unknown {
			if name == mainName {
				t.opaque[n] = i
			} else if _, ok := t.opaque[n]; !ok {
				t.opaque[n] = -1
			}
		}
		for n, i := range rw.vague {
			if !rw.is(i+1, "(") {
				fmt.Fprintf(&b, "#define %s\n", n)
			}
		}
	}
	for _, n := range sortedKeys(t.opaque) {
		fmt.Fprintf(&b, "typedef struct %s %s;\n", n, n)
	}
	for _, n := range sortedKeys(t.known.tags) {
		if t.known.bare[n] && t.known.tags[n] != "enum" && !t.known.isMacro(n) && !preludeTypes[n] {
			fmt.Fprintf(&b, "typedef %s %s %s;\n", t.known.tags[n], n, n)
		}
	}
	for _, id := range sortedKeys(t.spelled) {
		if c := cxxType(t.spelled[id]); c != "" {
			fmt.Fprintf(&b, "typedef %s %s;\n", c, id)
		} else if n := strings.TrimPrefix(t.spelled[id], "::"); t.known.isType(n) && !strings.Contains(n, "::") {
			fmt.Fprintf(&b, "#define %s %s\n", id, n)
		} else {
			fmt.Fprintf(&b, "typedef struct %s %s;\n", id, id)
		}
	}
	return b.String()
}

// explain turns the first error of the C front end into one that names the
// place in the original.
func (t *translation) explain(err error) error {
	if err == nil {
		return nil
	}
	first, _, _ := strings.Cut(err.Error(), "\n")
	file, line, col, msg, ok := splitPosition(first)
	s := t.main
	switch {
	case !ok:
		return t.main.errorf(1, 1, "%s", first)
	case file == mainName:
		col = original(t.shifts[mainName], line, col)
	case file == endName:
		return t.main.errorAt(len(t.main.toks), "the header ends in the middle of a declaration")
	case t.files[file] != nil:
		s = t.files[file]
		col = original(t.shifts[file], line, col)
	default:
		return t.main.errorf(1, 1, "%s", msg)
	}
	for id, text := range t.spelled {
		msg = strings.ReplaceAll(msg, id, text)
	}
	msg = strings.ReplaceAll(msg, mainName, t.main.path)
	// The front end adds where in its own source it found the fault.
	if i := strings.LastIndex(msg, " ("); i >= 0 && strings.HasSuffix(msg, ":)") && strings.Contains(msg[i:], ".go:") {
		msg = msg[:i]
	}
	msg = strings.TrimRight(msg, ": ")
	return s.errorf(line, col, "%s", msg)
}
