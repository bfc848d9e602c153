// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package main

import (
	"bytes"
	"errors"
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/purepjrt/purepjrt/gen/golang"
	"github.com/purepjrt/purepjrt/gen/header"
	"github.com/purepjrt/purepjrt/gen/model"
	"github.com/purepjrt/purepjrt/third_party/xla"
)

// extensionPackage describes the package that extension makes.
type extensionPackage struct {
	header  string
	name    string // of the package
	out     string // its folder
	include []string
	number  string // of the extension, or the name of a constant
}

func newExtensionCommand() *cobra.Command {
	var p extensionPackage
	cmd := &cobra.Command{
		Use:   "extension HEADER --package NAME --out DIR",
		Short: "Make a Go package from a vendor's own extension header",
		Long: `Extension makes the raw binding of one extension that package capi does not know:
a Go package for any module, which uses only what capi exports. It has the structs,
enums, callbacks and constants of the header, compile-time proofs of the size of each
struct and the offset of each field, and a descriptor of each function, for capi.Call:

  table, err := myext.Table(plugin)     // plugin is a *capi.Table
  var c capi.Call[myext.DoArgs]
  err = c.Do(table)

HEADER declares one struct that begins with PJRT_Extension_Base base and continues
with pointers to functions of the form

  PJRT_Error* My_Do(My_Do_Args* args);

Included files are looked up in the directories of -I, in those above the header and
beside it. If pjrt_c_api.h and its extensions are not found, the copies in this command
are used. Their types are those of capi; the types of any other included header become
part of the package. The rules for fields are those of PJRT: struct_size comes first; a
comment "// out" marks what the function fills in, and Do clears it before each call;
"// in/out" marks a pointer to the caller's memory. An out field whose comment mentions
null may be null after success.

The number of the extension is the value of the enumerator PJRT_Extension_Type_NAME, or
of a constant such as NAME_EXTENSION_TYPE. Otherwise give it with --type.

It writes zz_extension.go and zz_extension_layout.go, and doc.go if the package has
no file yet. Other files of the same package may lie beside them.`,
		Example: `  pjrtgen extension my_extension.h --package myext --out myext
  go run github.com/purepjrt/purepjrt/tools/pjrtgen extension -I include include/my_extension.h --package myext --out .`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			p.header = args[0]
			files, found, err := p.generate()
			if err != nil {
				return err
			}
			changed, err := p.write(files)
			if err != nil {
				return err
			}
			fmt.Fprintf(cmd.OutOrStdout(), "%s, number %d: %s; %d files in %s, %d of them changed\n",
				found.Struct, found.Type, count(found.Functions, "function"), len(files), p.out, changed)
			return nil
		},
	}
	cmd.Flags().StringVar(&p.name, "package", "", "name of the Go package")
	cmd.Flags().StringVar(&p.out, "out", "", "directory of the package")
	cmd.Flags().StringArrayVarP(&p.include, "include", "I", nil, "directory of included files (repeatable)")
	cmd.Flags().StringVar(&p.number, "type", "", "number of the extension, or the name of the constant that has it")
	for _, name := range []string{"package", "out"} {
		if err := cmd.MarkFlagRequired(name); err != nil {
			panic(err)
		}
	}
	return cmd
}

// count returns a count of things as text, such as 2 faults.
func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// generate does everything except writing files.
func (p *extensionPackage) generate() ([]golang.File, *golang.Extension, error) {
	// Go ignores a package called documentation.
	if !token.IsIdentifier(p.name) || p.name == "_" || p.name == "main" || p.name == "documentation" {
		return nil, nil, fmt.Errorf("--package %s: a Go package cannot have this name", p.name)
	}
	opts := header.Options{IncludeDirs: p.include, Fallback: xla.Headers}
	h, err := header.Parse(p.header, opts)
	if err != nil {
		return nil, nil, err
	}
	in := golang.ExtensionInput{Package: p.name, Header: h, Type: p.number}
	files := map[*model.Header]string{h: p.header}
	if err := p.readIncluded(&in, files, opts); err != nil {
		return nil, nil, err
	}
	text, err := fs.ReadFile(xla.Headers, "since.json")
	if err != nil {
		return nil, nil, err
	}
	since, err := golang.ReadSince(bytes.NewReader(text))
	if err != nil {
		return nil, nil, err
	}
	in.Since = since.Lookup
	out, found, err := golang.GenerateExtension(in)
	var e *golang.Error
	if errors.As(err, &e) {
		// Of several faults report only the first, as for headers that cannot be read.
		msg, _, _ := strings.Cut(e.Msg, "\n")
		file, ok := files[e.Header]
		if !ok {
			file = e.Header.Path
		}
		return nil, nil, &header.Error{Path: file, Line: e.Pos.Line, Col: e.Pos.Col, Msg: msg}
	}
	return out, found, err
}

// readIncluded reads what the header includes: headers whose types capi has from the copies in this
// command, since capi was made from them, and the rest from their files.
func (p *extensionPackage) readIncluded(in *golang.ExtensionInput, files map[*model.Header]string, opts header.Options) error {
	main, _ := knownHeader(in.Header.Path)
	if main == coreName {
		return &header.Error{Path: p.header, Line: 1, Col: 1, Msg: "this is the core header, whose binding is package capi"}
	}
	known := []string{coreName}
	names, paths, err := header.Included(p.header, opts)
	if err != nil {
		return err
	}
	for i, name := range names {
		if own, ok := knownHeader(name); ok {
			if !slices.Contains(known, own) {
				known = append(known, own)
			}
			continue
		}
		h, err := header.Parse(paths[i], opts)
		if err != nil {
			continue // if its types are needed, they are reported as missing
		}
		in.Own = append(in.Own, h)
		files[h] = paths[i]
	}
	for i := 0; i < len(known); i++ { // the list grows
		h, err := header.ParseFS(xla.Headers, known[i])
		if err != nil {
			return err
		}
		in.Known = append(in.Known, h)
		for _, name := range h.Includes.Project {
			if own, ok := knownHeader(name); ok && own != main && !slices.Contains(known, own) {
				known = append(known, own)
			}
		}
	}
	return nil
}

// coreName is the core header's path in the headers of this command.
const coreName = "xla/pjrt/c/pjrt_c_api.h"

// knownHeader returns the path, among the headers in this command, of the header that is included
// as name: under that path, below another root, or as a bare file name.
func knownHeader(name string) (string, bool) {
	candidates := []string{name}
	if i := strings.LastIndex(name, "/xla/"); i >= 0 {
		candidates = append(candidates, name[i+1:])
	}
	if base := path.Base(name); strings.HasPrefix(base, "pjrt_c_api") {
		candidates = append(candidates, "xla/pjrt/c/"+base)
	}
	for _, c := range candidates {
		if info, err := fs.Stat(xla.Headers, c); err == nil && info.Mode().IsRegular() {
			return c, true
		}
	}
	return "", false
}

// write writes the files that changed, all or none, and returns how many.
func (p *extensionPackage) write(files []golang.File) (int, error) {
	empty, err := p.lookAt(files)
	if err != nil {
		return 0, err
	}
	var c change
	defer c.discard()
	for _, f := range files {
		if err := c.put(filepath.Join(p.out, f.Path), f.Content); err != nil {
			return 0, err
		}
	}
	written := len(c.files)
	if empty {
		if err := c.put(filepath.Join(p.out, "doc.go"), p.doc()); err != nil {
			return 0, err
		}
	}
	return written, c.apply()
}

// lookAt checks that the files may be written to the folder, and reports whether the package has no
// other files.
func (p *extensionPackage) lookAt(files []golang.File) (empty bool, err error) {
	if info, err := os.Stat(p.out); err == nil && !info.IsDir() {
		return false, fmt.Errorf("--out %s: it is not a directory", p.out)
	}
	entries, err := os.ReadDir(p.out)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return false, fmt.Errorf("--out %s: %w", p.out, err)
	}
	empty = true
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ".go") || e.IsDir() {
			continue
		}
		name := filepath.Join(p.out, e.Name())
		i := slices.IndexFunc(files, func(f golang.File) bool { return f.Path == e.Name() })
		if !e.Type().IsRegular() {
			if i >= 0 {
				return false, fmt.Errorf("%s is not a regular file: give another directory", name)
			}
			continue
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return false, err
		}
		if i >= 0 {
			if err := replaceable(name, text, files[i].Content); err != nil {
				return false, err
			}
			continue
		}
		if bytes.HasPrefix(text, []byte(marker+"from ")) {
			return false, fmt.Errorf("%s:1:1: pjrtgen generate made this file: give the extension its own directory", name)
		}
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, name, text, parser.PackageClauseOnly)
		if err != nil {
			continue // a file that does not parse is for the compiler to report
		}
		if pkg := file.Name.Name; pkg != p.name && !strings.HasSuffix(e.Name(), "_test.go") {
			return false, fmt.Errorf("%s: this file belongs to package %s, not to %s: give the extension its own directory",
				fset.Position(file.Name.Pos()), pkg, p.name)
		}
		empty = empty && strings.HasSuffix(e.Name(), "_test.go")
	}
	return empty, nil
}

// replaceable returns an error if a file was not generated from the same header as the content that
// would replace it.
func replaceable(name string, old, content []byte) error {
	if !bytes.HasPrefix(old, []byte(golang.OutsideMarker+"\n")) {
		return fmt.Errorf("%s:1:1: pjrtgen extension did not make this file: give another directory, or remove it", name)
	}
	if was, now := sourceOf(old), sourceOf(content); was != now {
		return fmt.Errorf("%s:2:1: this file was made from %s: give %s its own directory, or remove the file", name, was, now)
	}
	return nil
}

// sourceOf returns the name of the header that a generated file was made from.
func sourceOf(content []byte) string {
	_, rest, _ := strings.Cut(string(content), "\n"+golang.OutsideSource)
	name, _, _ := strings.Cut(rest, ", read with ")
	return name
}

// directive is in two parts, because go generate would run the literal at the beginning of a line.
const directive = "//go" + ":generate"

// doc returns the file for a new package's own documentation.
func (p *extensionPackage) doc() []byte {
	abs, err := filepath.Abs(p.out)
	here := func(name string) string {
		full, err2 := filepath.Abs(name)
		if rel, err3 := filepath.Rel(abs, full); errors.Join(err, err2, err3) == nil {
			name = rel
		}
		if name = filepath.ToSlash(name); strings.ContainsAny(name, " \"\\") {
			name = strconv.Quote(name)
		}
		return name
	}
	var flags strings.Builder
	for _, d := range p.include {
		fmt.Fprintf(&flags, " -I %s", here(d))
	}
	if p.number != "" {
		fmt.Fprintf(&flags, " --type %s", p.number)
	}
	return fmt.Appendf(nil, `// Package %s is the raw binding of the PJRT extension that %s declares.
package %s

%s go run github.com/purepjrt/purepjrt/tools/pjrtgen extension %s --package %s --out .%s
`, p.name, filepath.Base(p.header), p.name, directive, here(p.header), p.name, flags.String())
}
