// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
)

const (
	changelog = "CHANGELOG.md"
	released  = "tools/lint/released.gz"
)

// published are the packages of the modules that others import.
var published = []string{"./...", "./pjrt/gomlx/...", "./pjrt/kv/etcd/...", "./pjrt/otel/..."}

// api compares the present API with that in the file of the last release, or writes that file for
// a version.
func api(file, version string) error {
	if _, err := os.Stat(file); errors.Is(err, fs.ErrNotExist) && version == "" {
		fmt.Printf("no release is recorded in %s: nothing to compare with\n", file)
		return nil
	}
	present, err := loadSurface(".", published, os.Environ())
	if err != nil {
		return err
	}
	if version != "" {
		present.version = version
		return present.write(file)
	}
	last, err := readSurface(file)
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
