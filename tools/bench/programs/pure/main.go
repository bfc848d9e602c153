// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Command pure does the jobs of the benchmark without cgo, in one of three ways: with package pjrt,
// with package capi alone, or with purego and the structs of capi.
//
//	pure pjrt|capi|purego PLUGIN
package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/tools/bench/internal/child"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: pure pjrt|capi|purego PLUGIN")
		os.Exit(2)
	}
	var err error
	switch way, path := os.Args[1], os.Args[2]; way {
	case "pjrt":
		err = serveOurs(path)
	case "capi", "purego":
		err = serveDirect(path, way == "purego")
	default:
		err = fmt.Errorf("there is no way %q: use pjrt, capi or purego", way)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "pure:", err)
		os.Exit(1)
	}
}

// createOptions are those of a client of several devices, or of the plugin's default number.
// Clients that share a GPU must not take its memory at once.
func createOptions(devices int) []capi.Attribute {
	switch {
	case devices > 1:
		return []capi.Attribute{{Name: "cpu_device_count", Value: int64(devices)}}
	case os.Getenv("BENCH_SHARED_GPU") != "":
		return []capi.Attribute{{Name: "preallocate", Value: false}}
	}
	return nil
}

// program reads a program that the parent has written, and options to compile it for some devices.
func program(name string, devices int) (code, options []byte, err error) {
	dir := os.Getenv("BENCH_PROGRAMS")
	if code, err = os.ReadFile(filepath.Join(dir, name+".mlir")); err != nil {
		return nil, nil, err
	}
	options, err = os.ReadFile(filepath.Join(dir, "replicas-"+strconv.Itoa(devices)+".options"))
	return code, options, err
}

// answer does what the parent asks.
func answer(ready child.Ready, prepare func(string, int) (*child.Job, error)) error {
	return child.Serve(os.Stdin, os.Stdout, ready, prepare)
}
