// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package quality

import (
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/conformance/internal/check"
)

// leak is a check that an action, done over and over, does not make the process
// grow.
type leak struct {
	rule      string
	few, many int
	// limit is how many bytes one action may leave behind. It is well above what a heap
	// gains by fragmentation, and below what the smallest leak of the kind loses.
	limit   float64
	prepare func(t *check.T) (action func() error)
}

func leakChecks() []check.Check {
	var list []check.Check
	for _, l := range []leak{
		{rule: "LEAK-01", few: 20000, many: 100000, limit: 32, prepare: failingCalls},
		{rule: "LEAK-02", few: 20000, many: 1000000, limit: 32, prepare: eventRounds},
		{rule: "LEAK-03", few: 3000, many: 100000, limit: 700, prepare: uploads},
		{rule: "LEAK-04", few: 3000, many: 100000, limit: 700, prepare: runs},
		{rule: "LEAK-07", few: 100, many: 10000, limit: 4096, prepare: serializations},
		{rule: "LEAK-08", few: 2000, many: 100000, limit: 256, prepare: callbacks},
	} {
		list = append(list, counted(l.rule, l.few, l.many, true, l.run)...)
	}
	return append(list,
		check.Check{Rule: "LEAK-03", Variant: "device", Run: deviceMemory},
		check.Check{Rule: "LEAK-05", Profile: check.Core, Timeout: 5 * time.Minute, Hostile: true, Run: func(t *check.T) {
			(&leak{limit: 256 << 10, prepare: compiles}).run(t, 100)
		}},
		check.Check{Rule: "LEAK-06", Hostile: true, Run: func(t *check.T) { clients(t, 4) }},
		check.Check{Rule: "LEAK-06", Variant: "many", Profile: check.Full, Timeout: 5 * time.Minute, Hostile: true,
			Run: func(t *check.T) { clients(t, 50) }},
		check.Check{Rule: "LEAK-09", Hostile: true, Run: ownMemory},
	)
}

// leakTries is how often a process must grow for it to count as a leak.
const leakTries = 3

// run does the action n times and looks at the memory of the process at four points. It
// repeats that while the process seems to grow. The noise of one measurement is as large
// as what a few actions leave behind, so the memory gained from the first point to the
// last decides.
func (l *leak) run(t *check.T, n int) {
	if _, err := check.ResidentBytes(); err != nil {
		t.SkipEnvf("%v", err)
	}
	action := l.prepare(t)
	times := func(n int) float64 {
		for range n {
			if err := action(); err != nil {
				t.Fatalf("%v", err)
			}
		}
		size, err := check.ResidentBytes()
		if err != nil {
			t.SkipEnvf("%v", err)
		}
		return float64(size)
	}
	const quarters = 4
	var sizes growth
	for try := range leakTries {
		for range quarters {
			sizes = append(sizes, times(n/quarters)/float64(n/quarters))
		}
		last := sizes[quarters*try:]
		t.Notef("%d rounds; bytes gained per round, by quarter: %.1f", n, last.steps())
		if !last.steady(l.limit / 2) {
			return
		}
	}
	if sizes.steady(l.limit/2) && sizes.mean() > l.limit {
		t.Errorf("expected the process not to grow, got %.0f bytes per round, and growth from quarter to quarter of %d rounds, %d times",
			sizes.mean(), n, leakTries)
	}
}

// growth is the memory of the process after equal numbers of rounds, in bytes per round.
type growth []float64

// steps returns what each quarter except the first gained.
func (g growth) steps() []float64 {
	var list []float64
	for i := 1; i < len(g); i++ {
		list = append(list, g[i]-g[i-1])
	}
	return list
}

// mean returns what a round gained on average.
func (g growth) mean() float64 { return (g[len(g)-1] - g[0]) / float64(len(g)-1) }

// steady reports whether a round gained more than limit on average, and in at least half
// of the quarters. A pool or cache that fills up grows in few of them.
func (g growth) steady(limit float64) bool {
	steps := g.steps()
	slices.Sort(steps)
	return g.mean() > limit && steps[len(steps)/2] > limit
}

// deviceMemory compares what the plugin says about its device's memory before and after
// many uploads whose buffers were destroyed.
func deviceMemory(t *check.T) {
	const n, size = 200, 1 << 16
	w := &worker{t: t, c: t.Client()}
	inUse := func() int64 {
		return check.Optional(t, capi.DeviceMemoryStatsArgs{Device: w.c.Devices[0]}).BytesInUse
	}
	data := make([]float32, size/4)
	round := func() {
		b, err := w.upload(data)
		if err == nil {
			err = w.destroyReady(b)
		}
		if err != nil {
			t.Fatalf("%v", err)
		}
	}
	round()
	before := inUse()
	for range n {
		round()
	}
	// Memory may be returned a little later than its buffer is destroyed.
	t.Eventually(patience, fmt.Sprintf("less than %d bytes more in use on the device after %d uploads of %d bytes whose buffers were destroyed; there were %d", n*size/2, n, size, before), func() bool {
		return inUse()-before < n*size/2
	})
}

func failingCalls(t *check.T) func() error {
	c := t.Client()
	return func() error {
		_, err := check.Try(t, capi.ClientLookupDeviceArgs{Client: c.Handle, ID: -12345})
		if err == nil {
			return fmt.Errorf("expected an error of PJRT_Client_LookupDevice for the id -12345, got success")
		}
		return nil
	}
}

func eventRounds(t *check.T) func() error {
	w := &worker{t: t, c: t.Client()}
	b := check.Upload(t, w.c, []float32{1, 2, 3, 4})
	return func() error {
		out, err := check.Try(t, capi.BufferReadyEventArgs{Buffer: b})
		if err != nil {
			return err
		}
		return w.wait(out.Event)
	}
}

func uploads(t *check.T) func() error {
	w := &worker{t: t, c: t.Client()}
	data := make([]float32, 4096)
	end := w.mostlyAtOnce()
	return func() error {
		b, err := w.upload(data)
		if err != nil {
			return err
		}
		return end(b)
	}
}

// mostlyAtOnce returns a function that destroys buffers without waiting for them, and waits
// for every hundredth, so that a device which works through a queue can keep up.
func (w *worker) mostlyAtOnce() func(*capi.Buffer) error {
	n := 0
	return func(b *capi.Buffer) error {
		if n++; n%100 == 0 {
			return w.destroyReady(b)
		}
		return w.destroy(b)
	}
}

func runs(t *check.T) func() error {
	w := &worker{t: t, c: t.Client()}
	w.exe = t.Compile(w.c, check.AddOne)
	in := check.Upload(t, w.c, []float32{1, 2, 3, 4})
	end := w.mostlyAtOnce()
	return func() error {
		out, err := w.addOne(in)
		if err != nil {
			return err
		}
		return end(out)
	}
}

func serializations(t *check.T) func() error {
	exe := t.Executable(t.Compile(t.Client(), check.AddOne))
	return func() error {
		s, err := check.Try(t, capi.ExecutableSerializeArgs{Executable: exe})
		if capi.CodeOf(err) == capi.ErrorCodeUnimplemented {
			t.SkipUnimplf("%v", err)
		}
		if err != nil {
			return err
		}
		s.SerializedExecutableDeleter.Call(s.SerializedExecutable)
		return nil
	}
}

func callbacks(t *check.T) func() error {
	b := check.Upload(t, t.Client(), []float32{1, 2, 3, 4})
	called := make(chan error, 1)
	return func() error {
		out, err := check.Try(t, capi.BufferReadyEventArgs{Buffer: b})
		if err != nil {
			return err
		}
		fn, handle := capi.NewEventOnReadyCallback(func(err *capi.ErrorHandle) { called <- t.Table().TakeError(err) })
		if _, err := check.Try(t, capi.EventOnReadyArgs{Event: out.Event, Callback: fn, UserArg: uintptr(handle)}); err != nil {
			handle.Delete()
			return err
		}
		select {
		case err := <-called:
			if err != nil {
				return err
			}
		case <-t.Context().Done():
			return fmt.Errorf("the callback of an event did not come")
		}
		_, err = check.Try(t, capi.EventDestroyArgs{Event: out.Event})
		return err
	}
}

func compiles(t *check.T) func() error {
	n := 0
	return func() error {
		n++
		text := strings.Replace(check.AddOne, "dense<1.0>", fmt.Sprintf("dense<%d.0>", n), 1)
		return compileOnce(t, t.CompileArgs(t.Client(), text, check.Devices(1, 1)))
	}
}

// clients makes clients, uses them and destroys them. Threads, files and memory
// must not grow with their number.
func clients(t *check.T, n int) {
	if _, err := check.ResidentBytes(); err != nil {
		t.SkipEnvf("%v", err)
	}
	round := func() {
		c := t.Describe(check.Call(t, t.CreateArgs()).Client)
		w := &worker{t: t, c: c, rand: rand.New(rand.NewPCG(1, 2))}
		w.exe = t.Compile(c, check.AddOne)
		if err := w.round(); err != nil {
			t.Fatalf("%v", err)
		}
		check.Destroy(t, w.exe)
		check.Call(t, capi.ClientDestroyArgs{Client: c.Handle})
	}
	// Threads that are ending count for a while, so measure waits until there are as few
	// as before, as long as that may take on a busy machine.
	measure := func(threadsBefore, filesBefore int) (size int64, threads, files int) {
		for range 250 {
			if threads, files = held(); threads <= threadsBefore && files <= filesBefore {
				break
			}
			time.Sleep(20 * time.Millisecond)
		}
		size, _ = check.ResidentBytes()
		return size, threads, files
	}
	round()
	time.Sleep(50 * time.Millisecond)
	threads0, files0 := held()
	for range n {
		round()
	}
	size1, threads1, files1 := measure(threads0+n-1, files0+n-1)
	for range n {
		round()
	}
	size2, threads2, files2 := measure(threads1+n-1, files1+n-1)
	t.Notef("after 1, %d and %d clients: %d, %d and %d threads, %d, %d and %d files", n+1, 2*n+1, threads0, threads1, threads2, files0,
		files1, files2)
	// The Go runtime may start a thread or two of its own meanwhile.
	if grown := threads2 - threads1; grown >= n && threads1-threads0 >= n {
		t.Errorf("expected the threads of a client to end with it, got %d more after %d clients", grown, n)
	}
	if grown := files2 - files1; grown >= n && files1-files0 >= n {
		t.Errorf("expected the files of a client to be closed with it, got %d more after %d clients", grown, n)
	}
	if per := (size2 - size1) / int64(n); per > 4<<20 {
		t.Errorf("expected the memory of a client to be freed with it, got %d bytes more per client", per)
	}
}

// held returns how many threads and open files the process has, or 0 if the system does
// not say.
func held() (threads, files int) {
	count := func(dir string) int {
		entries, err := os.ReadDir(dir)
		if err != nil {
			return 0
		}
		return len(entries)
	}
	return count("/proc/self/task"), count("/proc/self/fd")
}

// ownMemory passes arrays that belong to the caller, and checks that they are unchanged.
// A plugin that frees one of them, which C's allocator does not know, ends the process.
func ownMemory(t *check.T) {
	create := t.CreateArgs()
	c := t.Describe(check.Call(t, create).Client)
	dims := []int64{2, 3}
	strides := []int64{12, 4}
	data := []float32{1, 2, 3, 4, 5, 6}
	layout := check.TiledLayout([]int64{1, 0})
	args := check.HostArgs(c, data, dims...)
	args.ByteStrides, args.NumByteStrides = check.First(strides)
	args.DeviceLayout = layout
	out, err := check.Try(t, args)
	if err != nil {
		args.DeviceLayout = nil
		out = check.Call(t, args)
	}
	b := check.Own(t, out.Buffer)
	if err := t.Wait(out.DoneWithHostBuffer); err != nil {
		t.Fatalf("upload: %v", err)
	}
	text := t.Sent(check.AddOne)
	compile := t.CompileArgs(c, text, check.Devices(1, 1))
	exe := check.Own(t, check.Call(t, compile).Executable)
	list := []*capi.Buffer{check.Upload(t, c, []float32{1, 2, 3, 4})}
	kept := list[0]
	t.Run(exe, 1, list...)
	check.Destroy(t, exe)
	check.Destroy(t, b)
	runtime.GC()
	check.Equal(t, "[2 3]", fmt.Sprint(dims), "dims of an upload, afterwards")
	check.Equal(t, "[12 4]", fmt.Sprint(strides), "byte_strides of an upload, afterwards")
	check.Equal(t, "[1 2 3 4 5 6]", fmt.Sprint(data), "data of an upload, afterwards")
	check.Equal(t, text, capi.String(compile.Program.Code, compile.Program.CodeSize), "code of a program, afterwards")
	check.Equal(t, string(check.Devices(1, 1)), capi.String(compile.CompileOptions, compile.CompileOptionsSize),
		"compile options, afterwards")
	check.Equal(t, true, list[0] == kept, "argument list of an execution, as it was")
	check.Equal(t, fmt.Sprint(append([]capi.Attribute(nil), t.Env().Options...)),
		fmt.Sprint(capi.Attributes(create.CreateOptions, create.NumOptions)), "create options, afterwards")
	for _, b := range list {
		check.Destroy(t, b)
	}
	check.Call(t, capi.ClientDestroyArgs{Client: c.Handle})
	runtime.KeepAlive(layout)
}
