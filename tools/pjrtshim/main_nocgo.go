// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

//go:build !cgo

package main

import (
	"fmt"
	"os"
)

func main() {
	fmt.Fprintln(os.Stderr, "pjrtshim is a library: build it with "+
		"CGO_ENABLED=1 go build -buildmode=c-shared -o libpjrt_shim.so ./tools/pjrtshim")
	os.Exit(2)
}
