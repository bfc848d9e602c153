// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package main

import (
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/pjrt/safetensors"
)

func TestJobsHaveATableOfTheirOwn(t *testing.T) {
	t.Parallel()
	tokens := &Row{Name: "jobs/tokens-gpt2-8", Cells: map[string]*Cell{
		inC: {Nanoseconds: quartiles(80e6), OfJAX: ptr(quartiles(0.8)), Memory: 310.4e6}, inONNX: {Nanoseconds: quartiles(160e6), OfJAX: ptr(quartiles(1.6))},
		withJAX: {Nanoseconds: quartiles(100e6), OfJAX: ptr(quartiles(1))},
		viaPjrt: {Nanoseconds: quartiles(88e6), Ratio: ptr(quartiles(1.1)), OfJAX: ptr(quartiles(0.88)), Memory: 320e6},
	}}
	start := &Row{
		Name: "jobs/start-small", Cells: map[string]*Cell{
			inC: {Nanoseconds: quartiles(50e6), Ratio: ptr(quartiles(1)), OfJAX: ptr(quartiles(0.05))}, withJAX: {Nanoseconds: quartiles(1e9), OfJAX: ptr(quartiles(1))},
			viaPjrt: {Nanoseconds: quartiles(60e6), Ratio: ptr(quartiles(1.2)), OfJAX: &Quartiles{Q1: 0.09, Median: 0.11, Q3: 0.12}},
		},
		Parts: map[string]float64{"2 the plugin is opened": 9e6, "1 the process starts": 2e6},
	}
	results := &Results{Rows: []*Row{tokens, start, {Name: "work/execute", Cells: map[string]*Cell{inC: cellOf(1, 0)}}}}
	assert.Equal(t, `| | C | ONNX Runtime | JAX | `+"`pjrt`"+` | of C | of JAX | MB: C/ONNX/JAX/`+"`pjrt`"+` |
|---|---|---|---|---|---|---|---|
| second start of the transformer, 3 x 32, to its first token | 50.0 ms | | 1.00 s | 60.0 ms | 1.20 | 0.11 ≈ 0.10 | |
| tokens, 12 x 768, 8 streams | 100 tokens/s | 50 tokens/s | 80 tokens/s | 90.9 tokens/s | 1.10 > 1.05 | 0.88 | 310/–/–/320 |

| of a second start | small |
|---|---|
| the process starts | 2.00 ms |
| the plugin is opened | 9.00 ms |
`, jobsTable(results, false))
	assert.NotContains(t, markdown(results, false), "tokens")
	assert.Contains(t, jobsSection(results), "Jobs that miss what they should reach:\n\n- tokens, 12 x 768, 8 streams\n")

	path := filepath.Join(t.TempDir(), "jobs.svg")
	require.NoError(t, drawPlot(results, ofJAX, path))
	svg, err := os.ReadFile(path)
	require.NoError(t, err)
	for _, text := range []string{"tokens, 12 x 768, 8 streams", "ONNX Runtime", "pjrt", "JAX"} {
		assert.Contains(t, string(svg), text)
	}
	assert.NotContains(t, string(svg), "execute f32[4]")
}

func TestAStartIsDividedByWhatItLogs(t *testing.T) {
	t.Parallel()
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	log := `I0000 00:00:00.000001 1 client.cc:1] a line of the plugin
{"time":"2026-01-01T00:00:00.002Z","msg":"pjrt open begins"}
{"time":"2026-01-01T00:00:00.012Z","msg":"pjrt open","duration":10000000}
{"time":"2026-01-01T00:00:00.015Z","msg":"pjrt client","duration":3000000}
{"time":"2026-01-01T00:00:00.016Z","msg":"pjrt upload","duration":1000}
{"time":"2026-01-01T00:00:00.020Z","msg":"pjrt load begins"}
{"time":"2026-01-01T00:00:00.021Z","msg":"pjrt load begins"}
{"time":"2026-01-01T00:00:00.030Z","msg":"pjrt load","duration":10000000}
{"time":"2026-01-01T00:00:00.034Z","msg":"pjrt load","duration":13000000}
{"time":"2026-01-01T00:00:00.037Z","msg":"pjrt load","duration":16000000}
{"time":"2026-01-01T00:00:00.041Z","msg":"pjrt execute","duration":6000000}
{"time":"2026-01-01T00:00:00.049Z","msg":"pjrt execute","duration":6000000}
`
	parts, err := divided(log, start, start.Add(50*time.Millisecond))
	require.NoError(t, err)
	assert.Equal(t, map[string]float64{
		"1 the process starts": 2e6, "2 the plugin is opened": 10e6, "3 the client is made": 3e6,
		"4 weights are mapped, and files read": 5e6, "5 its program comes from the cache": 14e6, "6 weights are bound, inputs made": 1e6,
		"7 the first execution": 6e6, "8 the process ends, with its token": 9e6,
	}, parts)
	for _, text := range []string{"panic: no JSON", "{", ""} {
		_, err = divided(text, start, start)
		require.Error(t, err, text)
	}
}

func TestCIsToldWhereTheWeightsAre(t *testing.T) {
	t.Parallel()
	text, err := describeStart("../../pjrt/examples/transformer/model")
	require.NoError(t, err)
	assert.Contains(t, text, "file model-00001-of-00002.safetensors\n")
	assert.Contains(t, text, "cache 3 4 64 8\nchunk 8\nvocabulary 128\n")
	assert.Contains(t, text, " 2 128 32 0\n", "the embedding of 128 tokens is the first argument")
	assert.Contains(t, text, " 1 32 39\n", "and the last normalization's shift the last")
	assert.Equal(t, 40, strings.Count(text, "array "))
	_, err = describeStart(t.TempDir())
	require.Error(t, err)
}

func TestAStartIsMeasuredUntilItsFirstToken(t *testing.T) {
	t.Parallel()
	shell := func(script string, first int) starter { return starter{exec.Command("/bin/sh", "-c", script), first} }
	for script, want := range map[string]int{"echo 46": 46, "printf 'A quick.'; echo; echo more": '.', "printf 'A quick\u00e9\n'": 'é'} {
		first := 1
		if strings.Contains(script, prompt) {
			first += len(prompt)
		}
		_, token, err := shell(strings.ReplaceAll(script, `\u00e9`, "é"), first).untilFirst()
		require.NoError(t, err, script)
		assert.Equal(t, want, token, script)
	}
	for _, script := range []string{"exit 3", "echo 46; exit 3", "true", "echo error PJRT_Client_Create: no"} {
		_, _, err := shell(script, 1).untilFirst()
		require.Error(t, err, script)
	}
}

func TestStreamsWaitForTheirAnswers(t *testing.T) {
	t.Parallel()
	answer := "-3\n"
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		assert.Equal(t, "/predict", r.URL.Path)
		_, _ = w.Write([]byte(answer))
	}))
	defer s.Close()
	_, latencies, err := (&server{url: s.URL}).load(3, time.Millisecond)
	require.NoError(t, err)
	assert.GreaterOrEqual(t, len(latencies), 3, "each stream asks at least once")
	answer = "4\n"
	_, _, err = (&server{url: s.URL}).load(3, time.Millisecond)
	require.ErrorContains(t, err, `"4\n"`, "a server that answers wrongly is not measured")
}

func TestJobsComeWithTheirFiles(t *testing.T) {
	t.Parallel()
	p := &place{programs: t.TempDir(), built: t.TempDir()}
	require.NoError(t, writePrograms(p, []row{
		{name: "jobs/load-16", job: "load", param: 16 * mib}, {name: "jobs/devices-sum-2", job: "devices-sum", param: 2},
	}))
	f, err := safetensors.Open(filepath.Join(p.programs, "load-16777216.safetensors"))
	require.NoError(t, err)
	defer f.Close()
	assert.Len(t, f.Names(), 2)
	text, err := os.ReadFile(filepath.Join(p.programs, "devices-sum-2.mlir"))
	require.NoError(t, err)
	assert.Contains(t, string(text), "replica_groups = dense<[[0, 1]]>")
	assert.FileExists(t, filepath.Join(p.programs, "devices-sum-2.job"))
	assert.FileExists(t, filepath.Join(p.programs, "replicas-2.options"))

	assert.True(t, p.can(row{job: "devices-sum"}))
	assert.False(t, (&place{gpu: true}).can(row{job: "devices-sum"}))
	assert.False(t, p.can(row{job: "model:tokens-small"}), "without JAX there are no models")
	require.NoError(t, os.WriteFile(filepath.Join(p.programs, "tokens-small.mlir"), nil, 0o600))
	assert.True(t, p.can(row{job: "model:tokens-small"}))
}

func TestJobsOfOneMachineStandBesideOtherRowsOfAnother(t *testing.T) {
	t.Parallel()
	older := resultsWith("work/execute", map[string]*Cell{inC: cellOf(1, 0)})
	newer := &Results{
		Jobs: Machine{Processor: "Q", Cores: 4, Versions: map[string]string{"api": "0.115"}},
		Rows: []*Row{{Name: "jobs/start-small", Cells: map[string]*Cell{inC: cellOf(2, 0)}}},
	}
	both := merged(older, newer)
	assert.Equal(t, []string{"work/execute", "jobs/start-small"}, names(both))
	assert.Equal(t, older.Machine, both.Machine)
	assert.Equal(t, newer.Jobs, both.Jobs)
	assert.Equal(t, both, merged(both, &Results{}), "nothing was measured")
	assert.Equal(t, "P", both.machine(row{name: "work/execute"}).Processor)
	assert.Equal(t, "Q", both.machine(row{name: "jobs/start-small"}).Processor)
}

func TestTheMemoryOfProcessesIsTheMostTheyHad(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("no process says how much memory it has had")
	}
	self, err := os.FindProcess(os.Getpid())
	require.NoError(t, err)
	before := peak(self)
	assert.Greater(t, before, float64(mib))
	data := make([]byte, 64*mib)
	for i := range data {
		data[i] = 1
	}
	assert.Greater(t, peak(self), 64*float64(mib))
	runtime.KeepAlive(data)
	c := exec.Command("/bin/sh", "-c", "true")
	require.NoError(t, c.Run())
	assert.Greater(t, peakOfEnded(c), float64(100*kib))
	assert.Zero(t, peak(c.Process), "it has ended")
}
