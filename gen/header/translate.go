// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package header

import (
	"bytes"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"github.com/purepjrt/purepjrt/gen/model"
	"modernc.org/cc/v4"
)

// translation is a unit without its C++, and what the C front end made of it.
type translation struct {
	*unit
	asCXX   bool                // tags are names of types
	rw      *remover            // of the main header
	rws     map[string]*remover // of all sources
	shifts  map[string][]shift
	spelled map[string]string
	added   []added // to the main header
	ast     *cc.AST
}

// sentinels follow the header. The front end skips what it does not expect
// until it finds something with which it can go on, and never stops at the end
// of its input.
var sentinels = strings.Repeat("int __sentinel(int);\n", 2*maxNesting)

// What the C front end calls the main header, which no #include can name, and
// the declarations before and after it.
const (
	preludeName = "<predefined>" // the only source that may define __STDC_VERSION__ and its like
	mainName    = "\x00main"
	namesName   = "<names>"
	endName     = "<end>"
)

// translation takes the C++ out of the unit's sources.
func (u *unit) translation(asCXX bool) (*translation, error) {
	t := &translation{unit: u, asCXX: asCXX, rws: map[string]*remover{}, spelled: map[string]string{}}
	for _, name := range append(sortedKeys(u.files), mainName) {
		s := u.files[name]
		if name == mainName {
			s = u.main
		}
		if s == nil {
			continue
		}
		rw, err := remove(u, s, t.spelled, asCXX)
		if err != nil {
			return nil, err
		}
		t.rws[name] = rw
	}
	t.rw = t.rws[mainName]
	return t, nil
}

// cxx reports whether the unit is C++ to a C compiler: by what had to be taken
// out, by the standard headers it includes, by tags that are used alone as
// types.
func (t *translation) cxx() bool {
	for _, rw := range t.rws {
		if t.asCXX || rw.cxx {
			return true
		}
		for _, d := range rw.dirs {
			name, quoted := includeName(d)
			if d.name == "include" && d.active && !quoted && !strings.HasSuffix(name, ".h") {
				return true
			}
		}
	}
	return false
}

// model runs the C front end and makes the model of what it read.
func (t *translation) model() (*model.Header, error) {
	if err := t.run(len(t.main.toks)); err != nil {
		return nil, t.earliest(err)
	}
	return t.extract()
}

// run gives the sources to the C front end, but only the first n tokens of the
// main header. If the front end panics, that is an error of the input.
func (t *translation) run(n int) error {
	panicked, err := t.try(cuts{mainName: {tokens: n, lines: -1}})
	if panicked == nil {
		return err
	}
	at := t.locate(func(c cuts) bool {
		again, _ := t.try(c)
		return again != nil
	})
	return at.errorf("%s", t.panicText(panicked))
}

// panicText is the message of an error that the front end panicked with, on one line and without
// what only its authors understand.
func (t *translation) panicText(panicked any) string {
	text := strings.TrimSpace(fmt.Sprint(panicked))
	text = strings.TrimPrefix(strings.TrimSpace(text[strings.LastIndexByte(text, '\n')+1:]), "TODO ")
	if _, _, _, msg, ok := splitPosition(text); ok {
		text = msg
	}
	return fmt.Sprintf("the C front end cannot read this: %s: write it in another way", t.plain(text))
}

// try runs the C front end on what is left by the cuts, and returns what it panicked with.
func (t *translation) try(left cuts) (panicked any, err error) {
	defer func() { panicked = recover() }()
	config, sources, err := t.input(left)
	if err != nil {
		return nil, err
	}
	if mayStateEnumTypes(t.rws) {
		ast, err := cc.Parse(config(), sources)
		if err != nil {
			return nil, t.explain(err)
		}
		if err := checkEnumTypes(ast); err != nil {
			return nil, t.explain(err)
		}
	}
	t.ast, err = cc.Translate(config(), sources)
	return nil, t.explain(err)
}

// input returns what the C front end reads, but only what is left by the cuts.
func (t *translation) input(left cuts) (config func() *cc.Config, sources []cc.Source, err error) {
	abi, err := cc.NewABI("linux", "amd64")
	if err != nil {
		return nil, nil, fmt.Errorf("no layout rules for linux/amd64: %w", err)
	}
	t.shifts = map[string][]shift{}
	texts := map[string][]byte{}
	var text []byte
	for name, rw := range t.rws {
		c := left.of(name, rw)
		if name == mainName {
			text, t.shifts[name], t.added = rw.emit(c.tokens)
			text = c.head(text)
			continue
		}
		texts[name], t.shifts[name], _ = rw.emit(c.tokens)
		texts[name] = c.head(texts[name])
	}
	config = func() *cc.Config {
		served := &includeFS{unit: t.unit, texts: texts, once: map[string]bool{}}
		for name, rw := range t.rws {
			if name != mainName && rw.once {
				served.once[name] = false
			}
		}
		return &cc.Config{
			ABI: abi, FS: served, FSOnly: true, Header: true, UnsignedEnums: true, EvalAllMacros: true,
			IncludePaths: []string{"."}, SysIncludePaths: []string{"."}, IgnoreStaticAssert: true,
			ExpansionLimit: maxExpansion,
		}
	}
	var implicit strings.Builder
	for _, name := range t.implicit {
		fmt.Fprintf(&implicit, "#include %q\n", name)
	}
	return config, []cc.Source{
		{Name: preludeName, Value: definitions() + prelude + "int __predefined_declarator;\n"},
		{Name: namesName, Value: t.names()},
		{Name: "<implicit>", Value: implicit.String()},
		{Name: mainName, Value: text},
		{Name: endName, Value: sentinels},
	}, nil
}

// maxExpansion bounds the work of macros. The core header takes a tenth.
const maxExpansion = 1_000_000

// names returns C declarations for what the headers use as C++ does.
func (t *translation) names() string {
	var b strings.Builder
	if t.asCXX {
		for _, n := range sortedKeys(t.tags) {
			if !t.rw.isMacro(n) && !preludeTypes[n] {
				fmt.Fprintf(&b, "typedef %s %s %s;\n", t.tags[n], n, n)
			}
		}
	}
	for _, id := range sortedKeys(t.spelled) {
		global, ok := strings.CutPrefix(t.spelled[id], "::")
		switch c := cxxType(t.spelled[id]); {
		case c != "":
			fmt.Fprintf(&b, "typedef %s %s;\n", c, id)
		case ok && !strings.ContainsAny(global, ":<"):
			fmt.Fprintf(&b, "#define %s %s\n", id, global)
		default:
			fmt.Fprintf(&b, "typedef struct %s %s;\n", id, id)
		}
	}
	return b.String()
}

// includeFS serves the headers to the C front end under the names that #include
// gives. What is not there is empty to #include, and no file to __has_include.
type includeFS struct {
	*unit
	texts map[string][]byte
	once  map[string]bool // read, and not to be read a second time
}

func (f *includeFS) Open(name string) (fs.File, error) {
	file := &memFile{name: path.Base(name), text: bytes.Clone(f.texts[name]), absent: !f.has(name)}
	if text, ok := standardTexts[name]; ok && f.texts[name] == nil {
		file.text = []byte(text)
	}
	if read, ok := f.once[name]; ok {
		if read {
			file.text = nil
		}
		file.onRead = func() { f.once[name] = true }
	}
	return file, nil
}

// has reports whether a C compiler finds the header.
func (f *includeFS) has(name string) bool {
	if f.texts[name] != nil || f.unread[name] != nil || isStandardC(name) {
		return true
	}
	file, _, err := f.find(name)
	return err == nil && file != ""
}
