// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Command compiles makes the table of how many programs the checks of each rule compile, from
// which a run estimates how long it takes. It reads a report of the profile quick on XLA's plugin
// for CPUs, which make conformance writes, and prints the table:
//
//	go run ./conformance/internal/driver/compiles bin/conformance.json >conformance/internal/driver/compiles.tsv
package main

import (
	"fmt"
	"io"
	"os"

	"github.com/purepjrt/purepjrt/conformance/report"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: compiles REPORT.json")
		os.Exit(2)
	}
	if err := table(os.Args[1], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "compiles:", err)
		os.Exit(1)
	}
}

func table(path string, out io.Writer) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	r, err := report.Read(f)
	if err != nil {
		return err
	}
	for first := 0; first < len(r.Results); {
		programs, checks := 0, 0
		rule := r.Results[first].Rule
		for ; first < len(r.Results) && r.Results[first].Rule == rule; first++ {
			programs += r.Results[first].Compiles
			checks++
		}
		if programs == 0 {
			continue
		}
		if _, err := fmt.Fprintf(out, "%s\t%d\t%d\n", rule, programs, checks); err != nil {
			return err
		}
	}
	return nil
}
