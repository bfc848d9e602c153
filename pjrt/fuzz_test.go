// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/internal/collecting"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/internal/lifetimes"
	"github.com/purepjrt/purepjrt/pjrt/plugins/plugintest"
)

// Environment variables through which TestRandomSequencesOfCalls talks to its child process.
// Set by hand, the first two choose what the test does.
const (
	fuzzSeed   = "PJRT_FUZZ_SEED"
	fuzzSteps  = "PJRT_FUZZ_STEPS" // of each goroutine
	fuzzTrace  = "PJRT_FUZZ_TRACE" // file that lists the steps
	fuzzPlugin = "PJRT_FUZZ_PLUGIN"
)

// fuzzGoroutines is the number of goroutines that call at the same time.
const fuzzGoroutines = 4

// TestRandomSequencesOfCalls lets several goroutines do random things with the
// same objects, right and wrong, in a child process: nothing may crash it, what is right
// must work and give the right values, what is wrong must be an error, and in the end
// nothing may be left. What they do is in the table fuzzOperations.
func TestRandomSequencesOfCalls(t *testing.T) {
	plugin := plugintest.Path(t, "cpu")
	seeds := []string{"1", "2", "3"}
	if testing.Short() {
		seeds = seeds[:1]
	}
	if s := os.Getenv(fuzzSeed); s != "" {
		seeds = []string{s}
	}
	for _, seed := range seeds {
		t.Run("seed "+seed, func(t *testing.T) {
			trace := filepath.Join(t.TempDir(), "trace")
			cmd := self(t.Context())
			cmd.Env = append(os.Environ(), soakFor+"=", fuzzSeed+"="+seed, fuzzTrace+"="+trace, fuzzPlugin+"="+plugin)
			var report, failures bytes.Buffer
			cmd.Stdout, cmd.Stderr = &report, &failures
			require.NoError(t, cmd.Start())
			stuck := time.AfterFunc(5*time.Minute, func() { _ = cmd.Process.Signal(syscall.SIGQUIT) })
			err := cmd.Wait()
			if !stuck.Stop() {
				err = fmt.Errorf("stuck: %w", err)
			}
			if err != nil {
				// The reason why the process ended comes before the stacks.
				t.Errorf("%s=%s: %v\n%s\n...\n%s\nthe last steps were\n%s",
					fuzzSeed, seed, err, firstLines(failures.String(), 60), lastLines(failures.String(), 300),
					lastLines(readTrace(trace), 60))
			} else if testing.Verbose() {
				t.Log(report.String())
			}
		})
	}
}

func readTrace(path string) string {
	text, err := os.ReadFile(path)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

func firstLines(text string, n int) string {
	lines := strings.SplitN(text, "\n", n+1)
	return strings.Join(lines[:min(n, len(lines))], "\n")
}

func lastLines(text string, n int) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return strings.Join(lines[max(0, len(lines)-n):], "\n")
}

// fuzzing reports whether this process is the child of
// TestRandomSequencesOfCalls, which TestMain leaves to fuzzMain.
func fuzzing() bool { return os.Getenv(fuzzTrace) != "" }

// fuzzMain runs the child process and returns its exit code.
func fuzzMain() int {
	seed, err := strconv.ParseUint(os.Getenv(fuzzSeed), 0, 64)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 2
	}
	steps := 1500
	if s := os.Getenv(fuzzSteps); s != "" {
		if steps, err = strconv.Atoi(s); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 2
		}
	}
	trace, err := os.OpenFile(os.Getenv(fuzzTrace), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 2
	}
	defer trace.Close()
	lifetimes.Track(true)
	f := &fuzzer{trace: trace}
	if f.plugin, err = pjrt.Open(os.Getenv(fuzzPlugin)); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 2
	}
	goroutines := runtime.NumGoroutine()
	var wg sync.WaitGroup
	for i := range fuzzGoroutines {
		wg.Go(func() {
			w := &fuzzWorker{fuzzer: f, number: i, Rand: rand.New(rand.NewPCG(seed, uint64(i)))}
			for range steps {
				if f.failures.Load() >= 10 {
					return
				}
				w.step()
			}
		})
	}
	wg.Wait()
	f.closeAll()
	f.checkLeft(goroutines)
	f.report()
	if f.failures.Load() > 0 {
		return 1
	}
	return 0
}

// fuzzer is what the goroutines share.
type fuzzer struct {
	plugin *pjrt.Plugin

	clients     fuzzPool[*fuzzClient]
	executables fuzzPool[*fuzzExecutable]
	buffers     fuzzPool[*fuzzBuffer]
	wild        wildPool

	failures atomic.Int32
	counts   sync.Map // of *atomic.Int64, by the name of the count
	mu       sync.Mutex
	trace    *os.File // starts over when it is large
	traced   int      // guarded by mu; bytes in it
}

const maxTrace = 64 << 20

// fail reports that something is wrong.
func (f *fuzzer) fail(format string, args ...any) {
	if f.failures.Add(1) <= 10 {
		fmt.Fprintf(os.Stderr, "FAIL "+format+"\n", args...)
	}
}

func (f *fuzzer) count(what string) {
	n, ok := f.counts.Load(what)
	if !ok {
		n, _ = f.counts.LoadOrStore(what, new(atomic.Int64))
	}
	n.(*atomic.Int64).Add(1)
}

// report prints how often each operation was done, and how often it succeeded.
func (f *fuzzer) report() {
	var lines []string
	f.counts.Range(func(what, n any) bool {
		lines = append(lines, fmt.Sprintf("%8d %s", n.(*atomic.Int64).Load(), what))
		return true
	})
	slices.SortFunc(lines, func(a, b string) int { return strings.Compare(a[9:], b[9:]) })
	fmt.Println(strings.Join(lines, "\n"))
}

// closeAll closes what the pools have.
func (f *fuzzer) closeAll() {
	for _, b := range f.buffers.all() {
		b.Close()
	}
	for _, e := range f.executables.all() {
		e.Close()
	}
	for _, c := range f.clients.all() {
		c.Close()
	}
	f.wild.closeAll()
}

// checkLeft waits until nothing is left of what the goroutines made.
func (f *fuzzer) checkLeft(goroutines int) {
	var live map[string]int
	var running int
	if collecting.Until(func() bool {
		live, running = pjrt.Live(), runtime.NumGoroutine()
		return len(live) == 0 && running <= goroutines
	}) {
		return
	}
	f.fail("%v is left in the plugin, and %d goroutines run, %d at first", live, running, goroutines)
	_ = lifetimes.WriteLeaks(os.Stderr)
	stacks := make([]byte, 1<<20)
	fmt.Fprintf(os.Stderr, "%s\n", stacks[:runtime.Stack(stacks, true)])
}

// fuzzWorker is one goroutine.
type fuzzWorker struct {
	*fuzzer
	*rand.Rand
	number int
	name   string // of the operation
}

// step does one operation.
func (w *fuzzWorker) step() {
	total := 0
	for _, o := range fuzzOperations {
		total += o.weight
	}
	n := w.IntN(total)
	for _, o := range fuzzOperations {
		if n -= o.weight; n >= 0 {
			continue
		}
		w.name = o.name
		w.note("")
		defer func() {
			if v := recover(); v != nil {
				w.fail("%s: panic: %v\n%s", w.name, v, debug.Stack())
			}
		}()
		o.run(w)
		w.count(o.name)
		return
	}
}

// note writes a line of the trace, before the operation that it describes.
func (w *fuzzWorker) note(format string, args ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.traced > maxTrace {
		w.traced = 0
		if _, err := w.trace.Seek(0, 0); err == nil {
			_ = w.trace.Truncate(0)
		}
	}
	n, _ := fmt.Fprintf(w.trace, "%d %s %s\n", w.number, w.name, fmt.Sprintf(format, args...))
	w.traced += n
}

// chance is true one time in n.
func (w *fuzzWorker) chance(n int) bool { return w.IntN(n) == 0 }

// oneOf returns one of the values.
func oneOf[T any](w *fuzzWorker, values ...T) T { return values[w.IntN(len(values))] }

// context returns a context: one that never ends, or has ended, or ends soon.
func (w *fuzzWorker) context() (context.Context, context.CancelFunc) {
	switch w.IntN(12) {
	case 0:
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		return ctx, cancel
	case 1:
		return context.WithTimeout(context.Background(), time.Duration(w.IntN(2000))*time.Microsecond)
	case 2:
		return context.WithDeadline(context.Background(), time.Now().Add(-time.Hour))
	case 3, 4, 5, 6:
		return context.WithCancel(context.Background())
	}
	return context.Background(), func() {}
}

// fuzzState is what is known about an object that others may close at any time.
type fuzzState struct {
	closing, closed atomic.Bool // set before and after Close
	spending, spent atomic.Bool // set before a possible donation, and after one that happened
	kind            string
}

// fuzzCall is one call whose outcome is checked.
type fuzzCall struct {
	w      *fuzzWorker
	ctx    context.Context // nil for none
	ended  bool            // ctx had ended before
	misuse string          // why it must fail, or ""
	loose  bool            // it may fail, or succeed with donated objects
	knows  bool            // it may succeed with closed objects, since it does not call the plugin
	uses   []*fuzzState
	closed []bool // which of uses were closed before
	spent  []bool // which of uses were donated before
}

// call begins a call that uses the objects. A misuse, if there is one, says why
// it must fail.
func (w *fuzzWorker) call(ctx context.Context, misuse string, uses ...*fuzzState) *fuzzCall {
	c := &fuzzCall{w: w, ctx: ctx, misuse: misuse, uses: uses, ended: ctx != nil && ctx.Err() != nil}
	for _, s := range uses {
		c.closed, c.spent = append(c.closed, s.closed.Load()), append(c.spent, s.spent.Load())
	}
	return c
}

// done checks how the call ended, and reports whether it succeeded.
func (c *fuzzCall) done(err error) bool {
	w := c.w
	if err == nil {
		w.count(w.name + ": ok")
		switch {
		case c.misuse != "":
			w.fail("%s: no error although %s", w.name, c.misuse)
		case c.ended:
			w.fail("%s: no error although the context has ended", w.name)
		}
		for i, s := range c.uses {
			switch {
			case c.closed[i] && !c.knows:
				w.fail("%s: no error although the %s is closed", w.name, s.kind)
			case c.spent[i] && !c.loose:
				w.fail("%s: no error although the %s is donated", w.name, s.kind)
			}
		}
		return true
	}
	if c.misuse != "" || c.loose {
		return false
	}
	if c.ctx != nil && c.ctx.Err() != nil && errors.Is(err, c.ctx.Err()) {
		return false
	}
	for _, s := range c.uses {
		if s.spending.Load() || s.closing.Load() && errors.Is(err, pjrt.ErrClosed) {
			return false
		}
	}
	w.fail("%s: %v", w.name, err)
	return false
}

// gone reports whether the object is of little use.
func (s *fuzzState) gone() bool { return s.closing.Load() || s.spending.Load() }

// fuzzPool has a number of slots for objects of one kind, including closed ones.
type fuzzPool[T interface {
	Close() error
	gone() bool
}] struct {
	mu    sync.Mutex
	slots []T // guarded by mu
}

// put stores x, and closes the object that it replaces.
func (p *fuzzPool[T]) put(w *fuzzWorker, size int, x T) {
	p.mu.Lock()
	if len(p.slots) < size {
		p.slots = append(p.slots, x)
		p.mu.Unlock()
		return
	}
	i := w.IntN(size)
	old := p.slots[i]
	p.slots[i] = x
	p.mu.Unlock()
	old.Close()
}

// pick returns one of the objects, if there are any, usually an open one.
func (p *fuzzPool[T]) pick(w *fuzzWorker) (x T, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.slots) == 0 {
		return x, false
	}
	for range 1 + w.IntN(6) {
		if x = p.slots[w.IntN(len(p.slots))]; !x.gone() {
			break
		}
	}
	return x, true
}

func (p *fuzzPool[T]) all() []T {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.slots
}
