// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package programs

import "regexp"

var (
	placement  = regexp.MustCompile(`(?m)^ *(%\d+) = stablehlo\.custom_call @annotate_device_placement\((%\d+)\).* : \((.*)\) -> .*$`)
	memoryMark = regexp.MustCompile(` \{mhlo\.memory_kind = "[^"]*"\}`)
)

// unplaced removes annotations of memory, which XLA's CPU plugin 0.81 does not know: all
// values stay where the plugin puts them.
func unplaced(text string) string {
	text = memoryMark.ReplaceAllString(text, "")
	return placement.ReplaceAllString(text, "    $1 = stablehlo.optimization_barrier $2 : $3")
}
