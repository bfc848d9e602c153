// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Command lint checks the rules of this repository that the compiler and vet do not know, and
// counts what a newcomer has to learn. It runs in the root of the repository.
//
//	lint rules PACKAGE...
//
// reports imports of unsafe outside *_unsafe.go, exported names without doc comments, long lines
// and unused code.
//
//	lint platforms GOOS/GOARCH...
//
// checks that packages and their tests compile for several platforms, and makes the checks of vet
// that depend on the platform.
//
//	lint api [-write VERSION]
//
// prints what breaks programs that were written for the last release, and fails if CHANGELOG.md
// does not name it under the heading "### What breaks", as a name in backquotes:
// `pjrt.Buffer.Close`, or `extensions/ffi.Register` where two packages have the same name. With
// -write it records the present API as that of the release VERSION, in tools/lint/released.gz.
// While there is no such file, there is no release that a change could break.
//
//	lint release VERSION
//
// checks that the last commit can be released as VERSION, and prints what it checked; lint release
// -h says what that is.
//
//	lint counts [-v]
//
// prints the counts of the house; lint counts -h says what each of them counts.
package main

import (
	"flag"
	"fmt"
	"os"
	"strings"

	"golang.org/x/tools/go/analysis"
)

// tags are the build tags of tests that need more than Go, such as a C compiler. They only add files.
const tags = "-tags=aot,cc,jax,originals,plugins,proxy,skew,wrapped"

var configurations = []configuration{
	{flags: []string{tags}},
	{environment: []string{"CGO_ENABLED=1"}, flags: []string{tags}, packages: []string{"./tools/pjrtshim"}, fromSource: true},
	{environment: []string{"GOOS=windows", "GOARCH=amd64"}, flags: []string{tags}, fromSource: true},
	{environment: []string{"GOOS=darwin", "GOARCH=arm64"}, flags: []string{tags}, fromSource: true},
}

func main() {
	command, arguments := "", []string(nil)
	if len(os.Args) > 1 {
		command, arguments = os.Args[1], os.Args[2:]
	}
	options := flag.NewFlagSet("lint "+command, flag.ExitOnError)
	var found []string
	var err error
	switch {
	case command == "rules" && len(arguments) > 0:
		rules := []*analysis.Analyzer{unsafeFile, exportedDoc, lineLength}
		found, err = findUnused("", configurations, rules, arguments)
	case command == "platforms" && len(arguments) > 0:
		found = platforms(arguments)
	case command == "api":
		version := options.String("write", "", "record the present API as that of the release `VERSION`")
		_ = options.Parse(arguments)
		err = api(released, *version)
	case command == "release":
		options.Usage = func() { fmt.Fprint(options.Output(), releaseHelp) }
		_ = options.Parse(arguments)
		found, err = release(os.Stdout, options.Arg(0))
	case command == "counts":
		verbose := options.Bool("v", false, "also list the upward arrows, and the size of each folder")
		options.Usage = func() {
			fmt.Fprint(options.Output(), countsHelp)
			options.PrintDefaults()
		}
		_ = options.Parse(arguments)
		err = counts(os.Stdout, *verbose)
	default:
		fmt.Fprintln(os.Stderr, "usage: lint rules PACKAGE... | platforms GOOS/GOARCH... | api [-write VERSION] | release VERSION | counts [-v]")
		os.Exit(2)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "lint:", err)
		os.Exit(2)
	}
	if len(found) > 0 {
		fmt.Println(strings.Join(found, "\n"))
		os.Exit(1)
	}
}
