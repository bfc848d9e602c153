// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package dtype

import (
	"fmt"
	"strings"
	"sync"

	"github.com/purepjrt/purepjrt/internal/excerpt"
)

// spellings maps every accepted word, in lower case, to its type.
var spellings = sync.OnceValue(func() map[string]Type {
	m := make(map[string]Type, 5*numTypes)
	add := func(t Type, word string) {
		word = strings.ToLower(word)
		if old, ok := m[word]; ok && old != t {
			panic("dtype: " + word + " names both " + old.String() + " and " + t.String())
		}
		m[word] = t
	}
	for t := Invalid + 1; t < numTypes; t++ {
		in := &infos[t]
		add(t, in.name)
		add(t, in.xla)
		if in.numpy != "" {
			add(t, in.numpy)
		}
		if in.kind == kindInt {
			add(t, "si"+in.xla[1:]) // MLIR's explicitly signed integers
		}
	}
	add(Token, "!stablehlo.token")
	return m
})

// Parse returns the type that s names. It reads the spellings of StableHLO (f32, i8, ui4, f8E4M3FN,
// complex<f64>, i1 for bool), of XLA (pred, s32, u8, c64) and of NumPy with ml_dtypes (float32,
// bool, bfloat16, float8_e4m3fn, int4), in upper or lower case. Note that i4 is a 4-bit integer,
// not NumPy's abbreviation for an integer of four bytes, and that the 1-bit integer is s1 or int1,
// because StableHLO's i1 is the bool.
func Parse(s string) (Type, error) {
	if t, ok := spellings()[strings.ToLower(strings.TrimSpace(s))]; ok {
		return t, nil
	}
	return Invalid, fmt.Errorf("unknown element type %q: write it as StableHLO (f32, i8, ui8, bf16, f8E4M3FN), XLA (s32, pred) or NumPy (float32, bool) does",
		excerpt.Of(s))
}
