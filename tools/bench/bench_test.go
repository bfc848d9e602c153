// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package main

import (
	"bufio"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/tools/bench/internal/child"
)

// pretended returns a process that claims to take some nanoseconds for an operation.
func pretended(t *testing.T, program string, took func() float64) *process {
	t.Helper()
	questions, in := io.Pipe()
	out, answers := io.Pipe()
	go child.Serve(questions, answers, child.Ready{}, func(string, int) (*child.Job, error) {
		return &child.Job{Run: func(n int) (time.Duration, error) { return time.Duration(took() * float64(n)), nil }}, nil
	})
	t.Cleanup(func() { in.Close() })
	p := &process{program: program, in: in, out: bufio.NewReader(out)}
	_, err := p.line()
	require.NoError(t, err)
	return p
}

// ageing says that a process is a child for which an operation takes a microsecond, times the
// number of processes that were started for the same program before and with it, times its
// argument.
const ageing = "BENCH_AGEING"

func TestMain(m *testing.M) {
	if os.Getenv(ageing) == "" {
		os.Exit(m.Run())
	}
	var factor float64
	fmt.Sscan(os.Args[1], &factor)
	log, err := os.OpenFile(filepath.Join(os.Getenv("BENCH_PROGRAMS"), os.Args[1]), os.O_CREATE|os.O_RDWR|os.O_APPEND, 0o666)
	if err != nil {
		panic(err)
	}
	fmt.Fprint(log, "x")
	at, _ := log.Seek(0, io.SeekCurrent)
	child.Serve(os.Stdin, os.Stdout, child.Ready{}, func(job string, _ int) (*child.Job, error) {
		if job != "pretended" {
			return nil, nil
		}
		return &child.Job{Run: func(n int) (time.Duration, error) {
			return time.Duration(1000 * factor * float64(at) * float64(n)), nil
		}}, nil
	})
}

func TestSomeRowsAreMeasuredInNewProcesses(t *testing.T) {
	self, err := os.Executable()
	require.NoError(t, err)
	t.Setenv(ageing, "1")
	at := place{programs: t.TempDir(), commands: []command{{inC, []string{self, "1"}}, {viaPjrt, []string{self, "1.5"}}}}
	m := &measurer{place: at, rounds: 21, budget: time.Minute}
	got, err := m.measure(row{name: "work/pretended", job: "pretended", starts: 7})
	require.NoError(t, err)
	assert.Equal(t, Quartiles{Q1: 2000, Median: 4000, Q3: 6000}, got.Cells[inC].Nanoseconds, "each process counts as much as the others")
	assert.InDelta(t, 1.5, got.Cells[viaPjrt].Ratio.Median, 1e-9)
	assert.NotContains(t, got.Cells, viaCapi)

	none, err := m.measure(row{name: "work/unknown", job: "unknown", starts: 2})
	require.NoError(t, err)
	assert.Nil(t, none)

	m.place.commands = append(m.place.commands, command{viaCapi, []string{"a program that cannot start"}})
	_, err = m.measure(row{name: "work/pretended", job: "pretended", starts: 1, only: []string{inC, viaPjrt}})
	require.NoError(t, err, "only programs that take part are started")
	_, err = m.measure(row{name: "work/pretended", job: "pretended", starts: 1})
	require.Error(t, err)
}

func TestRatiosAreTheSameOnAQuietAndOnABusyMachine(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	for name, slower := range map[string]func() float64{
		"quiet": func() float64 { return 1 },
		// Two batches of five are slowed by another process, up to ten times.
		"busy": func() float64 {
			if r.Float64() < 0.4 {
				return 1 + 9*r.Float64()
			}
			return 1 + 0.02*r.Float64()
		},
	} {
		m := &measurer{rounds: 25, budget: time.Minute, processes: []*process{
			pretended(t, inC, func() float64 { return 1000 * slower() }),
			pretended(t, viaCapi, func() float64 { return 1200 * slower() }),
			pretended(t, viaPjrt, func() float64 { return 1500 * slower() }),
		}}
		row, err := m.measure(row{name: "work/pretended", job: "pretended"})
		require.NoError(t, err)
		assert.InDelta(t, 1.2, row.Cells[viaCapi].Ratio.Median, 0.06, name)
		assert.InDelta(t, 1.5, row.Cells[viaPjrt].Ratio.Median, 0.07, name)
		assert.InDelta(t, 1000, row.Cells[inC].Nanoseconds.Median, 50, name)
	}
}

func TestLongOperationsGetFewerBatchesButFiveRounds(t *testing.T) {
	t.Parallel()
	p := pretended(t, inC, func() float64 { return 1e9 })
	m := &measurer{rounds: 25, budget: 10 * time.Second}
	tk, err := prepare(p, row{job: "pretended"})
	require.NoError(t, err)
	all := []*taking{tk}
	require.NoError(t, m.takeTurns(all, 0))
	assert.Len(t, all[0].times, leastRounds)
}

// quartiles returns narrow quartiles around a median.
func quartiles(median float64) Quartiles {
	return Quartiles{Q1: median * 0.98, Median: median, Q3: median * 1.02}
}

// cellOf returns a cell with a ratio to C, which takes 1000 ns, and with allocations.
func cellOf(ratio, allocs float64) *Cell {
	return &Cell{Nanoseconds: quartiles(1000 * ratio), Ratio: ptr(quartiles(ratio)), Allocs: &allocs, Bytes: ptr(8 * allocs)}
}

func resultsWith(name string, cells map[string]*Cell) *Results {
	return &Results{Machine: Machine{Processor: "P", Cores: 2, Versions: map[string]string{}}, Rows: []*Row{{Name: name, Cells: cells}}}
}

func TestWorseThanBefore(t *testing.T) {
	t.Parallel()
	const name = "work/execute"
	before := resultsWith(name, map[string]*Cell{inC: cellOf(1, 0), viaPjrt: cellOf(1.4, 2), viaCgo: cellOf(1.7, 7)})
	for what, c := range map[string]struct {
		now  map[string]*Cell
		want []string
	}{
		"nothing": {map[string]*Cell{viaPjrt: cellOf(1.4, 2)}, nil},
		"the ratio": {map[string]*Cell{viaPjrt: cellOf(1.6, 2)}, []string{
			"work/execute, pjrt: 1.60 (1.57 to 1.63) of C, and was 1.40 (1.37 to 1.43)",
		}},
		"the allocations":  {map[string]*Cell{viaPjrt: cellOf(1.4, 3)}, []string{"work/execute, pjrt: 3 allocations, and were 2"}},
		"another's ratio":  {map[string]*Cell{viaCgo: cellOf(2.7, 7)}, nil},
		"a new program":    {map[string]*Cell{viaCapi: cellOf(2.7, 7)}, nil},
		"it became better": {map[string]*Cell{viaPjrt: cellOf(1.1, 0)}, nil},
	} {
		assert.Equal(t, c.want, worse(before, resultsWith(name, c.now)), what)
	}
	assert.Empty(t, worse(new(Results), before), "nothing was committed")

	slow, slower := &Cell{Nanoseconds: quartiles(100)}, &Cell{Nanoseconds: quartiles(200)}
	was, is := resultsWith(name, map[string]*Cell{viaPjrt: slow}), resultsWith(name, map[string]*Cell{viaPjrt: slower})
	assert.Len(t, worse(was, is), 1, "times, where there is no ratio")
	long := func(ns float64) *Results {
		return resultsWith(name, map[string]*Cell{viaPjrt: {Nanoseconds: quartiles(ns)}})
	}
	assert.Empty(t, worse(long(50e6), long(100e6)), "long operations take longer on a busy machine")
	assert.Len(t, worse(long(50e6), long(200e6)), 1)
	is.Machine.Processor = "Q"
	assert.Empty(t, worse(was, is), "times from two machines cannot be compared")
}

func TestRowsThatDependOnThreadsOfThePluginAreComparedWithCapi(t *testing.T) {
	t.Parallel()
	const name = "work/download-1MiB"
	before := resultsWith(name, map[string]*Cell{viaCapi: cellOf(0.2, 0), viaPjrt: cellOf(0.1, 0)})
	// C needs less time on a quiet machine.
	assert.Empty(t, worse(before, resultsWith(name, map[string]*Cell{viaCapi: cellOf(0.6, 0), viaPjrt: cellOf(0.3, 0)})))
	assert.Equal(t, []string{"work/download-1MiB, pjrt: 0.80 (0.78 to 0.82) of capi, and was 0.50 (0.49 to 0.51)"},
		worse(before, resultsWith(name, map[string]*Cell{viaCapi: cellOf(0.2, 0), viaPjrt: cellOf(0.16, 0)})))
}

func TestVerdicts(t *testing.T) {
	t.Parallel()
	ordinary := row{name: "work/execute", goal: &goal{ratio: 1.4, margin: 0.1, allocs: 2}}
	for what, c := range map[string]struct {
		row   row
		cells map[string]*Cell
		want  verdict
		limit string
	}{
		"reached":                  {ordinary, map[string]*Cell{viaPjrt: cellOf(1.4, 2)}, reached, "≤ 1.40, 2 allocs"},
		"missed":                   {ordinary, map[string]*Cell{viaPjrt: cellOf(1.5, 2)}, missed, "≤ 1.40, 2 allocs"},
		"within the spread":        {ordinary, map[string]*Cell{viaPjrt: cellOf(1.41, 2)}, near, "≤ 1.40, 2 allocs"},
		"too many allocations":     {ordinary, map[string]*Cell{viaPjrt: cellOf(1, 3)}, missed, "≤ 1.40, 2 allocs"},
		"a floor above the figure": {ordinary, map[string]*Cell{viaPjrt: cellOf(1.6, 2), viaCapi: cellOf(1.5, 0)}, reached, "≤ 1.65, 2 allocs"},
		"a floor below the figure": {ordinary, map[string]*Cell{viaPjrt: cellOf(1.5, 2), viaCapi: cellOf(1.3, 0)}, missed, "≤ 1.40, 2 allocs"},
		"a time": {
			row{goal: &goal{ns: 1200, allocs: -1}}, map[string]*Cell{viaPjrt: cellOf(1.3, 2)}, missed, "≤ 1.20 µs",
		},
		"no goal":       {row{}, map[string]*Cell{viaPjrt: cellOf(9, 9)}, noGoal, ""},
		"another's row": {row{subject: viaCapi, goal: ordinary.goal}, map[string]*Cell{viaPjrt: cellOf(9, 9)}, noGoal, ""},
	} {
		v, limit := judge(c.row, &Row{Cells: c.cells})
		assert.Equal(t, c.want, v, what)
		assert.Equal(t, c.limit, limit, what)
	}
}

func TestTheTable(t *testing.T) {
	t.Parallel()
	results := resultsWith("work/execute", map[string]*Cell{inC: cellOf(1, 0), viaCgo: cellOf(1.5, 7), viaPjrt: cellOf(1.7, 2)})
	results.Rows = append(results.Rows, &Row{Name: "growth/arguments/1000", Cells: map[string]*Cell{inC: cellOf(1, 0), viaPjrt: cellOf(2, 0)}})
	assert.Equal(t, `| | C | go-xla | `+"`pjrt`"+` | to reach |
|---|---|---|---|---|
| execute f32[4], wait, free | 1.00 µs | 1.50; 7 | 1.70; 2 | ≤ 1.40, 2 allocs: missed |

| cost of one | how many | C | `+"`pjrt`"+` | of C |
|---|---|---|---|---|
| execute, by arguments | 1000 | 1.00 ns | 2.00 ns | 2.00 |
`, markdown(results, false))
	assert.Contains(t, markdown(results, true), "| 1.70 (1.67 to 1.73); 2, 16 B |")
	assert.Equal(t, "Rows on which `pjrt` is slower than go-xla:\n\n- execute f32[4], wait, free\n\n"+
		"Rows that miss what they should reach:\n\n- execute f32[4], wait, free\n", behind(results))
	results.Rows[0].Cells[viaPjrt] = cellOf(1.3, 2)
	assert.Equal(t, "Rows on which `pjrt` is slower than go-xla: none.\n\nRows that miss what they should reach: none.\n", behind(results))
}

func TestTheCommandsPartsStandByTheirSize(t *testing.T) {
	t.Parallel()
	results := resultsWith("tool/size", map[string]*Cell{viaPjrt: {Nanoseconds: quartiles(17e6)}})
	results.Rows[0].Parts = map[string]float64{"code of pjrt": 1e6, "other code": 15.5e6, "text": 512}
	assert.Equal(t, `| | `+"`pjrt`"+` | to reach |
|---|---|---|
| size of the command `+"`pjrt`"+` | 17 MB | ≤ 20 MB |

| part of the command | size |
|---|---|
| other code | 15.5 MB |
| code of pjrt | 1 MB |
| text | 512 B |
`, markdown(results, false))
}

func TestThePartsOfAProgramAddUpToItsSize(t *testing.T) {
	t.Parallel()
	self, err := os.Executable()
	require.NoError(t, err)
	info, err := os.Stat(self)
	require.NoError(t, err)
	all, err := parts(self)
	require.NoError(t, err)
	var sum float64
	for _, size := range all {
		sum += size
	}
	assert.InEpsilon(t, float64(info.Size()), sum, 0.05)
}

func TestFunctionsBelongToGroupsOfPackages(t *testing.T) {
	t.Parallel()
	for symbol, want := range map[string]string{
		"runtime.mallocgc":                                                                   "the standard library",
		"encoding/json.(*Decoder).Read":                                                      "the standard library",
		"github.com/purepjrt/purepjrt/pjrt.(*Buffer).Close":                                  "pjrt",
		"github.com/purepjrt/purepjrt/conformance/internal/checks/buffers.run.func1":         "conformance",
		"github.com/spf13/cobra.(*Command).Execute":                                          "other modules",
		"slices.SortFunc[go.shape.[]github.com/purepjrt/purepjrt/pjrt.Type,go.shape.string]": "the standard library",
		"_start": "the standard library",
	} {
		assert.Equal(t, want, packageOf(symbol), symbol)
	}
}

func TestSomeRowsAreMeasuredForAsManyRoundsAsTheySay(t *testing.T) {
	t.Parallel()
	p := pretended(t, inC, func() float64 { return 1e9 })
	tk, err := prepare(p, row{job: "pretended", rounds: 3})
	require.NoError(t, err)
	assert.Equal(t, 1, tk.n)
	require.NoError(t, (&measurer{rounds: 25, budget: time.Hour}).takeTurns([]*taking{tk}, 3))
	assert.Len(t, tk.times, 3)
}

func TestSizesHaveNoRatios(t *testing.T) {
	t.Parallel()
	m := &measurer{rounds: 25, budget: time.Minute, processes: []*process{
		pretended(t, inC, func() float64 { return 0 }), pretended(t, viaPjrt, func() float64 { return 4096 }),
	}}
	row, err := m.measure(row{name: "alone/pretended", job: "pretended", unit: size, rounds: 1})
	require.NoError(t, err)
	assert.Nil(t, row.Cells[viaPjrt].Ratio)
	assert.Equal(t, 4096.0, row.Cells[viaPjrt].Nanoseconds.Median)
}

func TestNumbersHaveThreeDigits(t *testing.T) {
	t.Parallel()
	for ns, want := range map[float64]string{
		0.5: "0.50 ns", 9.87: "9.87 ns", 14: "14.0 ns", 1756: "1.76 µs", 115_000: "115 µs", 38.04e6: "38.0 ms", 2e9: "2.00 s",
	} {
		assert.Equal(t, want, duration(ns))
	}
	for x, want := range map[float64]string{0.0079: "0.0079", 0.03: "0.030", 0.35: "0.35", 1.75: "1.75", 12.7: "13"} {
		assert.Equal(t, want, ratio(x))
	}
}

func names(r *Results) (list []string) {
	for _, row := range r.Rows {
		list = append(list, row.Name)
	}
	return list
}

func TestOlderRowsStayUnlessTheyAreFromAnotherMachine(t *testing.T) {
	t.Parallel()
	older := resultsWith("work/create", map[string]*Cell{inC: cellOf(1, 0)})
	older.Rows = append(older.Rows, &Row{Name: "work/that no longer exists"})
	newer := resultsWith("work/execute", map[string]*Cell{inC: cellOf(1, 0)})
	older.Machine.Versions[withJAX], older.Machine.Versions["go"] = "0.8.1", "go1.25"
	newer.Machine.Versions["go"] = "go1.26"
	assert.Equal(t, []string{"work/execute", "work/create"}, names(merged(older, newer)))
	assert.Equal(t, map[string]string{"go": "go1.26", withJAX: "0.8.1"}, merged(older, newer).Machine.Versions)
	older.Machine.Cores = 4
	assert.Equal(t, []string{"work/execute"}, names(merged(older, newer)))
}

func TestRowsAreNamedByGroupAndOnce(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, r := range rows {
		assert.Regexp(t, regexp.MustCompile(`^[a-z]+/[A-Za-z0-9/-]+$`), r.name)
		assert.False(t, seen[r.name], r.name)
		assert.NotEmpty(t, r.title, r.name)
		seen[r.name] = true
	}
}

func TestDocumentsShowTheCommittedResults(t *testing.T) {
	t.Parallel()
	root, err := root()
	require.NoError(t, err)
	results, err := read(filepath.Join(root, resultsFile))
	require.NoError(t, err)
	require.NotEmpty(t, results.Rows)
	for name := range pages {
		text, err := os.ReadFile(filepath.Join(root, name))
		require.NoError(t, err)
		want, err := inserted(name, string(text), results)
		require.NoError(t, err)
		require.Equal(t, want, string(text), "make bench BENCH=-render")
	}
}

func TestSummaryHasFourRowsWithoutAllocations(t *testing.T) {
	t.Parallel()
	results := resultsWith("work/execute", map[string]*Cell{inC: cellOf(1, 0), viaCgo: cellOf(1.5, 7), viaPjrt: cellOf(1.7, 2)})
	results.Rows = append(results.Rows, resultsWith("work/create", map[string]*Cell{inC: cellOf(1, 0)}).Rows...)
	assert.Equal(t, "| | C | go-xla | `pjrt` | JAX |\n|---|---|---|---|---|\n| execute f32[4], wait, free | 1.00 µs | 1.50 | 1.70 | |\n",
		summary(results))
	assert.Len(t, everyday, 4)
	for _, name := range everyday {
		assert.True(t, slices.ContainsFunc(rows, func(r row) bool { return r.name == name }), name)
	}
}

func TestThePlotHasEveryRowAndProgram(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "plot.svg")
	results := resultsWith("work/execute", map[string]*Cell{inC: cellOf(1, 0), viaCgo: cellOf(1.5, 7), viaPjrt: cellOf(1.7, 2)})
	require.NoError(t, drawPlot(results, ofC, path))
	svg, err := os.ReadFile(path)
	require.NoError(t, err)
	for _, text := range []string{"execute f32[4], wait, free", "go-xla", "pjrt"} {
		assert.Contains(t, string(svg), text)
	}
	require.ErrorContains(t, drawPlot(new(Results), ofC, path), "nothing to draw")
}

func TestProgramsHaveTheirParametersAndConstants(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	require.NoError(t, writePrograms(&place{programs: dir}, []row{
		{job: "many"}, {job: "arguments", param: 3}, {job: "devices", param: 200}, {job: "constants", param: 1},
	}))
	read := func(name string) string {
		data, err := os.ReadFile(filepath.Join(dir, name))
		require.NoError(t, err)
		return string(data)
	}
	assert.Contains(t, read("add.mlir"), "@main(%a0: tensor<4xf32>, %a1: tensor<4xf32>) -> (tensor<4xf32>)")
	assert.Contains(t, read("arguments-3.mlir"), "stablehlo.add %a0, %a2")
	assert.Equal(t, 100, strings.Count(read("many.mlir"), "stablehlo.add"))
	assert.Len(t, regexp.MustCompile(`0x([0-9A-F]*)`).FindStringSubmatch(read("constants-1.mlir"))[1], 2<<20)
	for _, options := range []string{"1", "200"} {
		assert.NotEmpty(t, read(fmt.Sprintf("replicas-%s.options", options)))
	}
}
