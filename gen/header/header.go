// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package header reads PJRT's C headers, upstream's own of any age and ours,
// into a [model.Header]: declarations, comments and the layout that a C
// compiler for x86-64 Linux gives them.
//
// It runs no program and reads no system header. Conditions see the macros that gcc defines for
// that target without options. A condition on a macro that a compiler, or a header that is not
// read, may define otherwise is an error. The C front end, modernc.org/cc, reads
// everything that is C. Many of upstream's headers are C++ in part, with namespaces,
// qualified names, default arguments and scoped enums: these are taken out first, by the
// tokens that C does not have. In C++ a tag is a type's name, so a header that is not
// valid C without this rule is read a second time with it.
//
// Headers that are C++ throughout are not read when one is included, and a type that C++
// qualifies is opaque, usable behind a pointer and in prototypes.
package header

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/purepjrt/purepjrt/gen/model"
)

// Options say how to read a header.
type Options struct {
	// IncludeDirs are searched for what the header includes, in order. After
	// them come the directories above the header itself, so that a header in
	// its own tree needs none.
	IncludeDirs []string
	// Fallback is a tree of headers, with xla/ at its root, that is searched when
	// no directory has an included file. It may be nil.
	Fallback fs.FS

	sealed bool // only Fallback is searched
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

// Read returns the text of the header in the file at path.
func Read(path string) ([]byte, error) { return readFile(path) }

// ParseFS reads the header of a tree that has xla/ at its root, such as one that is
// embedded in the program. It reads only the tree.
func ParseFS(tree fs.FS, name string) (*model.Header, error) {
	text, err := fs.ReadFile(tree, name)
	if err != nil {
		return nil, fmt.Errorf("cannot read header %s: %w", name, cause(err))
	}
	return ParseText(name, text, Options{Fallback: tree, sealed: true})
}

// Included lists the files that the header in the file at path includes, directly or
// through others, in the order of the names by which they are included. Headers that
// cannot be found, and those that are C++ throughout, are left out. The file of a
// header of Fallback is its path there.
func Included(path string, opts Options) (names, files []string, err error) {
	text, err := readFile(path)
	if err != nil {
		return nil, nil, err
	}
	u, err := load(path, text, opts)
	if err != nil {
		return nil, nil, err
	}
	for _, name := range sortedKeys(u.files) {
		if s := u.files[name]; s != nil {
			names, files = append(names, name), append(files, s.path)
		}
	}
	return names, files, nil
}

// ParseText is Parse for a header whose text is given. path says where the header would
// be: includes are looked up from there, and errors name it.
func ParseText(path string, text []byte, opts Options) (*model.Header, error) {
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
	return u.read()
}

// maxProvided bounds how many headers are tried for names that the header uses without
// including their declarations.
const maxProvided = 6

// read reads the unit. Some headers rely on what others include before them; such
// a header is found by the name that the front end does not know.
func (u *unit) read() (*model.Header, error) {
	var fault error
	for range maxProvided {
		h, err := u.attempt()
		if err == nil {
			return h, nil
		}
		// A neighbour that cannot be read is not a fault of this header.
		var e *Error
		if fault == nil || errors.As(err, &e) && e.Path == u.main.path {
			fault = err
		}
		if !errors.As(err, &e) || e.undeclared == "" {
			break
		}
		if found, err := u.provide(e.undeclared); err != nil || !found {
			break
		}
	}
	return nil, fault
}

// attempt reads the unit as C if it is that, otherwise as C++.
func (u *unit) attempt() (*model.Header, error) {
	t, err := u.translation(false)
	if err != nil {
		return nil, err
	}
	if err := t.checkAttributes(); err != nil {
		return nil, err
	}
	if !t.cxx() {
		if h, err := t.model(); err == nil {
			return h, nil
		}
	}
	if t, err = u.translation(true); err != nil {
		return nil, err
	}
	return t.model()
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
