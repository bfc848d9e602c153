// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package library

import (
	"fmt"
	"math"
	"os"
	"runtime"
	"slices"

	"github.com/purepjrt/purepjrt/conformance/internal/check"
)

// property is one thing that a library must leave as it is.
type property struct{ name, value string }

// keepsProcess compares the process before and after do, on the same thread.
func keepsProcess(t *check.T, what string, do func()) {
	runtime.LockOSThread() // some of the state is the thread's
	defer runtime.UnlockOSThread()
	before := properties()
	do()
	for _, p := range properties() {
		i := slices.IndexFunc(before, func(b property) bool { return b.name == p.name })
		if i >= 0 && before[i].value != p.value {
			t.Errorf("%s changed %s from %s to %s", what, p.name, before[i].value, p.value)
		}
	}
}

// properties returns the properties of the process and of the calling thread.
func properties() []property {
	list := append(systemProperties(),
		property{"what becomes of denormal numbers on the thread that called", denormals()},
		property{"the rounding on the thread that called", rounding()},
	)
	if dir, err := os.Getwd(); err == nil {
		list = append(list, property{"the working directory", dir})
	}
	return list
}

func denormals() string {
	small := smallest
	if half := small * 0.5; half == 0 || half*2 != small {
		return "zero"
	}
	return "numbers"
}

// rounding tells rounding modes apart by how they round numbers that no float64 can
// represent.
func rounding() string {
	return fmt.Sprintf("1/3=%x -1/3=%x 1-2^-54=%x", math.Float64bits(one/three), math.Float64bits(-one/three),
		math.Float64bits(one-one*0x1p-54))
}

// Variables, so that the compiler does not calculate with them.
var (
	smallest   float32 = 0x1p-126
	one, three         = 1.0, 3.0
)
