// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Command lint checks the rules of this repository that the compiler and vet do not
// know, and reports unused code. `make lint` runs it over every package.
//
//	lint PACKAGE...
package main

import (
	"fmt"
	"os"

	"golang.org/x/tools/go/analysis"

	"github.com/purepjrt/purepjrt/tools/lint/exporteddoc"
	"github.com/purepjrt/purepjrt/tools/lint/linelength"
	"github.com/purepjrt/purepjrt/tools/lint/unsafefile"
	"github.com/purepjrt/purepjrt/tools/lint/unused"
)

// tags are the build tags of tests that need more than Go, such as a C compiler.
const tags = "-tags=aot,cc,jax,originals,proxy,skew,wrapped"

var configurations = []unused.Configuration{
	{},
	{Flags: []string{tags}},
	{Environment: []string{"CGO_ENABLED=1"}, Flags: []string{tags}, Packages: []string{"./tools/pjrtshim"}, FromSource: true},
	{Environment: []string{"GOOS=windows", "GOARCH=amd64"}, FromSource: true},
	{Environment: []string{"GOOS=darwin", "GOARCH=arm64"}, FromSource: true},
}

func main() {
	if len(os.Args) < 2 {
		fmt.Fprintln(os.Stderr, "usage: lint PACKAGE...")
		os.Exit(2)
	}
	rules := []*analysis.Analyzer{unsafefile.Analyzer, exporteddoc.Analyzer, linelength.Analyzer}
	found, err := unused.Find("", configurations, rules, os.Args[1:])
	if err != nil {
		fmt.Fprintln(os.Stderr, "lint:", err)
		os.Exit(2)
	}
	for _, line := range found {
		fmt.Println(line)
	}
	if len(found) > 0 {
		os.Exit(1)
	}
}
