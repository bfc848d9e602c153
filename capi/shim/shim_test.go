// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package shim_test

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/capi/shim"
)

// watch puts a shim in front of a plugin.
func watch(t testing.TB, c shim.Config, real *capi.Table) (*shim.Shim, *capi.Table) {
	t.Helper()
	s, err := shim.New(c)
	require.NoError(t, err)
	table, err := s.Wrap(real)
	require.NoError(t, err)
	t.Cleanup(func() { _ = s.Close(); _ = table.Close() })
	return s, table.Capi()
}

// session makes the calls of a correct client.
func session(t testing.TB, f *fake, table *capi.Table) {
	t.Helper()
	c := newClient(t, table)
	b, done := c.upload([]float32{1, 2, 3}, capi.HostBufferSemanticsImmutableUntilTransferCompletes)
	f.release()
	do(t, table, capi.EventAwaitArgs{Event: done})
	c.destroyEvent(done)
	do(t, table, capi.BufferDimensionsArgs{Buffer: b})
	assert.Equal(t, []float32{1 + f.offset, 2 + f.offset, 3 + f.offset}, c.download(b, 3))
	c.destroyBuffer(b)
	c.close()
}

func read(t testing.TB, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	return string(text)
}

func TestAShimWithoutTasksWrapsNothing(t *testing.T) {
	f := &fake{}
	real := serveFake(t, f)
	s, table := watch(t, shim.Config{}, real)
	session(t, f, table)
	assert.Zero(t, s.Findings())
	require.NoError(t, s.Close())
}

func TestUnwatchedFunctionsAreThePluginsOwn(t *testing.T) {
	real := serveFake(t, &fake{})
	rules, err := shim.ParseFaults("Event_Await:delay=1us")
	require.NoError(t, err)
	_, table := watch(t, shim.Config{Faults: rules}, real)
	assert.Equal(t, real.API().EventError, table.API().EventError)
	assert.NotEqual(t, real.API().EventAwait, table.API().EventAwait)
}

func TestATextTraceHasALineForEachCall(t *testing.T) {
	f, path := &fake{}, filepath.Join(t.TempDir(), "trace.txt")
	s, table := watch(t, shim.Config{Trace: path, TraceBegin: true}, serveFake(t, f))
	session(t, f, table)
	c := &capi.Call[capi.BufferDimensionsArgs]{}
	require.Error(t, c.Do(table), "there is no buffer null")
	require.NoError(t, s.Close())
	text := read(t, path)
	for _, want := range []string{
		`(?m)^0\.\d{6} #1 \[\d+\] PJRT_Plugin_Initialize\(\) \.\.\.$`,
		`(?m)^0\.\d{6} #1 \[\d+\] PJRT_Plugin_Initialize\(\) -> ok  [\d.]+(ns|µs|ms)$`,
		`(?m)^0\.\d{6} #4 \[\d+\] PJRT_Client_BufferFromHostBuffer\(client=0x[0-9a-f]+, data=0x[0-9a-f]+, type=F32, dims=\[3\], host_buffer_semantics=ImmutableUntilTransferCompletes, device=0x[0-9a-f]+, memory=null\) -> done_with_host_buffer=0x[0-9a-f]+, buffer=0x[0-9a-f]+  `,
		`(?m)PJRT_Buffer_Dimensions\(buffer=null\) -> NOT_FOUND "no such buffer"  `,
		`(?m)^# +2 +1 .* PJRT_Buffer_Dimensions$`,
		`(?m)^# +16 +1 .* all$`,
	} {
		assert.Regexp(t, want, text)
	}
	// The count includes calls that read the plugin's errors.
	assert.Equal(t, 16, strings.Count(text, " -> "))
}

func TestATraceInJSONHasAnObjectForEachCall(t *testing.T) {
	f, path := &fake{}, filepath.Join(t.TempDir(), "trace.jsonl")
	s, table := watch(t, shim.Config{Trace: path, TraceOnly: []string{"Buffer_*", "-Buffer_Destroy"}}, serveFake(t, f))
	session(t, f, table)
	require.NoError(t, s.Close())
	var names []string
	lines := bufio.NewScanner(strings.NewReader(read(t, path)))
	for lines.Scan() {
		var c struct {
			Call       int
			Function   string
			Thread     uint64
			Time       time.Time
			DurationNS *int64 `json:"duration_ns"`
			Args       map[string]any
			Results    map[string]any
			Summary    map[string]map[string]int
		}
		require.NoError(t, json.Unmarshal(lines.Bytes(), &c), lines.Text())
		if c.Summary != nil {
			assert.Len(t, c.Summary, 2)
			continue
		}
		names = append(names, c.Function)
		assert.NotZero(t, c.Thread)
		assert.NotNil(t, c.DurationNS)
		assert.WithinDuration(t, time.Now(), c.Time, time.Hour)
		if c.Function == "PJRT_Buffer_Dimensions" {
			assert.Equal(t, []any{3.0}, c.Results["dims"])
			assert.NotNil(t, c.Args["buffer"])
		}
	}
	assert.Equal(t, []string{"PJRT_Buffer_Dimensions", "PJRT_Buffer_ToHostBuffer"}, names)
}

func TestAChromeTraceIsOneArray(t *testing.T) {
	for name, begin := range map[string]bool{"complete events": false, "beginnings and ends": true} {
		t.Run(name, func(t *testing.T) {
			f, path := &fake{}, filepath.Join(t.TempDir(), "trace.json")
			s, table := watch(t, shim.Config{Trace: path, TraceBegin: begin}, serveFake(t, f))
			session(t, f, table)
			// A killed process leaves no end, which viewers accept.
			var events []map[string]any
			require.NoError(t, json.Unmarshal([]byte(read(t, path)+"]"), &events))
			require.NoError(t, s.Close())
			require.NoError(t, json.Unmarshal([]byte(read(t, path)), &events))
			phases := make(map[string]int)
			for _, e := range events {
				phases[e["ph"].(string)]++
			}
			if begin {
				assert.Equal(t, map[string]int{"M": 1, "B": 12, "E": 12, "i": 1}, phases)
			} else {
				assert.Equal(t, map[string]int{"M": 1, "X": 12, "i": 1}, phases)
			}
		})
	}
}

func TestASummaryNeedsNoTrace(t *testing.T) {
	f, path := &fake{}, filepath.Join(t.TempDir(), "sum-%p.txt")
	s, table := watch(t, shim.Config{Summary: path, SumUpWithClients: true}, serveFake(t, f))
	session(t, f, table)
	files, err := filepath.Glob(filepath.Join(filepath.Dir(path), "sum-*.txt"))
	require.NoError(t, err)
	require.Len(t, files, 1)
	assert.NotContains(t, files[0], "%")
	before := read(t, files[0])
	assert.Contains(t, before, "PJRT_Client_Destroy", "written when the last client is gone")
	require.NoError(t, s.Close())
	assert.Equal(t, before, read(t, files[0]), "not written again without calls")
}

func TestFaultsFailAndDelayTheirCalls(t *testing.T) {
	for name, c := range map[string]struct {
		rules string
		fails []bool // of five calls
		slow  int
	}{
		"all":          {"PJRT_Event_Await:fail=ABORTED", []bool{true, true, true, true, true}, 0},
		"after, times": {"Event_Await:fail=ABORTED,after=1,times=2", []bool{false, true, true, false, false}, 0},
		"pattern":      {"*Await:fail=ABORTED,times=1", []bool{true, false, false, false, false}, 0},
		"delay":        {"PJRT_Event_Await:delay=20ms,times=2", []bool{false, false, false, false, false}, 2},
		"both":         {"Event_Await:delay=20ms,times=1;Event_Await:fail=ABORTED,after=4", []bool{false, false, false, false, true}, 1},
		"others":       {"PJRT_Client_Create:fail=ABORTED,after=9", []bool{false, false, false, false, false}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			rules, err := shim.ParseFaults(c.rules)
			require.NoError(t, err)
			f := &fake{}
			_, table := watch(t, shim.Config{Faults: rules}, serveFake(t, f))
			slow := 0
			for i, fails := range c.fails {
				started := time.Now()
				err := (&capi.Call[capi.EventAwaitArgs]{}).Do(table)
				if time.Since(started) >= 20*time.Millisecond {
					slow++
				}
				if fails {
					require.ErrorIs(t, err, capi.ErrorCodeAborted, i)
					assert.ErrorContains(t, err, "fault rule")
				} else {
					require.NoError(t, err, i)
				}
			}
			assert.GreaterOrEqual(t, slow, c.slow)
		})
	}
}

func TestProbableFaultsAreTheSameForTheSameSeed(t *testing.T) {
	outcome := func(rules string) (pattern string) {
		parsed, err := shim.ParseFaults(rules)
		require.NoError(t, err)
		_, table := watch(t, shim.Config{Faults: parsed}, serveFake(t, &fake{}))
		for range 64 {
			if (&capi.Call[capi.EventAwaitArgs]{}).Do(table) != nil {
				pattern += "x"
			} else {
				pattern += "."
			}
		}
		return pattern
	}
	const rule = "Event_Await:fail=INTERNAL,probability=0.5"
	one := outcome("seed=1;" + rule)
	assert.Equal(t, one, outcome("seed=1;"+rule))
	assert.NotEqual(t, one, outcome("seed=2;"+rule))
	assert.Greater(t, strings.Count(one, "x"), 10)
	assert.Greater(t, strings.Count(one, "."), 10)
}

func TestManyThreadsAreWatchedAtOnce(t *testing.T) {
	f, dir := &fake{}, t.TempDir()
	rules, err := shim.ParseFaults("Buffer_ElementType:delay=1us,probability=0.5")
	require.NoError(t, err)
	s, table := watch(t, shim.Config{
		Trace: filepath.Join(dir, "t.jsonl"), Validate: filepath.Join(dir, "v"), Record: filepath.Join(dir, "s"), Faults: rules,
	}, serveFake(t, f))
	c := newClient(t, table)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 50 {
				b, done := c.upload([]float32{1, 2}, capi.HostBufferSemanticsImmutableZeroCopy)
				f.release()
				do(t, table, capi.EventIsReadyArgs{Event: done})
				c.destroyEvent(done)
				do(t, table, capi.BufferElementTypeArgs{Buffer: b})
				c.download(b, 2)
				c.destroyBuffer(b)
			}
		})
	}
	wg.Wait()
	c.close()
	require.NoError(t, s.Close())
	assert.Zero(t, s.Findings(), read(t, filepath.Join(dir, "v")))
	assert.Equal(t, 8*50*8+4+1, strings.Count(read(t, filepath.Join(dir, "t.jsonl")), "\n"))
}
