// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Growth writes how many steps each reader of package hostile takes on each of its inputs, and how
// many bytes it allocates, as the input grows: a JSON object on each line.
//
// It counts steps only if it was built with -cover -covermode=atomic and -coverpkg.
//
//	growth [-size BYTES] [-times N] [-peak BYTES] [-sweep=false] [-only READER]
package main

import (
	"github.com/purepjrt/purepjrt/internal/growth"
	"github.com/purepjrt/purepjrt/pjrt/internal/hostile"
)

func main() {
	growth.Main(func(yield func(growth.Row) bool) {
		for _, r := range hostile.Readers() {
			for _, in := range hostile.Inputs() {
				row := growth.Row{Reader: r.Name, Input: in.Name, Read: r.Read, Make: in.Make, Sweep: in.Sweep}
				if r.Gets(in.Form) && !yield(row) {
					return
				}
			}
		}
	})
}
