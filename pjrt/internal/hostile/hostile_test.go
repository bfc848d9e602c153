// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package main

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/purepjrt/purepjrt/internal/growth"
	"github.com/purepjrt/purepjrt/pjrt/internal/source"
)

// A program of any size stops being read when its context ends.
func TestReadingAProgramEndsWithItsContext(t *testing.T) {
	t.Parallel()
	for _, in := range Inputs() {
		if in.Form > Message || in.Sweep {
			continue
		}
		s, err := source.Parse(in.Make(64<<10), "")
		if err != nil {
			continue
		}
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		assert.ErrorIs(t, s.Read(ctx, source.Compiler{}), context.Canceled, in.Name)
		assert.NoError(t, s.Check(1), "%s: nothing was read", in.Name)
		assert.NoError(t, s.Read(context.Background(), source.Compiler{}), in.Name)
	}
}

func TestReadersTakeStepsInProportionToTheirInput(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it compiles everything once more, to count steps")
	}
	assert.NoError(t, growth.Steps())
}

func TestReadersNeedAtMostTwentyTimesTheMemoryOfTheirInput(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it takes a minute")
	}
	assert.NoError(t, growth.Memory())
}

// Whatever the input, what reading it allocates is bounded: a fuzzer finds inputs that nobody
// thought of. Tests cannot count steps, since Go writes counters of a test only when it ends.
func FuzzReadersAllocateLittle(f *testing.F) {
	forms := make(map[Form]bool)
	for _, in := range Inputs() {
		if !forms[in.Form] {
			forms[in.Form] = true
			f.Add(in.Make(200))
		}
	}
	readers := Readers()
	f.Fuzz(func(t *testing.T, b []byte) {
		for i := range readers {
			r := &readers[i]
			w := growth.Measure(r.Read, b)
			if most := uint64(64<<20 + 1000*len(b)); w.Bytes > most {
				t.Errorf("%s allocates %d bytes for %d", r.Name, w.Bytes, len(b))
			}
			if w.Error != nil && len(w.Error.Error()) > growth.LongestError {
				t.Errorf("%s returns an error of %d bytes", r.Name, len(w.Error.Error()))
			}
		}
	})
}
