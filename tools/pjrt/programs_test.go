// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/cmplx"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/array"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
	"github.com/purepjrt/purepjrt/pjrt/npy"
	"github.com/purepjrt/purepjrt/tools/internal/cli"
)

// program is an entry of testdata/programs/manifest.json, whose README explains
// it.
type program struct {
	Name, Program string
	Args          []struct {
		File  string
		Dtype string
	}
	Outputs []struct {
		File       string
		Dtype      dtype.Type
		Shape      []int64
		Rtol, Atol float64
	}
}

const programs = "testdata/programs"

func manifest(t *testing.T) []program {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(programs, "manifest.json"))
	require.NoError(t, err)
	var m struct{ Programs []program }
	require.NoError(t, json.Unmarshal(text, &m))
	require.NotEmpty(t, m.Programs)
	return m.Programs
}

// The programs run in this process, so that the plugin is loaded only once.
func TestRunAgreesWithJAX(t *testing.T) {
	t.Parallel()
	t.Cleanup(func() {
		assert.Eventually(t, func() bool { return len(pjrt.Live()) == 0 }, time.Minute, 10*time.Millisecond, "run must leave no objects behind")
	})
	for i, p := range manifest(t) {
		if testing.Short() && i%16 != 0 {
			continue
		}
		t.Run(p.Name, func(t *testing.T) {
			t.Parallel()
			out := t.TempDir()
			args := []string{"run", "--out", out, filepath.Join(programs, p.Program)}
			for _, a := range p.Args {
				arg := filepath.Join(programs, a.File)
				if a.Dtype != "" {
					arg += ":" + a.Dtype
				}
				args = append(args, arg)
			}
			var stdout, stderr bytes.Buffer
			require.Zero(t, cli.Execute(t.Context(), rootCommand(), args, &stdout, &stderr), stderr.String())
			written, err := os.ReadDir(out)
			require.NoError(t, err)
			require.Len(t, written, len(p.Outputs))
			for i, o := range p.Outputs {
				want, err := npy.ReadFileAs(filepath.Join(programs, o.File), o.Dtype)
				require.NoError(t, err)
				got, err := npy.ReadFileAs(filepath.Join(out, fmt.Sprintf("out%d.npy", i)), o.Dtype)
				require.NoError(t, err)
				require.Equal(t, o.Shape, append([]int64{}, got.Dims...))
				assert.NoError(t, compare(got, want, o.Rtol, o.Atol), "out%d", i)
				assert.Contains(t, stdout.String(),
					fmt.Sprintf("out%d: %s[%s]\n", i, o.Dtype, strings.Trim(strings.Join(strings.Fields(fmt.Sprint(o.Shape)), ","), "[]")))
			}
		})
	}
}

// compare reports the first element of got that differs from want by more than the tolerances. If
// both tolerances are zero, elements must have the same bits, except for NaN.
func compare(got, want array.Array, rtol, atol float64) error {
	if got.Type != want.Type || len(got.Data) != len(want.Data) {
		return fmt.Errorf("got %s with %d bytes, want %s with %d", got.Type, len(got.Data), want.Type, len(want.Data))
	}
	if bytes.Equal(got.Data, want.Data) {
		return nil
	}
	g, err := numbers(got)
	if err != nil {
		return err
	}
	w, err := numbers(want)
	if err != nil {
		return err
	}
	size := got.Type.Size()
	for i := range g {
		same := bytes.Equal(got.Data[i*size:(i+1)*size], want.Data[i*size:(i+1)*size])
		if !same && !similar(g[i], w[i], rtol, atol) {
			return fmt.Errorf("element %d is %v, want %v", i, g[i], w[i])
		}
	}
	return nil
}

func similar(got, want complex128, rtol, atol float64) bool {
	switch {
	case cmplx.IsNaN(got) || cmplx.IsNaN(want):
		return alikeNaN(real(got), real(want), rtol, atol) && alikeNaN(imag(got), imag(want), rtol, atol)
	case cmplx.IsInf(got) || cmplx.IsInf(want):
		return got == want
	case rtol == 0 && atol == 0:
		return false // the bits differ
	}
	return cmplx.Abs(got-want) <= atol+rtol*cmplx.Abs(want)
}

// alikeNaN compares one part of a complex number that contains a NaN.
func alikeNaN(got, want, rtol, atol float64) bool {
	if math.IsNaN(got) || math.IsNaN(want) {
		return math.IsNaN(got) && math.IsNaN(want)
	}
	return got == want || math.Abs(got-want) <= atol+rtol*math.Abs(want)
}

// numbers widens every type to complex128.
func numbers(a array.Array) ([]complex128, error) {
	wide, err := a.Cast(dtype.C128)
	if err != nil {
		return nil, err
	}
	return array.ToSlice[complex128](wide)
}

func TestCompareSeesDifferences(t *testing.T) {
	t.Parallel()
	vector := func(values ...float32) array.Array { return array.Of(values) }
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	negativeZero := float32(math.Copysign(0, -1))
	for _, c := range []struct {
		got, want  array.Array
		rtol, atol float64
		ok         bool
	}{
		{vector(1, 2), vector(1, 2), 0, 0, true},
		{vector(1, 2), vector(1, 2.5), 0, 0, false},
		{vector(1, 2), vector(1, 2.1), 0.1, 0, true},
		{vector(1, 2), vector(1, 2.5), 0.1, 0, false},
		{vector(0), vector(0.5), 0, 1, true},
		{vector(1), vector(1, 1), 1, 1, false},
		{vector(nan), vector(-nan), 0, 0, true},
		{vector(nan), vector(1), 1, 1, false},
		{vector(1), vector(nan), 1, 1, false},
		{vector(inf), vector(inf), 0, 0, true},
		{vector(inf), vector(-inf), 1, 1, false},
		{vector(inf), vector(1), 1, 1, false},
		{vector(0), vector(negativeZero), 0, 0, false},
		{vector(0), vector(negativeZero), 1, 0, true},
	} {
		err := compare(c.got, c.want, c.rtol, c.atol)
		assert.Equal(t, c.ok, err == nil, "%v %v: %v", c.got, c.want, err)
	}
}
