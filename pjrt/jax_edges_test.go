// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
	"github.com/purepjrt/purepjrt/pjrt/plugins/plugintest"
)

// edges is what testdata/jax-edges/export.py wrote with JAX 0.12.0.1.
type edges struct {
	Values   map[string][]byte // the argument, by type
	Programs []struct {
		Group, Type, Code string
		Operations        []string
		Results           [][]byte // of each operation
	}
}

// unlike names what plugins compute in another way than XLA does today, by age.
var unlike = map[string]map[string]string{
	"0.81": {
		"pairs/bf16/div":  "divides, where newer ones multiply by the reciprocal, which is 0 for the greatest numbers",
		"reduce/bf16/max": "takes denormals for zeros",
		"reduce/bf16/min": "takes denormals for zeros",
	},
	"0.106": {
		"pairs/bf16/div":  "as 0.81",
		"reduce/bf16/max": "takes denormals for zeros",
		"reduce/bf16/min": "takes denormals for zeros",
	},
}

// unlikeOnSome names what a plugin computes from denormals as if they were zeros on some
// processors, for which its compiler makes other code, by age.
var unlikeOnSome = map[string][]string{"0.115": {"reduce/bf16/max", "reduce/bf16/min"}}

// With the default options, a plugin computes what JAX does of NaN, infinities, zeros of both signs
// and denormals, bit for bit. Functions that XLA approximates differ between its versions, but not
// in which results are NaN, infinite or zero, unless an argument is a denormal.
func TestEdgesOfFloatsAreThoseOfJAX(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("testdata/jax-edges", "programs.json"))
	require.NoError(t, err)
	var all edges
	require.NoError(t, json.Unmarshal(text, &all))
	require.Len(t, all.Programs, 28)
	if testing.Short() {
		all.test(t, fmt.Sprintf("0.%d", plugintest.Age(t)))
		return
	}
	plugintest.Each(t, func(t *testing.T, plugin plugintest.CPU) { all.test(t, plugin.Age) })
}

func (e *edges) test(t *testing.T, age string) {
	client := plugintest.Client(t)
	for _, p := range e.Programs {
		name := p.Group + "/" + p.Type
		t.Run(name, func(t *testing.T) {
			kind, err := dtype.Parse(p.Type)
			require.NoError(t, err)
			exe, err := client.Compile(t.Context(), pjrt.Program{Code: []byte(p.Code)}, nil)
			require.NoError(t, err)
			defer exe.Close()
			data := e.Values[p.Type]
			dims := []int64{int64(len(data) / kind.Size())}
			arg, err := client.BufferFromHost(t.Context(), pjrt.HostArray{Type: kind, Dims: dims, Data: data}, nil)
			require.NoError(t, err)
			defer arg.Close()
			outs, err := exe.Execute(t.Context(), []*pjrt.Buffer{arg}, nil)
			require.NoError(t, err)
			require.Len(t, outs, len(p.Operations))
			var skip func(i int) bool
			approximate := strings.HasPrefix(p.Group, "approximate")
			if approximate {
				skip = ofDenormals(float64s(t, kind, data), kind)
			}
			for i, operation := range p.Operations {
				defer outs[i].Close()
				got, err := outs[i].ToHost(t.Context())
				require.NoError(t, err)
				different := edgeDifferences(t, got, p.Results[i], approximate, skip)
				if why := unlike[age][name+"/"+operation]; why != "" {
					assert.NotEmpty(t, different, "%s is no longer so: the plugin %s", operation, why)
					continue
				}
				if len(different) > 0 && slices.Contains(unlikeOnSome[age], name+"/"+operation) {
					assert.Equal(t, flushed(t, kind, p.Results[i]), flushed(t, kind, got.Data), operation)
					continue
				}
				assert.Empty(t, different, operation)
			}
		})
	}
}

// float64s converts elements of a type.
func float64s(t *testing.T, kind dtype.Type, data []byte) []float64 {
	t.Helper()
	values := make([]float64, len(data)/kind.Size())
	require.NoError(t, dtype.Convert(dtype.Bytes(values), dtype.F64, data, kind))
	return values
}

// leastNormal is the least positive number of a type that is not denormal.
var leastNormal = map[dtype.Type]float64{dtype.F16: 0x1p-14, dtype.BF16: 0x1p-126, dtype.F32: 0x1p-126, dtype.F64: 0x1p-1022}

// ofDenormals returns a function that reports whether element i of a result is computed from a
// denormal: from one of the values, or from each pair of them in turn.
func ofDenormals(values []float64, kind dtype.Type) func(i int) bool {
	denormal := func(v float64) bool { return v != 0 && math.Abs(v) < leastNormal[kind] }
	n := len(values)
	return func(i int) bool { return denormal(values[i%n]) || denormal(values[i/n]) }
}

// flushed returns the elements as text, with 0 for denormals and zeros of either sign.
func flushed(t *testing.T, kind dtype.Type, data []byte) (list []string) {
	t.Helper()
	for _, v := range float64s(t, kind, data) {
		if math.Abs(v) < leastNormal[kind] {
			v = 0
		}
		list = append(list, fmt.Sprint(v)) // so that NaN equals NaN
	}
	return list
}

// edgeDifferences describes the elements of an array that are not those of want, which has the same
// type, but for those that skip tells to leave out. A NaN is as good as any other. If approximate
// is set, other numbers need only be of the same sign, and zero or infinite where the wanted ones
// are.
func edgeDifferences(t *testing.T, got pjrt.HostArray, want []byte, approximate bool, skip func(i int) bool) (list []string) {
	t.Helper()
	require.Len(t, want, len(got.Data))
	size := got.Type.Size()
	a, b := float64s(t, got.Type, got.Data), float64s(t, got.Type, want)
	for i := range a {
		x, y := got.Data[i*size:][:size], want[i*size:][:size]
		switch {
		case skip != nil && skip(i), bytes.Equal(x, y), math.IsNaN(a[i]) && math.IsNaN(b[i]):
		case approximate && math.Signbit(a[i]) == math.Signbit(b[i]) && (a[i] == 0) == (b[i] == 0) &&
			math.IsInf(a[i], 0) == math.IsInf(b[i], 0) && !math.IsNaN(a[i]) && !math.IsNaN(b[i]):
		default:
			list = append(list, fmt.Sprintf("element %d is %v (%x), and JAX's %v (%x)", i, a[i], x, b[i], y))
		}
	}
	return list
}
