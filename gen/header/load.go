// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package header

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// unit is one header with all that it includes.
type unit struct {
	opts     Options
	main     *source
	dir      string             // the header's directory
	roots    []string           // the directories that includes are looked up in
	files    map[string]*source // by the name that #include gives; nil if not found or C++
	size     int                // of all texts, in bytes
	tokens   int                // in all of them
	absent   []absence          // included headers that are nowhere
	unread   map[string]*source // included headers that are C++ throughout, by name
	standard map[string]bool    // included headers of C and of the system
	implicit []string           // includes that the header needs and lacks
	macros   map[string]bool    // of all sources; true for function-like ones
	complete map[string]bool    // macros that end with a semicolon
	tags     map[string]string  // struct and union tags of all sources -> the keyword
}

func load(file string, text []byte, opts Options) (*unit, error) {
	u := &unit{opts: opts, files: map[string]*source{}, macros: map[string]bool{}, complete: map[string]bool{},
		tags: map[string]string{}, unread: map[string]*source{}, standard: map[string]bool{}}
	u.dir = filepath.Dir(file)
	u.roots = append(u.roots, opts.IncludeDirs...)
	if abs, err := filepath.Abs(u.dir); err == nil && !opts.sealed {
		for d := abs; ; d = filepath.Dir(d) {
			u.roots = append(u.roots, d)
			if d == filepath.Dir(d) {
				break
			}
		}
	}
	s, err := lex(file, text)
	if err != nil {
		return nil, err
	}
	u.main = s
	if err := u.add(s); err != nil {
		return nil, err
	}
	if err := u.include(s); err != nil {
		return nil, err
	}
	return u, u.checkTested()
}

// absence is an included header that is nowhere, and the line that includes it.
type absence struct {
	name string
	by   *source
	line int
	sure bool // the line is not below a condition that asks whether the header exists
}

// The limits of a header together with all that it includes. They are several
// times what upstream's largest headers need.
const (
	maxUnitSize = 2 * maxSize
	maxFiles    = 200
)

// add takes in the names of s that the front end cannot tell from C's.
func (u *unit) add(s *source) error {
	if u.size += len(s.text); u.size > maxUnitSize {
		return s.errorf(1, 1, "with this file the header and what it includes have %d bytes, more than the %d that are read: "+
			"include less", u.size, maxUnitSize)
	}
	if u.tokens += s.size; u.tokens > maxTokens {
		return s.errorf(1, 1, "with this file the header and what it includes have %d tokens, more than the %d that are read: "+
			"include less", u.tokens, maxTokens)
	}
	for _, d := range s.dirs {
		if t := d.toks; d.name == "define" && len(t) > 0 {
			called := len(t) > 1 && t[1].text == "(" && t[1].off == t[0].end()
			u.macros[t[0].text] = u.macros[t[0].text] || called
			u.complete[t[0].text] = u.complete[t[0].text] || t[len(t)-1].text == ";"
		}
	}
	for i, t := range s.toks {
		if t.text != "struct" && t.text != "union" && t.text != "class" || i > 0 && s.toks[i-1].text == "enum" {
			continue
		}
		j := skipAttributes(s.toks, i+1)
		if j >= len(s.toks) || s.toks[j].kind != kindIdent || keywords[s.toks[j].text] ||
			j+1 < len(s.toks) && (s.toks[j+1].text == "::" || s.toks[j+1].text == "<") {
			continue
		}
		word := t.text
		if word == "class" {
			word = "struct"
		}
		if _, ok := u.tags[s.toks[j].text]; !ok {
			u.tags[s.toks[j].text] = word
		}
	}
	return nil
}

// include loads what s includes.
func (u *unit) include(s *source) error {
	for _, d := range s.dirs {
		if d.name != "include" {
			continue
		}
		name, quoted := includeName(d)
		if name == "" {
			if d.active {
				return s.errorf(d.line, d.col, "#include names no file: write its path in quotes")
			}
			continue
		}
		u.standard[name] = u.standard[name] || isStandard(name)
		if _, ok := u.files[name]; ok || !quoted && isStandard(name) {
			continue
		}
		if len(u.files) >= maxFiles {
			return s.errorf(d.line, d.col, "this is include number %d, more than the %d that are read: include less",
				len(u.files)+1, maxFiles)
		}
		found, err := u.load(name)
		if err != nil {
			return err
		}
		if !found && d.active && !isStandard(name) {
			u.absent = append(u.absent, absence{name: name, by: s, line: d.line, sure: !d.maybe})
		}
	}
	return nil
}

// load reads the header that #include calls name and what it includes. It reports whether
// there is such a header.
func (u *unit) load(name string) (found bool, err error) {
	u.files[name] = nil
	file, text, err := u.find(name)
	var fault *Error
	if errors.As(err, &fault) && !isCAPI(name) {
		return true, nil // too large, as some of upstream's C++ headers are
	}
	if err != nil || file == "" {
		return false, err
	}
	s, err := lex(file, text)
	if err != nil {
		return false, err
	}
	if !isCAPI(name) && isCXXOnly(s) {
		u.unread[name] = s
		return true, nil
	}
	u.files[name] = s
	if err := u.add(s); err != nil {
		return false, err
	}
	return true, u.include(s)
}

// isCAPI reports whether a header's name says that it declares a C API, perhaps with some
// C++ in it.
func isCAPI(name string) bool {
	b := path.Base(name)
	return strings.Contains(b, "c_api") || strings.HasSuffix(b, "_extension.h")
}

// IsCXX reports whether the header in the file at path helps C++ code to implement an
// API: it includes headers of the C++ library that have no counterpart in C, such as
// <memory>.
func IsCXX(path string) (bool, error) {
	text, err := readFile(path)
	if err != nil {
		return false, err
	}
	s, err := lex(path, text)
	if err != nil {
		return false, err
	}
	return slices.ContainsFunc(s.dirs, func(d directive) bool {
		name, quoted := includeName(d)
		return d.name == "include" && d.active && name != "" && !quoted && !strings.HasSuffix(name, ".h") && !strings.HasPrefix(name, "cst")
	}), nil
}

// isCXXOnly reports whether s is C++ through and through, as most of XLA's
// headers are. They are not read: nothing in them has a layout that C knows.
func isCXXOnly(s *source) bool {
	for i, t := range s.toks {
		switch t.text {
		case "class":
			if i == 0 || s.toks[i-1].text != "enum" {
				return true
			}
		case "template", "using", "typename":
			return true
		}
	}
	return false
}

// find looks for an included header. A header that is not found is not an error: most
// such headers are C++ and of no use here.
func (u *unit) find(name string) (file string, text []byte, err error) {
	if path.IsAbs(name) || strings.ContainsAny(name, "\\\x00") || strings.Contains(name, "..") {
		return "", nil, nil
	}
	local := filepath.FromSlash(name)
	candidates := make([]string, 0, 2*len(u.roots)+1)
	for _, root := range u.roots {
		candidates = append(candidates, filepath.Join(root, local))
	}
	// XLA lived in TensorFlow's tree once: tensorflow/compiler/xla/...
	if i := strings.LastIndex(name, "/xla/"); i >= 0 {
		for _, root := range u.roots {
			candidates = append(candidates, filepath.Join(root, filepath.FromSlash(name[i+1:])))
		}
	}
	// A plugin ships its headers flat.
	if !u.opts.sealed {
		candidates = append(candidates, filepath.Join(u.dir, filepath.Base(local)))
	}
	for _, c := range candidates {
		info, err := os.Stat(c)
		if err != nil || !info.Mode().IsRegular() {
			continue
		}
		if own, err := os.Stat(u.main.path); err == nil && os.SameFile(own, info) {
			continue
		}
		text, err := readFile(c)
		return c, text, err
	}
	return u.findFallback(name)
}

// findFallback looks for an included header in the tree that is searched after all
// directories. There, too, the header may be included flat.
func (u *unit) findFallback(name string) (file string, text []byte, err error) {
	if u.opts.Fallback == nil {
		return "", nil, nil
	}
	candidates := []string{name, "xla/pjrt/c/" + path.Base(name)}
	if i := strings.LastIndex(name, "/xla/"); i >= 0 {
		candidates = append(candidates, name[i+1:])
	}
	for _, c := range candidates {
		if !fs.ValidPath(c) {
			continue
		}
		if text, err := fs.ReadFile(u.opts.Fallback, c); err == nil {
			return c, text, nil
		}
	}
	return "", nil, nil
}

// cause returns err without the name of the file, which the message already has.
func cause(err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err
	}
	return err
}

// includeName returns what the directive includes and whether it is quoted.
func includeName(d directive) (name string, quoted bool) {
	if len(d.toks) == 0 {
		return "", false
	}
	if t := d.toks[0]; t.kind == kindString && len(t.text) > 2 {
		return t.text[1 : len(t.text)-1], true
	}
	if d.toks[0].text != "<" {
		return "", false
	}
	var b strings.Builder
	for _, t := range d.toks[1:] {
		if t.text == ">" {
			return b.String(), false
		}
		b.WriteString(t.text)
	}
	return "", false
}

// provide looks for a header with a name that the main header uses and nothing declares,
// first in the core header, then in its neighbours, and includes that header. It reports
// whether it found one; the front end finds out whether that header declares the name.
func (u *unit) provide(name string) (bool, error) {
	for _, n := range u.neighbours() {
		if u.files[n] != nil || slices.Contains(u.implicit, n) {
			continue
		}
		s, err := u.neighbour(n)
		if err != nil || s == nil || !slices.ContainsFunc(s.toks, func(t token) bool { return t.text == name }) && !defines(s, name) {
			continue // a neighbour that cannot be read is not a fault of this header
		}
		u.implicit = append(u.implicit, n)
		_, err = u.load(n)
		return true, err
	}
	return false, nil
}

// neighbour reads the header that #include calls name. It returns nil if the header is
// not there, is C++, or is the main header itself.
func (u *unit) neighbour(name string) (*source, error) {
	file, text, err := u.find(name)
	if err != nil || file == "" {
		return nil, err
	}
	s, err := lex(file, text)
	if err != nil || isCXXOnly(s) {
		return nil, err
	}
	return s, nil
}

func defines(s *source, macro string) bool {
	return slices.ContainsFunc(s.dirs, func(d directive) bool {
		return d.name == "define" && len(d.toks) > 0 && d.toks[0].text == macro
	})
}

// neighbours returns the include names of the headers that may declare what a header uses
// without including it.
func (u *unit) neighbours() []string {
	const core = "xla/pjrt/c/pjrt_c_api.h"
	list := []string{core}
	for _, root := range u.roots {
		if entries, err := os.ReadDir(filepath.Join(root, "xla", "pjrt", "c")); err == nil {
			return append(list, headersOf(entries)...)
		}
	}
	if u.opts.Fallback != nil {
		if entries, err := fs.ReadDir(u.opts.Fallback, "xla/pjrt/c"); err == nil {
			list = append(list, headersOf(entries)...)
		}
	}
	return list
}

// headersOf returns the include names of the headers among the entries of
// xla/pjrt/c.
func headersOf(entries []fs.DirEntry) (names []string) {
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), ".h") && e.Type().IsRegular() {
			names = append(names, "xla/pjrt/c/"+e.Name())
		}
	}
	return names
}
