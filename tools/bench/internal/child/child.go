// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package child is the part of a measured program that talks to the measuring program.
//
// A child opens a plugin, makes a client and reports that on its standard output: the word ready,
// the nanoseconds that each took and the version of the plugin's API. After that it answers each
// line of its standard input with one line:
//
//	prepare JOB PARAM   ok, or absent if the child has no such job
//	run N WARM          ok and the nanoseconds that N operations took, after WARM that are not timed
//	allocs N            ok, objects and bytes that N operations allocated, or absent
//	finish              ok
//
// A line that begins with the word error says what failed, and is the child's last line.
package child

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
	"sync"
	"time"
)

// Job is a prepared piece of work.
type Job struct {
	// Run does the work n times and returns the time that the measured part took.
	Run func(n int) (time.Duration, error)
	// Close releases what the job holds. It may be nil.
	Close func() error
}

// Loop returns a Job that times n calls of once.
func Loop(once func() error, closing func() error) *Job {
	return Timed(func(n int) error {
		for range n {
			if err := once(); err != nil {
				return err
			}
		}
		return nil
	}, closing)
}

// Timed returns a Job that times many, which does the work n times in a loop of its own. It is for
// work so short that the call of a function each time would count: the program in C makes none.
func Timed(many func(n int) error, closing func() error) *Job {
	return &Job{Run: func(n int) (time.Duration, error) {
		start := time.Now()
		err := many(n)
		return time.Since(start), err
	}, Close: closing}
}

// Divided returns a Job that times n calls, divided among goroutines. Each of these has its own
// function from start.
func Divided(goroutines int, start func() (once func() error), closing func() error) *Job {
	return &Job{Run: func(n int) (time.Duration, error) {
		errs := make([]error, goroutines)
		var wg sync.WaitGroup
		begin := time.Now()
		for g := range goroutines {
			once := start()
			wg.Go(func() {
				for range n/goroutines + min(1, max(0, n%goroutines-g)) {
					if err := once(); err != nil {
						errs[g] = err
						return
					}
				}
			})
		}
		wg.Wait()
		return time.Since(begin), errors.Join(errs...)
	}, Close: closing}
}

// Ready is what a child reports first.
type Ready struct {
	Open, Client time.Duration // how long it took to open the plugin and to make a client
	Major, Minor int           // of the plugin's API
}

// Serve answers lines from in on out until in ends. If prepare returns a nil Job, there is no such
// job.
func Serve(in io.Reader, out io.Writer, ready Ready, prepare func(job string, param int) (*Job, error)) error {
	fmt.Fprintf(out, "ready %d %d %d.%d\n", ready.Open, ready.Client, ready.Major, ready.Minor)
	var job *Job
	lines := bufio.NewScanner(in)
	for lines.Scan() {
		answer, err := one(lines.Text(), &job, prepare)
		if err != nil {
			fmt.Fprintf(out, "error %q\n", err.Error())
			return err
		}
		fmt.Fprintln(out, answer)
	}
	return lines.Err()
}

// one answers a line. job is the job that was prepared last.
func one(line string, job **Job, prepare func(job string, param int) (*Job, error)) (string, error) {
	var verb, name string
	var param, n, warm int
	if _, err := fmt.Sscanf(line, "prepare %s %d", &name, &param); err == nil {
		j, err := prepare(name, param)
		if err != nil {
			return "", fmt.Errorf("prepare %s: %w", name, err)
		}
		*job = j
		if j == nil {
			return "absent", nil
		}
		return "ok", nil
	}
	fmt.Sscanf(line, "%s %d %d", &verb, &n, &warm)
	if *job == nil {
		return "", fmt.Errorf("no job is prepared for %q", line)
	}
	switch verb {
	case "run":
		if warm > 0 {
			if _, err := (*job).Run(warm); err != nil {
				return "", err
			}
		}
		took, err := (*job).Run(n)
		return fmt.Sprintf("ok %d", took), err
	case "allocs":
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := (*job).Run(n)
		runtime.ReadMemStats(&after)
		return fmt.Sprintf("ok %d %d", after.Mallocs-before.Mallocs, after.TotalAlloc-before.TotalAlloc), err
	case "finish":
		j := *job
		*job = nil
		defer debug.FreeOSMemory() // the next job, here or in another child, may need it
		if j.Close != nil {
			return "ok", j.Close()
		}
		return "ok", nil
	}
	return "", fmt.Errorf("%q is not a line of the protocol", line)
}
