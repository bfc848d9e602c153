// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package main

import (
	"bytes"
	"cmp"
	"fmt"
	"go/types"
	"io"
	"maps"
	"os"
	"os/exec"
	"path"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

// countsHelp defines each count.
const countsHelp = `usage: lint counts [-v]

Counts what a newcomer has to learn. Only files that git tracks count, and no Go file in testdata.

folders with Go      folders that hold a Go file
public packages      packages below pjrt and extensions that others can import: neither internal, nor
                     a command, nor an example
exported names       names that the public packages export: those of package level, and methods of types;
                     not fields, nor methods of interfaces
lines by hand        lines of Go files, blank ones and comments included, except tests (*_test.go) and
                     generated files (zz_*.go)
words of Markdown    words of all *.md files, as wc -w counts
upward arrows        An arrow leads from a file of package pjrt to another that declares a name which it
                     uses: a function, type, variable, constant, method or field. It leads upward if the
                     other file comes later in the order of files, of which the best that is found
                     counts.
lines of go doc      lines that go doc -all ./pjrt prints

`

// counts prints the counts of the repository in the working directory.
func counts(w io.Writer, verbose bool) error {
	tracked, err := output("git", "ls-files")
	if err != nil {
		return err
	}
	folders := make(map[string]int) // lines by hand
	lines, words := 0, 0
	for _, name := range strings.Fields(string(tracked)) {
		isGo := path.Ext(name) == ".go" && !strings.Contains("/"+name, "/testdata/")
		if !isGo && path.Ext(name) != ".md" {
			continue
		}
		text, err := os.ReadFile(name)
		switch base := path.Base(name); {
		case os.IsNotExist(err): // removed, and not yet committed
		case err != nil:
			return err
		case !isGo:
			words += len(bytes.Fields(text))
		case strings.HasSuffix(base, "_test.go") || strings.HasPrefix(base, "zz_"):
			folders[path.Dir(name)] += 0
		default:
			n := bytes.Count(text, []byte("\n"))
			folders[path.Dir(name)] += n
			lines += n
		}
	}
	public, names, err := publicNames()
	if err != nil {
		return err
	}
	arrows, err := arrowsOf("./pjrt")
	if err != nil {
		return err
	}
	upward := arrows.upward(arrows.order())
	doc, err := output("go", "doc", "-all", "./pjrt")
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "%7d folders with Go\n%7d public packages\n%7d exported names\n%7d lines by hand\n%7d words of Markdown\n",
		len(folders), public, names, lines, words)
	fmt.Fprintf(w, "%7d upward arrows of %d between files of pjrt\n%7d lines of go doc -all ./pjrt\n",
		len(upward), len(arrows.names), bytes.Count(doc, []byte("\n")))
	if !verbose {
		return nil
	}
	fmt.Fprintln(w, "\nupward arrows:")
	for _, a := range upward {
		fmt.Fprintf(w, "%s -> %s: %s\n", a.from, a.to, strings.Join(slices.Sorted(maps.Keys(arrows.names[a])), ", "))
	}
	fmt.Fprintln(w, "\nlines by hand:")
	for _, f := range slices.SortedFunc(maps.Keys(folders), func(a, b string) int {
		return cmp.Or(cmp.Compare(folders[b], folders[a]), cmp.Compare(a, b))
	}) {
		fmt.Fprintf(w, "%7d %s\n", folders[f], f)
	}
	return nil
}

func output(name string, arguments ...string) ([]byte, error) {
	c := exec.Command(name, arguments...)
	c.Stderr = os.Stderr
	text, err := c.Output()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", c, err)
	}
	return text, nil
}

// publicNames counts the public packages and the names that they export.
func publicNames() (public, names int, err error) {
	list, err := packages.Load(&packages.Config{Mode: packages.NeedName | packages.NeedFiles | packages.NeedTypes | packages.NeedModule},
		"./pjrt/...", "./extensions/...")
	if err != nil {
		return 0, 0, err
	}
	for _, p := range list {
		for _, wrong := range p.Errors {
			return 0, 0, wrong
		}
		if !promised(p) || len(p.GoFiles) == 0 { // it has only tests
			continue
		}
		public++
		for _, name := range p.Types.Scope().Names() {
			object := p.Types.Scope().Lookup(name)
			if !object.Exported() {
				continue
			}
			names++
			if t, ok := object.Type().(*types.Named); ok && object == t.Obj() {
				for m := range t.Methods() {
					if m.Exported() {
						names++
					}
				}
			}
		}
	}
	return public, names, nil
}
