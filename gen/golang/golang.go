// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package golang

import (
	"bytes"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/purepjrt/purepjrt/gen/model"
)

// File is a generated file. Path is relative to the folder of package capi, with
// slashes.
type File struct {
	Path    string
	Content []byte
}

// Input is what the files are made from.
type Input struct {
	// Headers are the headers in the order in which their declarations count: a
	// handle that several headers declare belongs to the first. The core header
	// must be among them.
	Headers []*model.Header
	// Since returns the API minor in which an item of a header first appeared,
	// and 0 for what was always there. Items are spelled like the keys of
	// since.json: the name of a table's slot, "Struct.field", "Enum.VALUE",
	// "struct Name" or the name of a callback.
	Since func(header *model.Header, item string) int
}

// Error is a declaration of a header that cannot be turned into Go.
type Error struct {
	Header *model.Header
	Pos    model.Pos // the zero Pos if the place is not known
	Item   string    // what Header.Places calls the place; empty if it is not known
	Msg    string
}

// Error returns the message with the path of the header and the place in front.
func (e *Error) Error() string {
	if e.Pos.Line == 0 {
		return e.Header.Path + ": " + e.Msg
	}
	return fmt.Sprintf("%s:%d:%d: %s", e.Header.Path, e.Pos.Line, e.Pos.Col, e.Msg)
}

// placedError is an error about an item of a header, spelled like the keys of
// model.Header.Places.
type placedError struct {
	item string
	error
}

func (e *placedError) Unwrap() error { return e.error }

// at says which item of the header an error is about.
func at(item string, err error) error {
	if err == nil {
		return nil
	}
	return &placedError{item, err}
}

// fail returns an error about the header with the place of the first item that err is about, the
// innermost if one is inside another.
func (u *unit) fail(err error) error {
	if err == nil {
		return nil
	}
	e := &Error{Header: u.given, Msg: err.Error()}
	if u.pkg == packageOutside {
		e.Pos = model.Pos{Line: 1, Col: 1}
	}
	var placed *placedError
	for errors.As(err, &placed) {
		err = placed.error // which may say more precisely where
		if p, ok := u.header.Places[placed.item]; ok {
			e.Pos, e.Item = p, placed.item
		}
	}
	return e
}

// Generate returns the files in the order of their paths. The error is an [*Error]
// if a declaration cannot be turned into Go.
func Generate(in Input) ([]File, error) {
	g := newGenerator(in.Since)
	for _, h := range in.Headers {
		u, err := newUnit(h)
		if err != nil {
			return nil, err
		}
		g.order = append(g.order, u)
	}
	return g.run(g.readVersion, g.declare, g.findFunctions, g.write, g.checkAlignment, g.serve, g.describe)
}

// generator holds what Generate knows about all headers.
type generator struct {
	since  func(*model.Header, string) int
	order  []*unit
	types  map[string]*typeInfo        // by C name
	names  map[string]map[string]owner // package, Go name -> what has it
	byArgs map[*typeInfo]*function
	sheets []*sheet
	// boolWords are the packages whose callbacks call boolWord.
	boolWords map[string]bool
	version   string  // of the API, such as 0.114
	outside   outside // zero unless an extension's own package is generated
}

func newGenerator(since func(*model.Header, string) int) *generator {
	return &generator{
		since:  since,
		types:  make(map[string]*typeInfo),
		names:  map[string]map[string]owner{packageCAPI: {}, packageFFI: {}, packageServe: {}, packageOutside: {}},
		byArgs: make(map[*typeInfo]*function), boolWords: make(map[string]bool),
	}
}

// run takes the steps and returns the files.
func (g *generator) run(steps ...func() error) ([]File, error) {
	for _, step := range steps {
		if err := step(); err != nil {
			return nil, err
		}
	}
	return g.render()
}

// unit is a header and where its declarations go.
type unit struct {
	given  *model.Header // as the caller has it
	header *model.Header // with the fields of structs without a name in their place
	pkg    string
	kind   unitKind
	stem   string // what the names of files and variables begin with
	tables []*table
	types  []*typeInfo // in the order of declaration

	// callbacks are those that have been written, including those inside structs.
	callbacks []named
}

// named is a declaration by its two names.
type named struct{ c, goName string }

type unitKind int

const (
	unitCore unitKind = iota
	unitExtension
	unitProfiler
	unitFFI
	unitFFIExtension
	unitOutside
)

// newUnit makes a unit, whose kind it takes from the path of the header.
func newUnit(h *model.Header) (*unit, error) {
	u := &unit{given: h, header: plain(h), pkg: packageCAPI}
	base := strings.TrimSuffix(path.Base(h.Path), ".h")
	switch {
	case base == "pjrt_c_api":
		u.kind, u.stem = unitCore, "core"
	case base == "profiler_c_api":
		u.kind, u.stem = unitProfiler, "profiler"
	case isFFI(h) && base == "c_api":
		u.kind, u.stem, u.pkg = unitFFI, "ffi", packageFFI
	case isFFI(h):
		u.kind, u.stem, u.pkg = unitFFIExtension, strings.TrimSuffix(base, "_c_api"), packageFFI
	default:
		s := strings.TrimSuffix(strings.TrimPrefix(base, "pjrt_c_api_"), "_extension")
		if s == "" {
			return nil, fmt.Errorf("%s: the file's name does not say which extension it declares", h.Path)
		}
		u.kind, u.stem = unitExtension, s
	}
	return u, nil
}

// readVersion finds the version of the API.
func (g *generator) readVersion() error {
	for _, u := range g.order {
		if u.kind != unitCore {
			continue
		}
		if u.header.APIVersion == nil {
			return fmt.Errorf("%s: no PJRT_API_MAJOR and PJRT_API_MINOR: this header is too old to generate from", u.header.Path)
		}
		g.version = fmt.Sprintf("%d.%d", u.header.APIVersion.Major, u.header.APIVersion.Minor)
		return nil
	}
	return errors.New("pjrt_c_api.h is not among the headers")
}

func macroValue(h *model.Header, name string) *int64 {
	for _, m := range h.Macros {
		if m.Name == name {
			return m.Value
		}
	}
	return nil
}

// ffiExtensionMinor is the end of the name of the macro that states the minor version of an FFI
// extension.
const ffiExtensionMinor = "_MinorVersion"

// macroEnding returns the value of the first macro whose name ends in suffix.
func macroEnding(h *model.Header, suffix string) *int64 {
	for _, m := range h.Macros {
		if strings.HasSuffix(m.Name, suffix) {
			return m.Value
		}
	}
	return nil
}

// sheet is one file while it is being written.
type sheet struct {
	path string
	file *jen.File
	used bool
}

// sheet starts the file of the given name in a unit's package.
func (g *generator) sheet(u *unit, name, source string) *sheet {
	s := &sheet{}
	switch u.pkg {
	case packageFFI:
		s.path, s.file = "ffi/"+name, jen.NewFilePathName(pathFFI, packageFFI)
	case packageOutside:
		s.path, s.file = name, jen.NewFilePathName(pathOutside, g.outside.name)
	default:
		s.path, s.file = name, jen.NewFilePathName(pathCAPI, packageCAPI)
	}
	for _, p := range []string{pathCAPI, pathCCall} {
		s.file.ImportName(p, path.Base(p))
	}
	if u.pkg == packageOutside {
		s.file.HeaderComment(OutsideMarker)
		s.file.HeaderComment(g.outside.source)
	} else {
		s.file.HeaderComment(marker(source))
	}
	g.sheets = append(g.sheets, s)
	return s
}

// marker returns the first line of a file made from source, a header or several. It names no
// version, so that newer headers change only files that have something new.
func marker(source string) string {
	return fmt.Sprintf("// Code generated by pjrtgen from %s; DO NOT EDIT.", source)
}

// add marks the sheet as used and returns its file.
func (s *sheet) add() *jen.File {
	s.used = true
	return s.file
}

// groupImports puts an empty line between the imports from the standard library
// and the others; jennifer writes them as one list.
func groupImports(src []byte) []byte {
	before, rest, ok := bytes.Cut(src, []byte("\nimport (\n"))
	if !ok {
		return src
	}
	list, after, ok := bytes.Cut(rest, []byte("\n)\n"))
	if !ok {
		return src
	}
	var standard, other [][]byte
	for _, line := range bytes.Split(list, []byte("\n")) {
		if bytes.Contains(line, []byte(".")) {
			other = append(other, line)
		} else {
			standard = append(standard, line)
		}
	}
	if len(standard) > 0 && len(other) > 0 {
		standard = append(standard, nil)
	}
	list = bytes.Join(append(standard, other...), []byte("\n"))
	return slices.Concat(before, []byte("\nimport (\n"), list, []byte("\n)\n"), after)
}

// render formats the used sheets.
func (g *generator) render() ([]File, error) {
	var out []File
	for _, s := range g.sheets {
		if !s.used {
			continue
		}
		var b bytes.Buffer
		if err := s.file.Render(&b); err != nil {
			msg, _, _ := strings.Cut(err.Error(), "\n") // the whole file follows
			return nil, fmt.Errorf("%s: the generated code does not parse, which is a fault of pjrtgen: %s", s.path, msg)
		}
		out = append(out, File{s.path, groupImports(b.Bytes())})
	}
	slices.SortFunc(out, func(a, b File) int { return strings.Compare(a.Path, b.Path) })
	for i := 1; i < len(out); i++ {
		if out[i].Path == out[i-1].Path {
			return nil, fmt.Errorf("two headers would both be written to %s", out[i].Path)
		}
	}
	return out, nil
}
