// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package xlaflags_test

import (
	"fmt"
	"log"

	"github.com/purepjrt/purepjrt/pjrt/xlaflags"
)

func ExampleCheck() {
	fmt.Println(xlaflags.Check("--xla_cpu_enable_fast_math=perhaps"))
	// Output: INVALID_ARGUMENT: XLA_FLAGS: XLA flag xla_cpu_enable_fast_math takes true or false, not "perhaps" (PJRT_ALLOW_UNKNOWN_XLA_FLAGS=1 passes any flag on)
}

// Flags in protobuf's text format, as gopjrt takes them from the environment.
func ExampleParseDebugOptions() {
	flags, err := xlaflags.ParseDebugOptions(`xla_cpu_enable_fast_math: true  xla_disable_hlo_passes: ["fusion", "cse"]`)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(flags)
	// Output: map[xla_cpu_enable_fast_math:true xla_disable_hlo_passes:fusion,cse]
}

func ExampleLookup() {
	f, ok := xlaflags.Lookup("xla_step_marker_location")
	fmt.Println(ok, f.Type, f.Values[2])
	// Output: true enum STEP_MARK_NONE
}
