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
// With -write it records the present API as that of the release VERSION.
package main

import (
	"flag"
	"fmt"
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
	if err := run(*version); err != nil {
		fmt.Fprintln(os.Stderr, "api:", err)
		os.Exit(1)
	}
}

func run(version string) error {
	present, err := load(".", published, os.Environ())
	if err != nil {
		return err
	}
	if version != "" {
		present.version = version
		return present.write(released)
	}
	last, err := read(released)
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
