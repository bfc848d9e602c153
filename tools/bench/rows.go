// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package main

import (
	"fmt"
	"slices"
	"strings"
)

// The programs, in the order of the columns.
const (
	inC      = "c"
	viaCgo   = "go-xla"
	bare     = "purego"
	viaCapi  = "capi"
	viaPjrt  = "pjrt"
	withJAX  = "jax"
	inONNX   = "onnxruntime"
	baseline = inC // all ratios are to it
)

var columns = []string{inC, viaCgo, bare, viaCapi, viaPjrt, withJAX}

// titles are the titles of the columns.
var titles = map[string]string{
	inC: "C", viaCgo: "go-xla", bare: "bare purego", viaCapi: "`capi`", viaPjrt: "`pjrt`", withJAX: "JAX", inONNX: "ONNX Runtime",
}

// row is one line of the table: a job that the programs do.
type row struct {
	name  string // group/name
	title string
	job   string
	param int
	jobs  map[string]string // what some programs do instead
	only  []string          // the programs that take part; nil for all

	// own measures the row instead of the jobs. It may return nil if the row cannot be measured
	// here.
	own func(*measurer, row) (*Row, error)

	// starts is how many sets of new processes measure the row in place of the common processes,
	// because what a process did before, such as with the allocator of C, decides how long each
	// operation takes; 0 for the common ones.
	starts  int
	rounds  int                  // of one batch each, where an operation takes very long; 0 for as many as there is time for
	unit    func(float64) string // of the numbers; nil for nanoseconds
	shown   func(float64) string // how a time is shown, such as a rate; nil for a time
	subject string               // the program that the goal is for; pjrt unless it is set
	goal    *goal

	// hops says that C waits for another thread of the plugin, and capi does not. A ratio to C then
	// measures how busy the machine is, so pjrt is compared with capi to find out whether it became
	// worse.
	hops bool
	// noise is by how much a median may grow before it counts as worse, as a fraction; a tenth if
	// it is 0.
	noise float64
}

// goal is what a row should reach.
type goal struct {
	ratio  float64 // to C; 0 for none
	ofJAX  float64 // ratio to JAX; 0 for none
	margin float64 // over capi, which is the floor where it is above ratio; 0 to ignore capi
	ns     float64 // or in the row's unit; 0 for none
	allocs float64 // per operation; below 0 for none
}

func (r row) jobOf(program string) string {
	if j, ok := r.jobs[program]; ok {
		return j
	}
	return r.job
}

// say formats a number of the row.
func (r row) say(number float64) string {
	if r.unit != nil {
		return r.unit(number)
	}
	if r.shown != nil {
		return r.shown(number)
	}
	return duration(number)
}

func (r row) has(program string) bool { return r.only == nil || slices.Contains(r.only, program) }

func (r row) of() string {
	if r.subject != "" {
		return r.subject
	}
	return viaPjrt
}

// fewStarts evens out where the memory of a process lies, which makes small work of one process up
// to 6 percent slower than that of another, and on which processors its threads run.
const fewStarts = 5

// growthStarts is as many for the rows of the table of growth, of which there are many.
const growthStarts = 3

const (
	kib = 1 << 10
	mib = 1 << 20
	gib = 1 << 30
)

// rows are the lines of the table, in its order.
var rows = slices.Concat([]row{
	{
		name: "work/execute", title: "execute f32[4], wait, free", job: "execute",
		goal: &goal{ratio: 1.4, margin: 0.1, allocs: 2}, starts: fewStarts,
	},
	{
		name: "work/execute-context", title: "the same with a context that can end", job: "execute",
		jobs: map[string]string{viaPjrt: "execute-context"}, starts: fewStarts,
	},
	{
		name: "work/execute-steady", title: "the same with `Bind` and reused results", job: "execute",
		jobs: map[string]string{viaCapi: "execute-steady", viaPjrt: "execute-steady"}, goal: &goal{ratio: 1.15, margin: 0.05},
		starts: fewStarts,
	},
	{name: "work/dispatch", title: "start f32[4], without a wait, free", job: "dispatch", starts: fewStarts},
	{
		name: "work/create", title: "create and close f32[4]", job: "create", param: 16,
		goal: &goal{ratio: 1.4, margin: 0.1, allocs: 2}, starts: fewStarts,
	},
	{
		name: "work/upload-1KiB", title: "host to device, 1 KiB", job: "upload", param: kib,
		goal: &goal{ratio: 1.4, margin: 0.1, allocs: -1}, starts: fewStarts,
	},
	{
		name: "work/upload-1MiB", title: "host to device, 1 MiB", job: "upload", param: mib, goal: &goal{ratio: 0.32, margin: 0.1, allocs: -1},
		hops: true, starts: 7, noise: 0.3, // the allocator of C keeps the memory of a buffer, or asks the system each time
	},
	{
		name: "work/download-1KiB", title: "device to host, 1 KiB", job: "download", param: kib,
		goal: &goal{ratio: 0.008, margin: 0.1, allocs: -1}, hops: true,
	},
	{
		name: "work/download-1MiB", title: "device to host, 1 MiB", job: "download", param: mib,
		goal: &goal{ratio: 0.35, margin: 0.1, allocs: -1}, hops: true,
	},
	{name: "work/getter", title: "one call of a getter", job: "getter", subject: viaCapi, goal: &goal{ratio: 3, allocs: 0}, noise: 0.25},
	{name: "work/compile", title: "compile f32[4] + f32[4]", job: "compile", goal: &goal{ratio: 1.02, margin: 0.1, allocs: -1}},
	{name: "large/upload-64MiB", title: "host to device, 64 MiB", job: "upload", param: 64 * mib},
	{name: "large/upload-1GiB", title: "host to device, 1 GiB", job: "upload", param: gib, rounds: 3, only: []string{inC, viaCgo, viaPjrt}},
	{
		name: "large/download-64MiB", title: "device to host, 64 MiB", job: "download", param: 64 * mib,
		goal: &goal{ratio: 0.58, margin: 0.1, allocs: -1}, hops: true,
	},
	{name: "large/download-1GiB", title: "device to host, 1 GiB", job: "download", param: gib, rounds: 3, only: []string{inC, viaCgo, viaPjrt}},
	{
		name: "large/zerocopy-64MiB", title: "aligned zero copy, 64 MiB", job: "zerocopy", param: 64 * mib,
		goal: &goal{ns: 1200, allocs: -1},
	},
	{
		name: "many/arguments", title: "execute with 200 arguments and 100 results", job: "many",
		noise: 4, // the plugin spreads the program over threads, which a busy machine makes wait
	},
	{name: "many/devices", title: "execute on 4 devices", job: "devices", param: 4, starts: 2 * fewStarts},
	{name: "many/goroutines", title: "execute on 8 goroutines or threads", job: "threads", param: 8, starts: fewStarts},
	served("served", "a getter of a plugin in Go"),
	served("hooked", "a getter behind one hook"),
	served("hooked-3", "a getter behind three hooks"),
	served("hooked-elsewhere", "a getter beside the hook of another"),
	{
		name: "alone/cache-hit", title: "load a program from the cache; C compiles it", job: "cache-hit", jobs: map[string]string{inC: "compile"},
		only: []string{inC, viaPjrt}, goal: &goal{ratio: 0.1, allocs: -1},
	},
	{name: "alone/cache-key", title: "the key of a program in the cache", job: "cache-key"},
	{name: "alone/lifetime", title: "track the lifetime of an object", job: "BenchmarkFamily", own: benchmarked, goal: &goal{ns: 100, allocs: 1}},
	{
		name: "alone/customcall", title: "execute with a custom call in Go; C without it", job: "customcall",
		jobs: map[string]string{inC: "execute"}, only: []string{inC, viaPjrt},
	},
	{name: "alone/waiters", title: "wake 100,000 goroutines that wait with a context", job: "waiters", param: 100_000},
	{
		name: "alone/memory", title: "memory that 1,000,000 executions leave", job: "memory", param: 1_000_000,
		unit: size, rounds: 1, only: []string{inC, viaPjrt},
		goal: &goal{ns: mib, allocs: -1},
	},
	{name: "gc/zerocopy", title: "zero copy of fresh memory, 1 MiB, under constant collection", job: "zerocopy-collected", param: mib},
	{name: "gc/download", title: "device to fresh memory, 1 MiB, under constant collection", job: "download-collected", param: mib},
	{name: "gc/pause-0", title: "pause of a collection without buffers", job: "pause", rounds: 9},
	{
		name: "gc/pause-1000000", title: "pause of a collection with 1,000,000 buffers", job: "pause", param: 1_000_000, rounds: 5,
		goal: &goal{ns: 1e6, allocs: -1},
	},
	{name: "start/open", title: "open the plugin in a new process", job: "open", own: opening},
	{name: "start/first-client", title: "make the first client", job: "first client", own: opening},
	{name: "start/client", title: "make and close a client", job: "client"},
	{name: "tool/version", title: "`pjrt version`", own: commandStart, goal: &goal{ns: 20e6, allocs: -1}},
	{
		name: "tool/size", title: "size of the command `pjrt`", job: "pjrt", own: commandSize, unit: size,
		goal: &goal{ns: 20e6, allocs: -1},
	},
	{name: "tool/size-suite", title: "size of the command `pjrt-conformance`", job: "pjrt-conformance", own: commandSize, unit: size},
	{name: "tool/build-capi-cold", title: "`go build` of `capi`", job: "cold capi", own: building},
	{name: "tool/build-capi-warm", title: "the same again", job: "warm capi", own: building},
	{name: "tool/build-pjrt-cold", title: "`go build` of `pjrt`", job: "cold pjrt", own: building},
	{name: "tool/build-pjrt-warm", title: "the same again", job: "warm pjrt", own: building},
	{name: "tool/generate", title: "`pjrtgen generate`", own: generating},
}, growthRows(), jobRows())

// served returns a row for the cost of package serve, beside the plugin's own getter in C.
func served(how, title string) row {
	return row{name: "serve/" + how, title: title, job: "getter-" + how, jobs: map[string]string{inC: "getter"}, subject: viaCapi,
		only: []string{inC, viaCapi}, noise: 0.5} // a few nanoseconds are noisy
}

// series has the jobs in the table of growth.
var series = []struct {
	job, title string
	params     []int
	slow       int  // from this param on there is one round in each process
	of         bool // the cost of an operation is divided by the param
}{
	{"arguments", "execute, by arguments", []int{1, 10, 100, 1000}, 10_000, true},
	{"devices", "execute, by devices", []int{1, 4, 16, 64}, 100, true},
	{"inflight", "execute, by executions under way", []int{1, 10, 100, 1000}, 10_000, true},
	{"alive", "create and close f32[4], by others alive", []int{10, 1000, 100_000, 1_000_000}, 10_000_000, false},
	{"constants", "compile, by MiB of constants", []int{1, 10, 100}, 10, true},
}

// growthRows are the rows of the table of growth: group growth/JOB/PARAM.
func growthRows() []row {
	var all []row
	for _, s := range series {
		for _, p := range s.params {
			rounds := 0
			if p >= s.slow {
				rounds = 1
			}
			all = append(all, row{
				starts: growthStarts, rounds: rounds, name: fmt.Sprintf("growth/%s/%d", s.job, p), title: s.title, job: s.job, param: p,
				only: []string{inC, viaPjrt},
			})
		}
	}
	return all
}

// group is the first word of a row's name.
func group(name string) string {
	g, _, _ := strings.Cut(name, "/")
	return g
}
