// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/plugins/plugintest"
)

// jaxArtifacts holds what testdata/jax-0.12/export.py wrote with JAX 0.12.0.1: programs as
// jax.export serializes them, for StableHLO 1.18.0, and in programs.json their arguments and the
// results that JAX computed. The files with 1.13.3 in their names are some of the same programs,
// written for that version as docs/from-jax.md advises.
const jaxArtifacts = "testdata/jax-0.12"

type jaxProgram struct{ Args, Results []jaxArray }

type jaxArray struct {
	Type   string    `json:"type"`
	Dims   []int64   `json:"dims"`
	Values []float64 `json:"data"` // of a complex array, its real and imaginary parts in turn
}

// Each plugin promises to read artifacts up to its own version of StableHLO. Most newer ones use
// nothing that is newer.
func TestArtifactsOfNewerJAXCompileAndAgreeWithIt(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(jaxArtifacts, "programs.json"))
	require.NoError(t, err)
	var all struct {
		Programs map[string]jaxProgram `json:"programs"`
	}
	require.NoError(t, json.Unmarshal(text, &all))
	require.Len(t, all.Programs, 28)

	// unreadable are the programs that use what a plugin's StableHLO does not have.
	unreadable := map[string][]string{
		"0.81":  {"top", "special", "svd", "cholesky", "solve"}, // composite_v2, custom_call_v2
		"0.106": {"svd", "cholesky", "solve"},                   // custom_call_v2
	}
	// lapack are the programs that call LAPACK, whose handlers another package registers.
	lapack := []string{"svd", "cholesky", "solve"}

	plugintest.Each(t, func(t *testing.T, plugin plugintest.CPU) {
		client := plugintest.Client(t, pjrt.Attribute{Name: "cpu_device_count", Value: int64(2)})
		for name, want := range all.Programs {
			t.Run(name, func(t *testing.T) {
				compile := func(file string) (*pjrt.LoadedExecutable, error) {
					code, err := os.ReadFile(filepath.Join(jaxArtifacts, file))
					require.NoError(t, err)
					return client.Compile(t.Context(), pjrt.Program{Code: code}, nil)
				}
				exe, err := compile(name + ".mlirbc")
				if slices.Contains(unreadable[plugin.Age], name) {
					require.ErrorContains(t, err, "the program is a portable artifact of StableHLO 1.18.0")
					require.ErrorContains(t, err, "write the artifact for StableHLO")
					exe, err = compile(name + "-1.13.3.mlirbc")
				}
				if slices.Contains(lapack, name) {
					require.ErrorContains(t, err, "No FFI handler registered for lapack_")
					return
				}
				require.NoError(t, err)
				defer exe.Close()
				want.agree(t, client, exe, name)
			})
		}
		t.Run("written for an older version", func(t *testing.T) {
			for _, name := range []string{"draws", "loop", "branch", "sharded"} {
				code, err := os.ReadFile(filepath.Join(jaxArtifacts, name+"-1.13.3.mlirbc"))
				require.NoError(t, err)
				exe, err := client.Compile(t.Context(), pjrt.Program{Code: code}, nil)
				require.NoError(t, err, name)
				defer exe.Close()
				all.Programs[name].agree(t, client, exe, name)
			}
		})
	})
}

// agree fails the test unless the executable returns what JAX computed. The first argument of the
// program "sharded" is spread over two devices.
func (p jaxProgram) agree(t *testing.T, client *pjrt.Client, exe *pjrt.LoadedExecutable, name string) {
	t.Helper()
	devices := client.AddressableDevices()[:1]
	if name == "sharded" {
		devices = client.AddressableDevices()
	}
	args := make([][]*pjrt.Buffer, len(devices))
	for d, device := range devices {
		for i, a := range p.Args {
			if len(devices) > 1 && i == 0 {
				a = a.shard(d, len(devices))
			}
			b, err := client.BufferFromHost(t.Context(), a.host(t), &pjrt.BufferOptions{Device: device})
			require.NoError(t, err)
			defer b.Close()
			args[d] = append(args[d], b)
		}
	}
	outs, err := exe.ExecuteAll(t.Context(), args, nil)
	require.NoError(t, err)
	require.Len(t, outs, len(devices))
	for _, outs := range outs {
		require.Len(t, outs, len(p.Results))
		for i, w := range p.Results {
			defer outs[i].Close()
			assert.True(t, slices.Equal(w.Dims, outs[i].Shape().Dims), "%v, not %v", outs[i].Shape(), w.Dims)
			w.compare(t, outs[i])
		}
	}
}

// shard returns part d of n along the first dimension.
func (a jaxArray) shard(d, n int) jaxArray {
	part := len(a.Values) / n
	dims := slices.Clone(a.Dims)
	dims[0] /= int64(n)
	return jaxArray{a.Type, dims, a.Values[d*part : (d+1)*part]}
}

// host returns the array as an argument.
func (a jaxArray) host(t *testing.T) pjrt.HostArray {
	t.Helper()
	switch {
	case a.Type == "int32" && len(a.Dims) == 0:
		return pjrt.ScalarOf(int32(a.Values[0]))
	case a.Type == "float32":
		return pjrt.ArrayOf(valuesOf[float32](a), a.Dims...)
	case a.Type == "int32":
		return pjrt.ArrayOf(valuesOf[int32](a), a.Dims...)
	}
	t.Fatalf("no argument of export.py is %s", a.Type)
	return pjrt.HostArray{}
}

// compare fails the test if a result has other elements than JAX's beyond rounding.
func (a jaxArray) compare(t *testing.T, b *pjrt.Buffer) {
	t.Helper()
	got := make([]float64, 0, len(a.Values))
	switch a.Type {
	case "float32":
		elements, err := pjrt.ToSlice[float32](t.Context(), b)
		require.NoError(t, err)
		for _, x := range elements {
			got = append(got, float64(x))
		}
	case "int32":
		elements, err := pjrt.ToSlice[int32](t.Context(), b)
		require.NoError(t, err)
		for _, x := range elements {
			got = append(got, float64(x))
		}
	case "complex64":
		elements, err := pjrt.ToSlice[complex64](t.Context(), b)
		require.NoError(t, err)
		for _, x := range elements {
			got = append(got, float64(real(x)), float64(imag(x)))
		}
	default:
		t.Fatalf("no result of export.py is %s", a.Type)
	}
	assert.InDeltaSlice(t, a.Values, got, 1e-5)
}

func valuesOf[T float32 | int32](a jaxArray) []T {
	list := make([]T, len(a.Values))
	for i, x := range a.Values {
		list[i] = T(x)
	}
	return list
}
