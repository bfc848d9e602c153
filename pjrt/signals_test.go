// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

//go:build unix

package pjrt_test

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/pprof"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/pjrt"
)

// mixedWork lets several goroutines make, use and close everything that a program uses
// every day, some of it with contexts that end, and checks the values.
func mixedWork(t *testing.T) {
	t.Helper()
	rounds := 200
	if testing.Short() {
		rounds = 25
	}
	client := newClient(t)
	exe := compile(t, client, add)
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			for i := range rounds {
				if err := work(client, exe, float32(g*rounds+i)); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	wg.Go(func() {
		for range rounds / 25 {
			own, err := client.Plugin().NewClient(context.Background(), nil)
			if err != nil {
				t.Error(err)
				return
			}
			e, err := own.Compile(context.Background(), pjrt.Program{Code: []byte(add)}, nil)
			if err == nil {
				err = work(own, e, 1)
			}
			assert.NoError(t, err)
			e.Close()
			own.Close()
		}
	})
	wg.Wait()
}

// work computes x+x in several ways.
func work(client *pjrt.Client, exe *pjrt.LoadedExecutable, x float32) error {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	in, err := client.BufferFromHost(ctx, matrix(x, x, x, x), nil)
	if err != nil {
		return err
	}
	defer in.Close()
	outs, err := exe.Execute(ctx, []*pjrt.Buffer{in, in}, nil)
	if err != nil {
		return err
	}
	defer outs[0].Close()
	event, err := outs[0].ReadyEvent()
	if err != nil {
		return err
	}
	defer event.Close()
	<-event.Done()
	for range 2 {
		got, err := pjrt.ToSlice[float32](ctx, outs[0])
		if err != nil {
			return err
		}
		if got[3] != x+x {
			return fmt.Errorf("%v + %v is %v", x, x, got[3])
		}
	}
	return nil
}

// signalPause is how long TestSignalsDoNotDisturbWork waits after each signal.
const signalPause = 50 * time.Microsecond

// C code runs on threads of Go and of the plugin, and a signal may arrive at any instruction
// of both.
func TestSignalsDoNotDisturbWork(t *testing.T) {
	if !inChild(t) {
		return
	}
	for name, sig := range map[string]syscall.Signal{"URG": syscall.SIGURG, "INT": syscall.SIGINT, "PROF": syscall.SIGPROF} {
		t.Run(name, func(t *testing.T) {
			var received atomic.Int64
			switch sig {
			case syscall.SIGPROF:
				require.NoError(t, pprof.StartCPUProfile(io.Discard))
				defer pprof.StopCPUProfile()
			case syscall.SIGINT:
				// The process takes signals until its end: the last one may arrive after the work.
				c := make(chan os.Signal, 1)
				signal.Notify(c, sig)
				go func() {
					for range c {
						received.Add(1)
					}
				}()
			}
			ended := make(chan struct{})
			var sender sync.WaitGroup
			sender.Go(func() {
				for {
					select {
					case <-ended:
						return
					default:
						assert.NoError(t, syscall.Kill(os.Getpid(), sig))
						// Without a pause, a thread that ran a handler finds the next signal
						// before it gets to the instruction that the first interrupted.
						time.Sleep(signalPause)
					}
				}
			})
			mixedWork(t)
			close(ended)
			sender.Wait()
			if sig == syscall.SIGINT {
				assert.Positive(t, received.Load(), "the program still gets its signals")
			}
		})
	}
}

// The collector runs all the time, or Go has one thread, or many more threads than
// processors.
func TestWorkUnderEverySchedulerAndCollector(t *testing.T) {
	for _, environment := range []string{"GOMAXPROCS=1", "GOMAXPROCS=64", "GOGC=1", "GODEBUG=gcstoptheworld=1"} {
		t.Run(environment, func(t *testing.T) {
			if inChild(t, environment) {
				mixedWork(t)
			}
		})
	}
}
