// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Command hostile has inputs that somebody wrote to make their reader slow, large or deep, and the
// readers of bytes from outside that get them. It is for tests, and writes how many steps each
// reader takes on each of its inputs, and how many bytes it allocates, as the input grows: a JSON
// object on each line.
//
//	hostile [-size BYTES] [-times N] [-peak BYTES] [-sweep=false] [-only READERS]
//
// It counts steps only if it was built as Steps of package growth builds it.
//
// What reads something new from outside gets a row in Readers, and what it may be attacked with a
// row in Inputs.
package main

import "github.com/purepjrt/purepjrt/internal/growth"

func main() {
	growth.Main(func(yield func(growth.Row) bool) {
		for _, r := range Readers() {
			for _, in := range Inputs() {
				row := growth.Row{Reader: r.Name, Input: in.Name, Read: r.Read, Make: in.Make, Sweep: in.Sweep}
				if r.Gets(in.Form) && !yield(row) {
					return
				}
			}
		}
	})
}
