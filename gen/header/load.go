// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package header

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// unit is one header with all that it includes.
type unit struct {
	opts     Options
	main     *source
	dir      string             // the header's directory
	roots    []string           // the directories that includes are looked up in
	files    map[string]*source // by the name that #include gives; nil if not found
	implicit []string           // includes that the header needs and lacks
	known    *names
}

func load(file string, text []byte, opts Options) (*unit, error) {
	s, err := lex(file, text)
	if err != nil {
		return nil, err
	}
	u := &unit{opts: opts, main: s, files: map[string]*source{}, known: newNames()}
	u.dir = filepath.Dir(file)
	u.roots = append(u.roots, opts.IncludeDirs...)
	if abs, err := filepath.Abs(u.dir); err == nil {
		for d := abs; ; d = filepath.Dir(d) {
			u.roots = append(u.roots, d)
			if d == filepath.Dir(d) {
				break
			}
		}
	}
	u.known.collect(s)
	return u, u.include(s)
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
				return s.errorf(d.line, d.col, "#include names no file")
			}
			continue
		}
		if _, ok := u.files[name]; ok || !quoted {
			continue
		}
		if err := u.load(name); err != nil {
			return err
		}
	}
	return nil
}

// load reads the header that #include calls name and what it includes.
func (u *unit) load(name string) error {
	u.files[name] = nil
	file, text, err := u.find(name)
	if err != nil || file == "" {
		return err
	}
	s, err := lex(file, text)
	if err != nil {
		return err
	}
	if !isCAPI(name) && isCXXOnly(s) {
		return nil
	}
	u.files[name] = s
	u.known.collect(s)
	return u.include(s)
}

// isCAPI reports whether a header's name says that it declares a C API, be it
// with some C++ in it.
func isCAPI(name string) bool {
	b := path.Base(name)
	return strings.Contains(b, "c_api") || strings.HasSuffix(b, "_extension.h")
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

// find looks for an included header. One that is nowhere is no error: most of
// them are C++ and of no use here.
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
	candidates = append(candidates, filepath.Join(u.dir, filepath.Base(local)))
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
	return "", nil, nil
}

func readFile(file string) ([]byte, error) {
	info, err := os.Stat(file)
	if err != nil {
		return nil, fmt.Errorf("cannot read header %s: %w", file, cause(err))
	}
	if info.IsDir() {
		return nil, fmt.Errorf("cannot read header %s: it is a directory", file)
	}
	if info.Size() > maxSize {
		return nil, &Error{Path: file, Line: 1, Col: 1,
			Msg: fmt.Sprintf("the file has %d bytes, more than the %d that a header may have", info.Size(), maxSize)}
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("cannot read header %s: %w", file, cause(err))
	}
	return text, nil
}

// cause is err without the name of the file, which the message already has.
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

// provide looks for headers that declare the names and that the main header
// forgot to include, first the core header, then its neighbours. It reports
// whether it found one.
func (u *unit) provide(wanted map[string]int) (bool, error) {
	if len(wanted) == 0 {
		return false, nil
	}
	for _, name := range u.neighbours() {
		if s, ok := u.files[name]; ok && s != nil {
			continue
		}
		file, text, err := u.find(name)
		if err != nil || file == "" {
			continue
		}
		s, err := lex(file, text)
		if err != nil || isCXXOnly(s) {
			continue // a neighbour that cannot be read is no fault of this header
		}
		n := newNames()
		n.collect(s)
		for w := range wanted {
			if n.isType(w) || n.isMacro(w) {
				u.implicit = append(u.implicit, name)
				return true, u.load(name)
			}
		}
	}
	return false, nil
}

// neighbours are the include names of the headers that may declare what a
// header uses without including it.
func (u *unit) neighbours() []string {
	const core = "xla/pjrt/c/pjrt_c_api.h"
	list := []string{core}
	for _, root := range u.roots {
		dir := filepath.Join(root, "xla", "pjrt", "c")
		entries, err := os.ReadDir(dir)
		if err != nil {
			continue
		}
		for _, e := range entries {
			if strings.HasSuffix(e.Name(), ".h") && e.Type().IsRegular() {
				list = append(list, "xla/pjrt/c/"+e.Name())
			}
		}
		break
	}
	return list
}

// includeFS serves the rewritten headers to the C front end under the names
// that #include gives. What is not there is empty.
type includeFS struct {
	texts map[string][]byte
	once  map[string]bool // opened, and not to be read a second time
}

func (f *includeFS) Open(name string) (fs.File, error) {
	text := f.texts[name]
	if read, ok := f.once[name]; ok {
		if read {
			text = nil
		}
		f.once[name] = true
	}
	return &memFile{name: path.Base(name), text: text}, nil
}
