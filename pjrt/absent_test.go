// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt_test

import (
	"context"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/plugins/plugintest"
	"github.com/purepjrt/purepjrt/pjrt/raw"
)

var updateAbsent = flag.Bool("update-absent", false, "rewrite ABSENT.md")

const absentFile = "ABSENT.md"

// TestPluginsThatLackAFunction takes each function away from a plugin in turn, once with an
// empty slot and once with the error UNIMPLEMENTED, and does what programs do every day.
// ABSENT.md has the outcome, which must be the same for both.
func TestPluginsThatLackAFunction(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes half a minute of processor time")
	}
	t.Parallel()
	out := t.TempDir() + "/absent.md"
	cases := runFaulty(t, "absent", plugintest.Path(t, "cpu@0.81"), absentOut+"="+out)
	assert.Greater(t, cases, 200, "functions were found at all")
	got, err := os.ReadFile(out)
	require.NoError(t, err)
	if *updateAbsent {
		require.NoError(t, os.WriteFile(absentFile, got, 0o644))
	}
	want, err := os.ReadFile(absentFile)
	require.NoError(t, err)
	assert.Equal(t, string(want), string(got), "run the test with -update-absent if this is right")
}

// TestTheOptimizedProgramDescribesAnExecutable takes away, all at once, the functions that
// describe executables.
func TestTheOptimizedProgramDescribesAnExecutable(t *testing.T) {
	ctx := context.Background()
	whole := newClient(t)
	table := raw.Table(whole.Plugin())
	for _, f := range []*capi.Function{
		(*capi.ExecutableNumReplicasArgs)(nil).Function(),
		(*capi.ExecutableNumPartitionsArgs)(nil).Function(),
		(*capi.ExecutableNumOutputsArgs)(nil).Function(),
		(*capi.ExecutableOutputElementTypesArgs)(nil).Function(),
		(*capi.ExecutableOutputDimensionsArgs)(nil).Function(),
		(*capi.LoadedExecutableAddressableDevicesArgs)(nil).Function(),
		(*capi.LoadedExecutableGetDeviceAssignmentArgs)(nil).Function(),
	} {
		var err error
		table, _, err = without(table, f)
		require.NoError(t, err)
	}
	plugin, err := raw.Plugin(table)
	require.NoError(t, err)
	client, err := plugin.NewClient(ctx, nil)
	require.NoError(t, err)
	defer client.Close()
	for name, c := range map[string]struct {
		program string
		options *pjrt.CompileOptions
	}{
		"one device": {add, nil},
		"replicas":   {add, &pjrt.CompileOptions{Replicas: 2, DeviceIDs: [][]int{{3}, {1}}}},
		"partitions": {sharded(4), &pjrt.CompileOptions{Partitions: 4, SPMD: true, DeviceIDs: [][]int{{2, 0, 3, 1}}}},
		"portable":   {add, &pjrt.CompileOptions{Portable: true}},
	} {
		t.Run(name, func(t *testing.T) {
			want, got := compileWith(t, whole, c.program, c.options), compileWith(t, client, c.program, c.options)
			assert.Equal(t, want.NumReplicas(), got.NumReplicas())
			assert.Equal(t, want.NumPartitions(), got.NumPartitions())
			assert.Equal(t, want.NumOutputs(), got.NumOutputs())
			wantOutputs, err := want.Outputs()
			require.NoError(t, err)
			outputs, err := got.Outputs()
			require.NoError(t, err)
			assert.Equal(t, fmt.Sprint(wantOutputs), fmt.Sprint(outputs))
			assert.Equal(t, fmt.Sprint(want.Devices()), fmt.Sprint(got.Devices()))
		})
	}
}

const absentOut = "PJRT_ABSENT_OUT"

// usage records which steps of a tour call a function.
type usage map[string]map[string]bool // by function, then step

func absentChild(t *testing.T, real *capi.Table, first int) {
	fails := honest(t, real)
	var mu sync.Mutex // the last objects may be destroyed after the tour
	used := make(usage)
	step := ""
	counting, err := counted(real, func(f *capi.Function) {
		mu.Lock()
		defer mu.Unlock()
		if used[f.Name] == nil {
			used[f.Name] = make(map[string]bool)
		}
		used[f.Name][step] = true
	})
	require.NoError(t, err)
	(&tour{table: counting.Capi(), patience: patience, cacheDir: t.TempDir()}).run(func(s string) {
		mu.Lock()
		defer mu.Unlock()
		step = s
	})

	var b strings.Builder
	b.WriteString(absentHead)
	var unused, harmless []string
	n := 0
	for _, f := range wrappable(real) {
		var rows [2]string
		uses := 0
		for _, s := range tourSteps {
			mu.Lock()
			if s.everyday && used[f.Name][s.name] {
				uses++
			}
			mu.Unlock()
		}
		for i, take := range []func(*capi.Table, *capi.Function) (table *capi.Table, end func() error, err error){without, unimplemented} {
			if n++; n <= first {
				continue
			}
			fmt.Println("case", f.Name, []string{"absent", "UNIMPLEMENTED"}[i])
			table, closeTable, err := take(real, f)
			require.NoError(t, err)
			before := pjrt.Live()
			x := &tour{table: table, patience: patience, cacheDir: t.TempDir()}
			end := watch(f.Name)
			x.run(nil)
			end()
			for _, c := range x.calls {
				if strings.Contains(fmt.Sprint(c.err), errPanic.Error()) || strings.Contains(fmt.Sprint(c.err), errValue.Error()) {
					finding("%s/%s: %v", c.step, c.name, c.err)
				}
			}
			if !keepsAlive[f.Name] {
				if left := settled(before); left != nil {
					finding("%v were alive before, and %v are alive now", before, left)
				}
			}
			require.NoError(t, closeTable())
			rows[i] = x.everydayFailures(fails)
			if rows[i] != "" && !strings.Contains(rows[i], f.Name) && !unnamed[f.Name] {
				finding("no error says what is missing: %s", rows[i])
			}
		}
		switch {
		case uses == 0:
			unused = append(unused, f.Name)
		case rows[0] == "" && rows[1] == "":
			harmless = append(harmless, f.Name)
		default:
			fmt.Fprintf(&b, "| `%s` | %s | %s |\n", f.Name, or(rows[0], "all work"), or(rows[1], "all work"))
		}
	}
	fmt.Fprintf(&b, absentHarmless, list(harmless))
	fmt.Fprintf(&b, absentUnused, list(unused))
	if out := os.Getenv(absentOut); out != "" {
		require.NoError(t, os.WriteFile(out, []byte(b.String()), 0o644))
	}
}

// keepsAlive has the functions without which objects stay in the plugin.
var keepsAlive = map[string]bool{"PJRT_Buffer_Destroy": true}

// unnamed has the functions whose absence no error reports. The error of PJRT_Event_Await is
// the work's.
var unnamed = map[string]bool{"PJRT_Event_Await": true}

const absentHead = `# What a plugin may lack

Vendors leave functions of the API out, by an empty slot or by the error UNIMPLEMENTED. This table says what then fails
among the things that programs do every day: opening the plugin, making a client, listing devices and memories,
compiling, describing the program, uploading, executing, downloading, copying, keeping executables on disk, and closing
everything. What is not named works. What is named has no other way: the functions that move raw bytes, for example,
take them in the layout of the device, which only the plugin knows how to make. The test ` + "`TestPluginsThatLackAFunction`" + `
takes one function at a time away from XLA's CPU plugin, which has API 0.81, and writes this file.

| without the function | an empty slot | UNIMPLEMENTED |
|---|---|---|
`

const absentHarmless = `
Everything works without each of these, by another way or with an empty answer:
%s
`

const absentUnused = `
Nothing of the above calls these:
%s
`

func list(names []string) string {
	slices.Sort(names)
	return "`" + strings.Join(names, "`,\n`") + "`."
}

func or(s, otherwise string) string {
	if s == "" {
		return otherwise
	}
	return s
}

// everydayFailures describes the everyday steps in which a call failed, each with its first
// error.
func (x *tour) everydayFailures(fails map[string]bool) string {
	var texts []string
	var steps [][]string
	for _, s := range tourSteps {
		if !s.everyday {
			continue
		}
		for _, c := range x.calls {
			if c.step != s.name || c.err == nil || fails[c.step+"/"+c.name] {
				continue
			}
			text, _, _ := strings.Cut(c.err.Error(), "\n")
			if i := slices.Index(texts, text); i >= 0 {
				if !slices.Contains(steps[i], s.name) {
					steps[i] = append(steps[i], s.name)
				}
				continue
			}
			texts, steps = append(texts, text), append(steps, []string{s.name})
		}
	}
	var list []string
	for i, text := range texts {
		list = append(list, strings.Join(steps[i], ", ")+": "+text)
	}
	return strings.Join(list, "<br>")
}
