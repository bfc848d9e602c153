// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/pjrt"
	saved "github.com/purepjrt/purepjrt/pjrt/compile"
	"github.com/purepjrt/purepjrt/pjrt/plugins/plugintest"
)

func TestASavedExecutableSaysWhereItBelongs(t *testing.T) {
	client := newClient(t)
	data, err := compile(t, client, add).Serialize(context.Background())
	require.NoError(t, err)
	s, err := saved.Decode(data)
	require.NoError(t, err)
	assert.NotZero(t, s.Plugin.Digest)
	assert.NotZero(t, s.Plugin.File)
	major, minor := client.Plugin().Version()
	assert.Equal(t, [2]int{major, minor}, [2]int{s.Plugin.Major, s.Plugin.Minor})
	if os.Getenv(emulator) == "" {
		assert.NotEmpty(t, s.System.CPUFeatures)
	}
	s.System.CPUFeatures = nil
	assert.Equal(t, saved.System{
		Platform: "cpu", PlatformVersion: client.PlatformVersion(), Kinds: []string{"cpu"}, Devices: len(client.Devices()),
	}, s.System)
	assert.Equal(t, 1, s.Devices)
	assert.Nil(t, s.ABI, "the CPU plugin has no ABI versions")
}

func TestAnExecutableThatBelongsElsewhereIsNotLoaded(t *testing.T) {
	ctx := context.Background()
	client := newClient(t)
	data, err := compile(t, client, add).Serialize(ctx)
	require.NoError(t, err)
	whole, err := saved.Decode(data)
	require.NoError(t, err)
	if os.Getenv(emulator) == "" {
		require.NotEmpty(t, whole.System.CPUFeatures)
	}
	_, minor := client.Plugin().Version()
	build := fmt.Sprintf(`it was compiled by another build of the plugin (API 0.%d, platform version "cpu"), and this one is API 0.%d, "cpu"`, minor, minor)
	for name, c := range map[string]struct {
		change  func(*saved.Executable)
		foreign string // the error with Foreign, "" if it is loaded then
		want    string // "" if it is loaded
	}{
		"unchanged":                        {func(*saved.Executable) {}, "", ""},
		"another build":                    {func(s *saved.Executable) { s.Plugin.File[0]++; s.Plugin.Digest[7]++ }, "", build},
		"a build without a file":           {func(s *saved.Executable) { s.Plugin.File = [32]byte{}; s.Plugin.Digest[7]++ }, "", build},
		"the same build elsewhere":         {func(s *saved.Executable) { s.Plugin.File[0]++ }, "", ""},
		"the same file, which is not read": {func(s *saved.Executable) { s.Plugin.Digest[7]++ }, "", ""},
		"another ABI": {func(s *saved.Executable) {
			s.Plugin.File[0]++
			s.Plugin.Digest[7]++
			s.ABI = &saved.ABIVersion{Proto: []byte("x")}
		}, "", "another build of the plugin"},
		"the same ABI unasked":               {func(s *saved.Executable) { s.ABI = &saved.ABIVersion{Proto: []byte("x")} }, "", ""},
		"another platform":                   {func(s *saved.Executable) { s.System.Platform = "cuda" }, "", `it was compiled for the platform "cuda", not "cpu"`},
		"spelling of it":                     {func(s *saved.Executable) { s.System.Platform = "CPU" }, "", ""},
		"better CPU":                         {func(s *saved.Executable) { s.System.CPUFeatures = append(s.System.CPUFeatures, "a", "b") }, "", "a CPU with a, b, which this one lacks"},
		"lesser CPU":                         {func(s *saved.Executable) { s.System.CPUFeatures = s.System.CPUFeatures[:1] }, "", ""},
		"unknown CPU":                        {func(s *saved.Executable) { s.System.CPUFeatures = nil }, "", ""},
		"another kind":                       {func(s *saved.Executable) { s.System.Kinds = []string{"a", "b"} }, "", "for devices of the kind a, b, not cpu"},
		"more devices, of which one runs it": {func(s *saved.Executable) { s.System.Devices = 99 }, "", ""},
		"more devices on the host":           {func(s *saved.Executable) { s.System.Devices, s.Devices = 99, 2 }, "", ""},
		"no code":                            {func(s *saved.Executable) { s.Code = nil }, "PJRT_Executable_DeserializeAndLoad", "PJRT_Executable_DeserializeAndLoad"},
		"wrong code":                         {func(s *saved.Executable) { s.Code = s.Code[1:] }, "PJRT_Executable_DeserializeAndLoad", "PJRT_Executable_DeserializeAndLoad"},
	} {
		t.Run(name, func(t *testing.T) {
			if strings.HasSuffix(name, " CPU") && os.Getenv(emulator) != "" {
				t.Skip("an emulated CPU does not say what it has")
			}
			s, err := saved.Decode(slices.Clone(data))
			require.NoError(t, err)
			c.change(s)
			changed := s.Encode()
			for _, foreign := range []bool{false, true} {
				want := c.want
				if foreign {
					want = c.foreign
				}
				exe, err := client.DeserializeAndLoad(ctx, changed, &pjrt.LoadOptions{Foreign: foreign})
				if want == "" {
					require.NoError(t, err)
					adds(t, exe)
					require.NoError(t, exe.Close())
					continue
				}
				require.ErrorContains(t, err, want)
				if want != c.foreign {
					require.ErrorIs(t, err, pjrt.ErrFailedPrecondition)
					require.ErrorContains(t, err, "compile the program again")
				}
			}
		})
	}
}

// A program that uses instructions that the processor lacks ends the process.
func TestAnExecutableForABetterProcessorIsNotLoaded(t *testing.T) {
	if os.Getenv(emulator) != "" {
		t.Skip("an emulated CPU does not say what it has")
	}
	plugintest.Each(t, func(t *testing.T, _ plugintest.CPU) {
		ctx := context.Background()
		client := newClient(t)
		data, err := compile(t, client, add).Serialize(ctx)
		require.NoError(t, err)
		own, err := saved.Decode(data)
		require.NoError(t, err)
		known := own.System.CPUFeatures
		require.Greater(t, len(known), 3)
		assert.IsIncreasing(t, known)
		for name, c := range map[string]struct {
			features []string
			want     string
		}{
			"the same":           {known, ""},
			"fewer instructions": {known[1:2], ""},
			"not told":           {nil, ""},
			"more instructions":  {append(slices.Clone(known), "zzz"), "a CPU with zzz, which this one lacks"},
			"other instructions": {[]string{"000", "zzz"}, "a CPU with 000, zzz, which this one lacks"},
		} {
			t.Run(name, func(t *testing.T) {
				s := *own
				s.System.CPUFeatures = c.features
				exe, err := client.DeserializeAndLoad(ctx, s.Encode(), nil)
				if c.want != "" {
					require.ErrorIs(t, err, pjrt.ErrFailedPrecondition)
					require.ErrorContains(t, err, c.want)
					return
				}
				require.NoError(t, err)
				adds(t, exe)
				require.NoError(t, exe.Close())
			})
		}
	})
}

func TestWhatThePluginWroteIsLoadedOnRequest(t *testing.T) {
	ctx := context.Background()
	client := newClient(t)
	data, err := compile(t, client, add).Serialize(ctx)
	require.NoError(t, err)
	s, err := saved.Decode(data)
	require.NoError(t, err)
	_, err = client.DeserializeAndLoad(ctx, s.Code, nil)
	require.ErrorIs(t, err, pjrt.ErrInvalidArgument)
	require.ErrorContains(t, err, "set Foreign in the LoadOptions")
	exe, err := client.DeserializeAndLoad(ctx, s.Code, &pjrt.LoadOptions{Foreign: true})
	require.NoError(t, err)
	defer exe.Close()
	adds(t, exe)
}

// Wrong bits in what the plugin wrote end the process in many cases.
func TestADamagedExecutableDoesNotReachThePlugin(t *testing.T) {
	ctx := context.Background()
	client := newClient(t)
	data, err := compile(t, client, add).Serialize(ctx)
	require.NoError(t, err)
	for i := len("PJRTSAV") + 1; i < len(data); i++ {
		damaged := slices.Clone(data)
		damaged[i] ^= 1 << (i % 8)
		for _, opts := range []*pjrt.LoadOptions{nil, {Foreign: true}} {
			_, err := client.DeserializeAndLoad(ctx, damaged, opts)
			require.ErrorIs(t, err, pjrt.ErrDataLoss, "byte %d", i)
		}
	}
	for _, n := range []int{8, 9, 60, len(data) / 2, len(data) - 1} {
		_, err := client.DeserializeAndLoad(ctx, data[:n], nil)
		require.ErrorIs(t, err, pjrt.ErrDataLoss, "%d bytes", n)
	}
}

// A copy of a plugin at another place is the same build; one that differs in a single byte
// is not.
func TestBuildsOfAPluginAreToldApartByTheirFiles(t *testing.T) {
	path := plugintest.Path(t, "cpu")
	in, err := os.Open(path)
	require.NoError(t, err)
	defer in.Close()
	info, err := in.Stat()
	require.NoError(t, err)
	name := filepath.Join(t.TempDir(), "copy.so")
	out, err := os.Create(name)
	require.NoError(t, err)
	_, err = io.Copy(out, in)
	require.NoError(t, err)
	want, err := pjrt.FileDigest(path)
	require.NoError(t, err)
	got, err := pjrt.FileDigest(name)
	require.NoError(t, err)
	assert.Equal(t, want, got)
	for _, at := range []int64{0, 12345, info.Size() / 3, info.Size() - 1} {
		var old [1]byte
		_, err := out.ReadAt(old[:], at)
		require.NoError(t, err)
		_, err = out.WriteAt([]byte{old[0] ^ 1}, at)
		require.NoError(t, err)
		got, err := pjrt.FileDigest(name)
		require.NoError(t, err)
		assert.NotEqual(t, want, got, "byte %d", at)
		_, err = out.WriteAt(old[:], at)
		require.NoError(t, err)
	}
	_, err = out.WriteAt([]byte{0}, info.Size())
	require.NoError(t, err)
	got, err = pjrt.FileDigest(name)
	require.NoError(t, err)
	assert.NotEqual(t, want, got, "longer")
	require.NoError(t, out.Close())
	require.NoError(t, os.Truncate(name, 0))
	empty, err := pjrt.FileDigest(name)
	require.NoError(t, err)
	assert.False(t, bytes.Equal(want[:], empty[:]))
	_, err = pjrt.FileDigest(filepath.Join(t.TempDir(), "missing"))
	require.ErrorIs(t, err, os.ErrNotExist)
}

func TestWhereExecutablesBelong(t *testing.T) {
	plugin := newClient(t).Plugin()
	tpus := func(n int, bounds ...int64) saved.System {
		return saved.System{Platform: "tpu", Kinds: []string{"TPU v5 lite"}, Devices: n, Bounds: bounds}
	}
	abi := &saved.ABIVersion{Platform: 1, Proto: []byte("x")}
	for name, c := range map[string]struct {
		from    saved.System
		devices int
		here    saved.System
		another bool // build of the plugin
		runs    bool
		says    error // what the plugin says about the ABI version
		want    string
	}{
		"same":                      {tpus(4, 2, 2, 1), 4, tpus(4, 2, 2, 1), false, false, nil, ""},
		"other grid":                {tpus(4, 2, 2, 1), 4, tpus(4, 4, 1, 1), false, false, nil, "for a system of 4 devices in 2 x 2 x 1, not a system of 4 devices in 4 x 1 x 1"},
		"larger":                    {tpus(4, 2, 2, 1), 2, tpus(8, 4, 2, 1), false, false, nil, "for a system of 4 devices in 2 x 2 x 1, not a system of 8 devices in 4 x 2 x 1"},
		"larger, no grid":           {tpus(4), 2, tpus(8), false, false, nil, "for a system of 4 devices, not a system of 8 devices"},
		"larger, for one device":    {tpus(4, 2, 2, 1), 1, tpus(8, 4, 2, 1), false, false, nil, ""},
		"system unknown":            {saved.System{Platform: "tpu"}, 4, tpus(4, 2, 2, 1), false, false, nil, ""},
		"another build":             {tpus(1), 1, tpus(1), true, false, nil, "by another build of the plugin"},
		"another that can run it":   {tpus(1), 1, tpus(1), true, true, nil, ""},
		"another that cannot":       {tpus(1), 1, tpus(1), true, false, io.ErrNoProgress, "which cannot run it: " + io.ErrNoProgress.Error()},
		"one that can, wrong kinds": {tpus(1), 1, saved.System{Platform: "tpu", Kinds: []string{"TPU v4"}, Devices: 1}, true, true, nil, "of the kind TPU v5 lite, not TPU v4"},
	} {
		t.Run(name, func(t *testing.T) {
			s := &saved.Executable{Plugin: pjrt.SavedPlugin(plugin), System: c.from, Devices: c.devices, ABI: abi}
			if c.another {
				s.Plugin.File[0]++
				s.Plugin.Digest[0]++
			}
			asked := 0
			err := pjrt.Misplaced(s, plugin, c.here, func(v *saved.ABIVersion) (bool, error) {
				asked++
				assert.Same(t, abi, v)
				return c.runs, c.says
			})
			if c.want == "" {
				require.NoError(t, err)
			} else {
				require.ErrorContains(t, err, c.want)
			}
			if c.says != nil {
				require.ErrorIs(t, err, c.says)
			}
			assert.Equal(t, c.another, asked == 1, "only builds that differ are compared by their ABI versions")
		})
	}
}

// Options to load an executable that leave out its replicas and partitions keep them, and others
// would give wrong results.
func TestLoadingAnExecutableKeepsItsReplicasAndPartitions(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	client := newClient(t, pjrt.Attribute{Name: "cpu_device_count", Value: int64(4)})
	four := pjrt.CompileOptions{Partitions: 4}
	exe, err := client.Compile(ctx, pjrt.Program{Code: []byte(add)}, &four)
	require.NoError(t, err)
	defer exe.Close()
	data, err := exe.Serialize(ctx)
	require.NoError(t, err)
	devices := client.Devices()
	for name, c := range map[string]struct {
		options pjrt.CompileOptions
		want    string // in the error
	}{
		"no counts":            {pjrt.CompileOptions{}, ""},
		"its counts":           {pjrt.CompileOptions{Replicas: 1, Partitions: 4}, ""},
		"fewer partitions":     {pjrt.CompileOptions{Partitions: 2}, "for 4 partitions, and the compile options ask for 2"},
		"one partition":        {pjrt.CompileOptions{Partitions: 1}, "for 4 partitions, and the compile options ask for 1"},
		"replicas of it":       {pjrt.CompileOptions{Replicas: 2}, "for 1 replicas, and the compile options ask for 2"},
		"as many replicas":     {pjrt.CompileOptions{Replicas: 4, Partitions: 1}, "for 1 replicas, and the compile options ask for 4"},
		"one device":           {pjrt.CompileOptions{Devices: [][]*pjrt.Device{devices[:1]}}, "row 0 of the device assignment has length 1"},
		"all devices":          {pjrt.CompileOptions{Devices: [][]*pjrt.Device{devices}}, ""},
		"any one device":       {pjrt.CompileOptions{Portable: true}, "num_partitions 4"},
		"counts in the extras": {pjrt.CompileOptions{Extra: protoBytes(3, protoInt(5, 2))}, "for 4 partitions, and the compile options ask for 2"},
	} {
		t.Run(name, func(t *testing.T) {
			loaded, err := client.DeserializeAndLoad(ctx, data, &pjrt.LoadOptions{Compile: &c.options})
			if c.want != "" {
				require.ErrorIs(t, err, pjrt.ErrInvalidArgument)
				require.ErrorContains(t, err, c.want)
				return
			}
			require.NoError(t, err)
			defer loaded.Close()
			assert.Equal(t, 4, loaded.NumPartitions())
			assert.Len(t, loaded.Devices(), 4)
		})
	}
}

// sorted is a program with a sort, whose comparator is a function of its own in the executable.
const sorted = `func.func @main(%a: tensor<64xf32>) -> tensor<64xf32> {
  %0 = "stablehlo.sort"(%a) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %1 = stablehlo.abs %x : tensor<f32>
    %2 = stablehlo.compare LT, %1, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %2 : tensor<i1>
  }) : (tensor<64xf32>) -> tensor<64xf32>
  return %0 : tensor<64xf32>
}`

// If a newer plugin can write it, the error and the comment of Serialize can go.
func TestASortIsSerializedBeforeItIsExecuted(t *testing.T) {
	plugintest.Each(t, func(t *testing.T, _ plugintest.CPU) {
		ctx := t.Context()
		client := newClient(t)
		exe := compile(t, client, sorted)
		data, err := exe.Serialize(ctx)
		require.NoError(t, err)
		x, err := pjrt.FromSlice(ctx, client, make([]float32, 64))
		require.NoError(t, err)
		defer x.Close()
		outs, err := exe.Run(ctx, x)
		require.NoError(t, err)
		defer outs[0].Close()
		_, err = exe.Serialize(ctx)
		require.ErrorIs(t, err, pjrt.ErrUnimplemented)
		require.ErrorContains(t, err, "is not serializable: the plugin cannot write a program with a sort once it was executed: "+
			"serialize it before the first execution")
		loaded, err := client.DeserializeAndLoad(ctx, data, nil)
		require.NoError(t, err)
		defer loaded.Close()
		outs, err = loaded.Run(ctx, x)
		require.NoError(t, err)
		require.NoError(t, outs[0].Close())
	})
}
