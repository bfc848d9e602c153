// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package profiler_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/extensions/profiler"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/pjrttest"
	"github.com/purepjrt/purepjrt/pjrt/plugins/plugintest"
)

const double = `module @double {
  func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
    %0 = stablehlo.add %a, %a : tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}`

// work uploads, compiles, executes and downloads, from two goroutines.
func work(t testing.TB, c *pjrt.Client) {
	t.Helper()
	ctx := context.Background()
	exe, err := c.Compile(ctx, pjrt.Program{Code: []byte(double)}, nil)
	require.NoError(t, err)
	defer exe.Close()
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			in, err := pjrt.FromSlice(ctx, c, []float32{1, 2, 3, 4}, 4)
			if !assert.NoError(t, err) {
				return
			}
			defer in.Close()
			out, err := exe.Execute(ctx, []*pjrt.Buffer{in}, nil)
			if !assert.NoError(t, err) {
				return
			}
			defer out[0].Close()
			values, err := pjrt.ToSlice[float32](ctx, out[0])
			assert.NoError(t, err)
			assert.Equal(t, []float32{2, 4, 6, 8}, values)
		})
	}
	wg.Wait()
}

// event is an element of traceEvents, with every field that the Trace Event Format defines
// for the phases in use here.
type event struct {
	Name string         `json:"name"`
	Cat  string         `json:"cat"`
	Ph   string         `json:"ph"`
	TS   *float64       `json:"ts"`
	Dur  *float64       `json:"dur"`
	PID  int            `json:"pid"`
	TID  int            `json:"tid"`
	ID   int            `json:"id"`
	BP   string         `json:"bp"`
	Args map[string]any `json:"args"`
}

// trace writes a profile as JSON, and reads it back as strictly as the format demands.
func trace(t testing.TB, p *profiler.Profile) []event {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, p.WriteTrace(&b))
	var file struct {
		DisplayTimeUnit string            `json:"displayTimeUnit"`
		OtherData       map[string]string `json:"otherData"`
		TraceEvents     []event           `json:"traceEvents"`
	}
	d := json.NewDecoder(&b)
	d.DisallowUnknownFields()
	require.NoError(t, d.Decode(&file))
	require.False(t, d.More())
	assert.Contains(t, []string{"ms", "ns"}, file.DisplayTimeUnit)
	type row struct{ pid, tid int }
	open := make(map[row][]event)
	arrows := make(map[int]string)
	named := make(map[row]bool)
	for _, e := range file.TraceEvents {
		require.NotEmpty(t, e.Name)
		require.NotNil(t, e.TS)
		r := row{e.PID, e.TID}
		switch e.Ph {
		case "M":
			require.Contains(t, []string{"process_name", "process_sort_index", "thread_name", "thread_sort_index"}, e.Name)
			require.Len(t, e.Args, 1)
			if e.Name == "thread_name" {
				require.False(t, named[r], "two names for one row")
				named[r] = true
			}
		case "X":
			require.True(t, named[r], "a span on a row without a name")
			require.NotNil(t, e.Dur)
			require.GreaterOrEqual(t, *e.Dur, 0.0)
			// Spans of a row lie beside or within each other.
			for len(open[r]) > 0 {
				last := open[r][len(open[r])-1]
				if *last.TS+*last.Dur > *e.TS {
					require.LessOrEqual(t, *e.TS+*e.Dur, *last.TS+*last.Dur+0.001, "%v and %v overlap", last, e)
					break
				}
				open[r] = open[r][:len(open[r])-1]
			}
			open[r] = append(open[r], e)
		case "C":
			require.NotEmpty(t, e.Args)
			for _, v := range e.Args {
				require.IsType(t, 0.0, v, "counters are numbers")
			}
		case "s":
			require.Empty(t, arrows[e.ID])
			arrows[e.ID] = "begun"
		case "f":
			require.Equal(t, "begun", arrows[e.ID])
			require.Equal(t, "e", e.BP)
			arrows[e.ID] = "done"
		default:
			require.Fail(t, "unknown phase", e.Ph)
		}
	}
	for id, state := range arrows {
		assert.Equal(t, "done", state, id)
	}
	return file.TraceEvents
}

func kinds(p *profiler.Profile) map[pjrt.OperationKind]int {
	counts := make(map[pjrt.OperationKind]int)
	for _, s := range p.Spans {
		counts[s.Kind]++
	}
	return counts
}

func TestARecordingOfAPluginWithoutAProfiler(t *testing.T) {
	plugin := plugintest.Plugin(t)
	client, err := plugin.NewClient(context.Background(), nil)
	require.NoError(t, err)
	defer client.Close()
	r, err := profiler.Record(plugin)
	require.NoError(t, err)
	end := r.Region("step 1")
	work(t, client)
	end()
	_, err = client.Compile(context.Background(), pjrt.Program{Code: []byte("nonsense")}, nil)
	require.Error(t, err)
	p, err := r.Stop()
	require.NoError(t, err)
	work(t, client) // is not recorded
	r.Region("late")()

	assert.Equal(t, map[pjrt.OperationKind]int{
		profiler.Region: 1, pjrt.OperationCompile: 2, pjrt.OperationUpload: 2, pjrt.OperationExecute: 2, pjrt.OperationDownload: 2,
	}, kinds(p))
	goroutines := make(map[uint64]bool)
	for i, s := range p.Spans {
		assert.NotZero(t, s.Goroutine)
		goroutines[s.Goroutine] = true
		assert.WithinRange(t, s.Start, p.Begin, p.End)
		if i > 0 {
			assert.False(t, s.Start.Before(p.Spans[i-1].Start))
		}
	}
	assert.Len(t, goroutines, 3)
	assert.GreaterOrEqual(t, len(p.Samples), 2)
	assert.Positive(t, p.Samples[0].HeapBytes)
	assert.Positive(t, p.Samples[0].Live["client"])

	events := trace(t, p)
	find := func(name string) event {
		i := slices.IndexFunc(events, func(e event) bool { return e.Ph == "X" && e.Name == name })
		require.GreaterOrEqual(t, i, 0, name)
		return events[i]
	}
	step, compile := find("step 1"), find("compile double")
	assert.Equal(t, step.TID, compile.TID, "the region and what the goroutine did in it are on one row")
	assert.NotEqual(t, step.TID, find("execute double").TID)
	assert.Contains(t, find("compile").Args, "error")
	counters := 0
	for _, e := range events {
		if e.Ph == "C" {
			counters++
		}
	}
	assert.Positive(t, counters)

	space, err := profiler.Decode(p.XSpace())
	require.NoError(t, err)
	require.Len(t, space.Planes, 1)
	assert.Equal(t, "/host:CPU", space.Planes[0].Name)
	assert.Len(t, space.Planes[0].Lines, 3)
	names := make(map[string]bool)
	for _, l := range space.Planes[0].Lines {
		for _, e := range l.Events {
			names[e.Name] = true
			if e.Name == "upload" {
				assert.Equal(t, int64(16), e.Stats["bytes"])
				assert.NotEmpty(t, e.Stats["devices"])
			}
		}
	}
	assert.True(t, names["execute double"] && names["step 1"] && names["upload"], names)
}

func TestAPluginsProfileIsOnTheSameClock(t *testing.T) {
	plugin := pjrttest.New(t, pjrttest.Options{NoLeaks: true})
	client := plugin.Client()
	plugin.Program("double", pjrttest.Signature{}, pjrttest.Identity)
	ctx := context.Background()
	exe, err := client.Compile(ctx, pjrt.Program{Code: []byte(`module @double { func.func @main() { return } }`)}, nil)
	require.NoError(t, err)
	defer exe.Close()
	r, err := profiler.Record(plugin.Plugin(), plugin.Plugin())
	require.NoError(t, err)
	_, err = exe.Execute(ctx, nil, nil)
	require.NoError(t, err)
	p, err := r.Stop()
	require.NoError(t, err)
	assert.Equal(t, 1, plugin.Calls("PLUGIN_Profiler_Create"), "a plugin that is named twice")

	var ours, theirs []event
	events := trace(t, p)
	devices := make(map[int]bool)
	for _, e := range events {
		if e.Name == "process_name" && strings.HasPrefix(e.Args["name"].(string), "/device:") {
			devices[e.PID] = true
		}
	}
	for _, e := range events {
		switch {
		case e.Ph != "X":
		case devices[e.PID]:
			theirs = append(theirs, e)
		case e.Name == "execute double" && e.PID == 1:
			ours = append(ours, e)
		}
	}
	require.Len(t, theirs, 1)
	require.Len(t, ours, 1)
	assert.Equal(t, "double", theirs[0].Name)
	assert.GreaterOrEqual(t, *theirs[0].TS, *ours[0].TS)
	assert.LessOrEqual(t, *theirs[0].TS+*theirs[0].Dur, *ours[0].TS+*ours[0].Dur)

	space, err := profiler.Decode(p.XSpace())
	require.NoError(t, err)
	var names []string
	for _, plane := range space.Planes {
		names = append(names, plane.Name)
	}
	assert.Equal(t, []string{"/device:PJRTTEST:0", "/host:CPU"}, names)
}

func TestFilesLieWhereTensorBoardLooks(t *testing.T) {
	r, err := profiler.Record()
	require.NoError(t, err)
	r.Region("nothing")()
	p, err := r.Stop()
	require.NoError(t, err)
	dir := t.TempDir()
	first, err := p.WriteFiles(dir)
	require.NoError(t, err)
	second, err := p.WriteFiles(dir)
	require.NoError(t, err)
	assert.NotEqual(t, first, second, "a profile does not overwrite another one")
	found, err := filepath.Glob(filepath.Join(dir, "plugins", "profile", "*", "host.xplane.pb"))
	require.NoError(t, err)
	assert.Len(t, found, 2)
	data, err := os.ReadFile(filepath.Join(first, "host.xplane.pb"))
	require.NoError(t, err)
	assert.Equal(t, p.XSpace(), data)
	text, err := os.ReadFile(filepath.Join(first, "trace.json"))
	require.NoError(t, err)
	assert.True(t, json.Valid(text))

	file := filepath.Join(dir, "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	_, err = p.WriteFiles(file)
	require.Error(t, err)
	require.ErrorContains(t, p.WriteTrace(broken{}), "the disk is full")
}

// broken is a file that cannot be written.
type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, errors.New("the disk is full") }

func TestRecordingsThatFail(t *testing.T) {
	_, err := profiler.Record(nil)
	require.ErrorIs(t, err, pjrt.ErrInvalidArgument)
	for _, r := range []*profiler.Recording{nil, {}} {
		_, err = r.Stop()
		require.ErrorIs(t, err, pjrt.ErrInvalidArgument)
	}
	(*profiler.Recording)(nil).Region("x")()
	require.ErrorIs(t, (*profiler.Recording)(nil).Add(nil), pjrt.ErrInvalidArgument)

	plugin := pjrttest.New(t, pjrttest.Options{NoLeaks: true})
	plugin.Fail("PLUGIN_Profiler_Start", capi.ErrorCodeUnavailable, "busy")
	_, err = profiler.Record(plugin.Plugin())
	require.ErrorIs(t, err, pjrt.ErrUnavailable)

	other := pjrttest.New(t, pjrttest.Options{NoLeaks: true})
	r, err := profiler.Record(other.Plugin())
	require.NoError(t, err)
	other.Fail("PLUGIN_Profiler_CollectData", capi.ErrorCodeDataLoss, "gone")
	r.Region("kept")()
	p, err := r.Stop()
	require.ErrorIs(t, err, pjrt.ErrDataLoss)
	require.NotNil(t, p)
	assert.Equal(t, 1, kinds(p)[profiler.Region], "the Go side is still there")
	_, err = r.Stop()
	require.ErrorIs(t, err, pjrt.ErrFailedPrecondition)
	require.ErrorIs(t, r.Add(other.Plugin()), pjrt.ErrFailedPrecondition)
}

func TestExecutionsThatOverlapGetSeparateRows(t *testing.T) {
	begin := time.Now()
	span := func(from, to int, goroutine uint64) profiler.Span {
		return profiler.Span{
			Kind: pjrt.OperationExecute, Goroutine: goroutine, Devices: []string{"d"},
			Start: begin.Add(time.Duration(from) * time.Millisecond), Duration: time.Duration(to-from) * time.Millisecond,
		}
	}
	spans := []profiler.Span{span(0, 10, 1), span(5, 15, 1), span(6, 8, 1), span(20, 30, 1), span(1, 2, 7)}
	p := &profiler.Profile{Begin: begin, Spans: spans}
	rows := make(map[string]bool)
	for _, e := range trace(t, p) {
		if e.Name == "thread_name" {
			rows[e.Args["name"].(string)] = true
		}
	}
	assert.Equal(t, map[string]bool{"goroutine 1": true, "goroutine 1 (2)": true, "goroutine 7": true, "d": true, "d (2)": true}, rows)
}

func TestProfilesThatCannotBeRead(t *testing.T) {
	for _, bad := range []string{"\x0a\x7f", "\x0a\x02\x1a\x7f", "\x0a\x02\x22\x7f", "\xff"} {
		_, err := profiler.Decode([]byte(bad))
		require.ErrorContains(t, err, "not an XSpace")
	}
	s, err := profiler.Decode([]byte("\x12\x01e\x1a\x01w\x22\x01h"))
	require.NoError(t, err)
	assert.Equal(t, &profiler.Space{Errors: []string{"e"}, Warnings: []string{"w"}, Hosts: []string{"h"}}, s)
}
