// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Command stress shows that tests do not depend on luck: it runs the tests of each
// package many times beside busy processes, in random order, on one, two and eight
// processors in turn.
//
//	stress [-runs 20] [-busy 16] [-together 4] [-short] [-count 1] [-run REGEXP] PACKAGE...
//
// Up to -together runs, of one package or of several, work at the same time, beside
// the busy processes. A line is printed for each package and for each run that
// fails, with the name of the file that has its output. The exit status is 1 if a
// run failed.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// busyVariable is the variable that makes this program one of the busy processes.
const busyVariable = "PUREPJRT_STRESS_BUSY"

func main() {
	if os.Getenv(busyVariable) != "" {
		spin()
	}
	var s stress
	flag.IntVar(&s.runs, "runs", 20, "how many times the tests of a package run")
	flag.IntVar(&s.busy, "busy", 16, "how many other processes keep busy meanwhile")
	flag.IntVar(&s.together, "together", 4, "how many runs work at the same time")
	flag.IntVar(&s.count, "count", 1, "how many times each test runs in a run")
	flag.BoolVar(&s.short, "short", false, "run the tests with -short")
	flag.StringVar(&s.pattern, "run", "", "run only tests whose names match `REGEXP`")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	ok, err := s.all(ctx, flag.Args())
	switch {
	case err != nil:
		fmt.Fprintln(os.Stderr, "stress:", err)
		os.Exit(2)
	case !ok:
		os.Exit(1)
	}
}

// spin keeps a processor busy until the parent process is gone.
func spin() {
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin) // ends when the parent's end of the pipe closes
		os.Exit(0)
	}()
	for {
	}
}

type stress struct {
	runs, busy, together, count int
	short                       bool
	pattern                     string
	dir                         string // of test binaries and output
}

// all reports whether every run of every package passes.
func (s *stress) all(ctx context.Context, patterns []string) (bool, error) {
	out, err := exec.CommandContext(ctx, "go", append([]string{"list", "-f", "{{.ImportPath}} {{.Dir}}"}, patterns...)...).Output()
	if err != nil {
		return false, fmt.Errorf("go list: %w", err)
	}
	if s.dir, err = os.MkdirTemp("", "stress-"); err != nil {
		return false, err
	}
	var packages []*tested
	for i, line := range strings.Split(strings.TrimSpace(string(out)), "\n") {
		path, dir, _ := strings.Cut(line, " ")
		b := &tested{path: path, dir: dir, binary: filepath.Join(s.dir, strconv.Itoa(i)+".test")}
		build := exec.CommandContext(ctx, "go", "test", "-c", "-o", b.binary, path)
		build.Stderr = os.Stderr
		if err := build.Run(); err != nil {
			return false, fmt.Errorf("build the tests of %s: %w", path, err)
		}
		if _, err := os.Stat(b.binary); err == nil { // otherwise it has no tests
			packages = append(packages, b)
		}
	}
	stop, err := keepBusy(s.busy)
	if err != nil {
		return false, err
	}
	defer stop()
	start := time.Now()
	var runs sync.WaitGroup
	places := make(chan struct{}, max(1, s.together))
	for _, p := range packages {
		p.left.Store(int32(s.runs))
		for i := range s.runs {
			places <- struct{}{}
			runs.Go(func() {
				s.once(ctx, p, i)
				<-places
				if p.left.Add(-1) == 0 && ctx.Err() == nil {
					fmt.Printf("%s: %d of %d runs failed, %v after the first began\n",
						p.path, p.failed.Load(), s.runs, time.Since(start).Round(time.Second))
				}
			})
		}
	}
	runs.Wait()
	return !slices.ContainsFunc(packages, func(p *tested) bool { return p.failed.Load() > 0 }), ctx.Err()
}

// tested is a package with tests.
type tested struct {
	path, dir, binary string
	left, failed      atomic.Int32 // runs
}

// once runs a test binary in the folder of its package. An interrupted run does not
// count.
func (s *stress) once(ctx context.Context, p *tested, i int) {
	if ctx.Err() != nil {
		return
	}
	processors := []string{"1", "2", "8"}[i%3]
	c := exec.CommandContext(ctx, p.binary, "-test.shuffle=on", "-test.timeout=30m", "-test.cpu="+processors,
		"-test.count="+strconv.Itoa(s.count), "-test.short="+strconv.FormatBool(s.short), "-test.run="+s.pattern)
	c.Dir = p.dir
	out, err := c.CombinedOutput()
	if err == nil || ctx.Err() != nil {
		return
	}
	p.failed.Add(1)
	name := fmt.Sprintf("%s.%d", strings.TrimSuffix(p.binary, ".test"), i)
	fmt.Printf("%s, run %d on %s processors: %v: %s\n", p.path, i, processors, err, name)
	if err := os.WriteFile(name, out, 0o666); err != nil {
		fmt.Fprintln(os.Stderr, "stress:", err)
	}
}

// keepBusy starts processes that are busy until stop is called or this process
// ends.
func keepBusy(n int) (stop func(), err error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	var all []*exec.Cmd
	stop = func() {
		for _, c := range all {
			_ = c.Process.Kill()
			_ = c.Wait()
		}
	}
	for range n {
		c := exec.Command(self)
		c.Env = append(os.Environ(), busyVariable+"=1", "GOMAXPROCS=2")
		if _, err = c.StdinPipe(); err == nil {
			err = c.Start()
		}
		if err != nil {
			stop()
			return nil, err
		}
		all = append(all, c)
	}
	return stop, nil
}
