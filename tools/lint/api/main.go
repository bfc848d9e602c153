// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Command api compares what the modules of this repository export with what the last release
// exported. It runs in the root of the repository:
//
//	api
//	api -write VERSION
//
// It prints what breaks programs that were written for the last release, and fails if
// CHANGELOG.md does not name it under the heading "### What breaks", as a name in backquotes:
// `pjrt.Buffer.Close`, or `extensions/ffi.Register` where two packages have the same name.
// With -write it records the present API as that of the release VERSION, in released.gz beside
// this file. While there is no such file, there is no release that a change could break.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
)

const (
	changelog = "CHANGELOG.md"
	released  = "tools/lint/api/released.gz"
)

// published are the packages of the modules that others import.
var published = []string{"./...", "./extensions/ffi/lapack/...", "./pjrt/gomlx/...", "./pjrt/kv/etcd/...", "./pjrt/otel/..."}

func main() {
	version := flag.String("write", "", "record the present API as that of the release `VERSION`")
	flag.Parse()
	if flag.NArg() > 0 {
		flag.Usage()
		os.Exit(2)
	}
	if err := run(released, *version); err != nil {
		fmt.Fprintln(os.Stderr, "api:", err)
		os.Exit(1)
	}
}

// run compares the present API with that in the file of the last release, or writes that file for
// a version.
func run(file, version string) error {
	if _, err := os.Stat(file); errors.Is(err, fs.ErrNotExist) && version == "" {
		fmt.Printf("no release is recorded in %s: nothing to compare with\n", file)
		return nil
	}
	present, err := load(".", published, os.Environ())
	if err != nil {
		return err
	}
	if version != "" {
		present.version = version
		return present.write(file)
	}
	last, err := read(file)
	if err != nil {
		return err
	}
	text, err := os.ReadFile(changelog)
	if err != nil {
		return err
	}
	broken := compare(last, present)
	for _, b := range broken {
		fmt.Println(b)
	}
	return missing(last.version, broken, string(text))
}
