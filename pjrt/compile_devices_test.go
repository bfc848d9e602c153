// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt_test

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/capi/serve"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/pjrttest"
)

// stating returns a program that states how many devices it is for.
func stating(attributes string) string {
	return fmt.Sprintf(`module attributes {%s} {
  func.func @main(%%x: tensor<4xf32>) -> tensor<4xf32> {
    return %%x : tensor<4xf32>
  }
}`, attributes)
}

func TestProgramsStateHowManyDevicesTheyAreFor(t *testing.T) {
	client := cpuDevices(t, 4)
	for name, c := range map[string]struct {
		attributes string
		opts       *pjrt.CompileOptions
		replicas   int
		partitions int
	}{
		"nothing":             {"", nil, 1, 1},
		"one":                 {"mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32", nil, 1, 1},
		"partitions":          {"mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32", nil, 1, 4},
		"replicas":            {"mhlo.num_replicas = 3 : i32", &pjrt.CompileOptions{}, 3, 1},
		"both":                {"mhlo.num_partitions = 2 : i32, mhlo.num_replicas = 2 : i32", nil, 2, 2},
		"half is set":         {"mhlo.num_partitions = 2 : i32, mhlo.num_replicas = 2 : i32", &pjrt.CompileOptions{Replicas: 2}, 2, 2},
		"the same is set":     {"mhlo.num_partitions = 4 : i32", &pjrt.CompileOptions{Partitions: 4, SPMD: true}, 1, 4},
		"SPMD is not set":     {"mhlo.num_partitions = 4 : i32", &pjrt.CompileOptions{Partitions: 4}, 1, 4},
		"one may be many":     {"mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32", &pjrt.CompileOptions{Replicas: 4}, 4, 1},
		"by extra fields":     {"", &pjrt.CompileOptions{Extra: []byte{0x1a, 2, 0x20, 2}}, 2, 1},
		"extra fields agree":  {"mhlo.num_replicas = 2 : i32", &pjrt.CompileOptions{Extra: []byte{0x1a, 2, 0x20, 2}}, 2, 1},
		"devices are chosen":  {"mhlo.num_partitions = 2 : i32", &pjrt.CompileOptions{DeviceIDs: [][]int{{3, 1}}}, 1, 2},
		"negative, so absent": {"mhlo.num_partitions = -2 : i32", nil, 1, 1},
	} {
		t.Run(name, func(t *testing.T) {
			exe := compileWith(t, client, stating(c.attributes), c.opts)
			assert.Equal(t, c.replicas, exe.NumReplicas())
			assert.Equal(t, c.partitions, exe.NumPartitions())
			assert.Len(t, exe.Devices(), c.replicas*c.partitions)
		})
	}
	explicit, err := client.CompileKey(pjrt.Program{Code: []byte(stating("mhlo.num_partitions = 4 : i32"))},
		&pjrt.CompileOptions{Partitions: 4, SPMD: true})
	require.NoError(t, err)
	silent, err := client.CompileKey(pjrt.Program{Code: []byte(stating("mhlo.num_partitions = 4 : i32"))}, nil)
	require.NoError(t, err)
	assert.Equal(t, explicit, silent)
}

func TestOptionsThatContradictTheProgramAreErrors(t *testing.T) {
	client := cpuDevices(t, 4)
	for name, c := range map[string]struct {
		attributes, body string
		opts             *pjrt.CompileOptions
		want             string
	}{
		"partitions": {
			"mhlo.num_partitions = 4 : i32", "", &pjrt.CompileOptions{Partitions: 2},
			"the program states that it is for 4 partitions, and the compile options ask for 2: leave Partitions unset, or set it to 4",
		},
		"one partition": {"mhlo.num_partitions = 4 : i32", "", &pjrt.CompileOptions{Partitions: 1}, "for 4 partitions, and the compile options ask for 1"},
		"replicas":      {"mhlo.num_replicas = 2 : i32", "", &pjrt.CompileOptions{Replicas: 3}, "for 2 replicas, and the compile options ask for 3: leave Replicas unset"},
		"extra fields": {
			"mhlo.num_replicas = 2 : i32", "", &pjrt.CompileOptions{Extra: []byte{0x1a, 2, 0x20, 3}},
			"for 2 replicas, and the compile options ask for 3",
		},
		"broken extra fields": {"", "", &pjrt.CompileOptions{Extra: []byte{0x1a, 2, 0x20}}, "the extra fields of the compile options"},
		"too few devices": {
			"mhlo.num_partitions = 8 : i32", "", nil,
			"the program states that it is for 8 partitions, and the client has 4 devices: use one with as many devices as the program needs",
		},
		"too few devices for both": {
			"mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 2 : i32", "", nil, "2 replicas of 4 partitions; the client has 4 devices",
		},
		"negative": {"mhlo.num_partitions = 4 : i32", "", &pjrt.CompileOptions{Partitions: -1}, "neither can be negative"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := client.Compile(t.Context(), pjrt.Program{Code: []byte(stating(c.attributes))}, c.opts)
			require.ErrorIs(t, err, pjrt.ErrInvalidArgument)
			assert.ErrorContains(t, err, c.want)
			_, err = client.CompileKey(pjrt.Program{Code: []byte(stating(c.attributes))}, c.opts)
			assert.ErrorContains(t, err, c.want)
		})
	}
}

// A program that is divided among devices without stating so gets an error that says which
// options it needs. Shardy's mesh states it.
func TestDividedProgramsThatDoNotStateItGetAdvice(t *testing.T) {
	client := cpuDevices(t, 4)
	changed := func(file, was, becomes string) pjrt.Program {
		code, err := os.ReadFile("sharding/testdata/manual/" + file)
		require.NoError(t, err)
		require.True(t, bytes.Contains(code, []byte(was)))
		return pjrt.Program{Code: bytes.ReplaceAll(code, []byte(was), []byte(becomes))}
	}
	exe, err := client.Compile(t.Context(), changed("shardy-export.mlirbc", "mhlo.num_partitions", "mhlo.no__partitions"), nil)
	require.NoError(t, err)
	defer exe.Close()
	assert.Equal(t, 4, exe.NumPartitions())
	for name, c := range map[string]struct {
		program pjrt.Program
		want    string
	}{
		"Shardy": {changed("shardy.mlir", "partitions = 4", "partitions = 1"), "set Partitions to the number of devices in its mesh, SPMD and Shardy"},
		"GSPMD":  {changed("gspmd.mlir", "mhlo.num_partitions", "x.y"), "set Partitions to that number, and SPMD"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := client.Compile(t.Context(), c.program, nil)
			require.ErrorIs(t, err, pjrt.ErrInvalidArgument)
			assert.ErrorContains(t, err, c.want)
			assert.NotContains(t, err.Error(), "xla.sdy")
		})
	}
}

// XLA's plugin for CUDA does so: a topology contains maps.
func TestKeysDoNotDependOnTheOrderInWhichATopologyIsSerialized(t *testing.T) {
	var calls int
	cores := "\x08\x01\x10\x40"
	key := func() [32]byte {
		t.Helper()
		p := hooked(t, pjrttest.New(t, pjrttest.Options{}), serve.Around(
			func(c *serve.Invocation, a *capi.TopologyDescriptionSerializeArgs) {
				if c.Forward(); c.Err() != nil {
					return
				}
				entries := []string{"\x0a\x04" + cores, "\x0a\x04\x08\x02\x10\x20", "\x12\x03gpu"}
				if calls++; calls%2 == 0 {
					slices.Reverse(entries)
				}
				a.SerializedBytes, a.SerializedBytesSize = capi.StringData(strings.Join(entries, ""))
			}))
		client, err := p.NewClient(t.Context(), nil)
		require.NoError(t, err)
		defer client.Close()
		k, err := client.CompileKey(pjrt.Program{Code: []byte(add)}, nil)
		require.NoError(t, err)
		again, err := client.CompileKey(pjrt.Program{Code: []byte(add)}, nil)
		require.NoError(t, err)
		assert.Equal(t, k, again)
		return k
	}
	first, second := key(), key()
	assert.Equal(t, 2, calls, "each client's topology is serialized once")
	assert.Equal(t, first, second)
	cores = "\x08\x01\x10\x41"
	assert.NotEqual(t, first, key())
}
