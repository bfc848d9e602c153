// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

//go:build linux || darwin

package pluginlog

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

const stderr = 2 // the file descriptor

// quiet is how long to wait for more text: after this long without any, the message is complete.
const quiet = time.Millisecond

// patience is how long to wait for the rest of a line. Tests replace it.
var patience = 100 * time.Millisecond

// current is the active capture.
var current struct {
	mu       sync.Mutex              // held while a capture begins or ends
	capture  *capture                // guarded by mu; nil without a capture
	original atomic.Pointer[os.File] // where standard error was before; nil without a capture
}

// original is the standard error that a capture replaced.
type original struct{}

func (original) Write(p []byte) (int, error) {
	if f := current.original.Load(); f != nil {
		// A capture that ends at this moment closes f. Write to the restored standard error then.
		if n, err := f.Write(p); !errors.Is(err, os.ErrClosed) {
			return n, err
		}
	}
	return os.Stderr.Write(p)
}

// capture redirects standard error into a pipe.
type capture struct {
	logger   *slog.Logger
	original *os.File
	pipe     *os.File // the end to read, in blocking mode
	input    source   // of the pipe
	size     int      // of the pipe, in bytes
	write    int      // the end to write, which standard error is too
	guard    *guard   // nil without a shell
	end      []byte   // marks the end of the captured text in the pipe
	ended    chan struct{}
}

func startCapture(logger *slog.Logger) (func() error, error) {
	current.mu.Lock()
	defer current.mu.Unlock()
	if current.capture != nil {
		return nil, ErrCaptured
	}
	c, err := newCapture(logger)
	if err != nil {
		return nil, fmt.Errorf("capture standard error: %w", err)
	}
	current.original.Store(c.original)
	if err := redirect(c.write, stderr); err != nil {
		current.original.Store(nil)
		c.release()
		return nil, fmt.Errorf("capture standard error: %w", err)
	}
	if c.loops() {
		err := errors.New("capture standard error: the logger itself writes there: let it write to pluginlog.Stderr")
		return nil, errors.Join(err, c.restore())
	}
	current.capture = c
	go c.run()
	if c.guard == nil {
		c.handle(context.Background(), slog.NewRecord(time.Now(), slog.LevelWarn,
			"there is no shell: text written to standard error just before a crash may be lost", 0))
	}
	return func() error {
		current.mu.Lock()
		defer current.mu.Unlock()
		if current.capture != c {
			return nil
		}
		current.capture = nil
		return c.restore()
	}, nil
}

func newCapture(logger *slog.Logger) (_ *capture, err error) {
	c := &capture{logger: logger, write: -1, ended: make(chan struct{})}
	defer func() {
		if err != nil {
			c.release()
		}
	}()
	if c.original, err = duplicate(stderr); err != nil {
		return nil, err
	}
	if c.pipe, c.write, c.size, err = newPipe(); err != nil {
		return nil, err
	}
	if c.input, err = openSource(c.pipe, c.size); err != nil {
		return nil, err
	}
	mark := make([]byte, 16)
	_, _ = rand.Read(mark) // never fails
	// No program writes this by accident, and a write this short to a pipe is atomic.
	c.end = []byte("\x00" + hex.EncodeToString(mark) + "\x00")
	c.guard, err = newGuard(c.pipe, c.original)
	if errors.Is(err, os.ErrNotExist) {
		err = nil
	}
	return c, err
}

// release releases what newCapture acquired, except the read end of the pipe, which is still in
// use.
func (c *capture) release() {
	if c.guard != nil {
		c.guard.relax()
		c.guard.stop()
	}
	if c.input != nil {
		c.input.close()
	}
	if c.write >= 0 {
		_ = syscall.Close(c.write)
		c.write = -1
	}
	if c.pipe != nil {
		c.pipe.Close()
	}
	if c.original != nil {
		c.original.Close()
	}
}

// loops reports whether the logger writes to standard error. If so, it discards the text, so that
// restore finds nothing in the pipe.
func (c *capture) loops() bool {
	id := hex.EncodeToString(c.end[1:17])
	r := slog.NewRecord(time.Now(), slog.LevelInfo, "standard error is captured", 0)
	r.AddAttrs(slog.String("capture", id))
	if !c.handle(context.Background(), r) {
		// A handler that cannot write cannot cause a loop either.
		return false
	}
	if _, err := writeAll(c.write, c.end); err != nil {
		return false
	}
	data := c.input.peek(0)
	for !bytes.Contains(data, c.end) {
		time.Sleep(quiet)
		data = c.input.peek(len(data))
	}
	i := bytes.Index(data, c.end)
	loops := bytes.Contains(data[:i], []byte(id))
	if !loops {
		// A plugin may have written text meanwhile.
		c.log(data[:i], time.Now())
	}
	c.input.consume(i + len(c.end))
	if loops {
		go c.run()
	}
	return loops
}

// restore restores standard error and waits until everything is logged.
func (c *capture) restore() error {
	err := redirect(int(c.original.Fd()), stderr)
	if err != nil {
		return fmt.Errorf("restore standard error: %w", err)
	}
	_, err = writeAll(c.write, c.end)
	if err == nil {
		<-c.ended
	}
	_ = syscall.Close(c.write)
	c.write = -1
	current.original.Store(nil)
	c.original.Close()
	if c.guard != nil {
		c.guard.relax()
	}
	go func() {
		// Child processes may still write. Without any, this ends at once.
		c.input.drain(os.Stderr)
		if c.guard != nil {
			c.guard.stop()
		}
		c.input.close()
		c.pipe.Close()
	}()
	return nil
}

// run logs the text from the pipe, up to the end mark. Text stays in the pipe until it is logged,
// so that the guard can rescue it.
func (c *capture) run() {
	defer close(c.ended)
	for {
		data := c.gather()
		if i := bytes.Index(data, c.end); i >= 0 {
			c.log(data[:i], time.Now())
			c.input.consume(i + len(c.end))
			return
		}
		if i := bytes.LastIndexByte(data, '\n'); i >= 0 {
			data = data[:i+1]
		}
		c.log(data, time.Now())
		c.input.consume(len(data))
	}
}

// gather waits for text, and returns it when it looks complete or after waiting for the rest long
// enough.
func (c *capture) gather() []byte {
	data := c.input.peek(0)
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); {
		if len(data) >= c.size/2 || bytes.Contains(data, c.end) {
			break
		}
		known := len(data)
		time.Sleep(quiet)
		data = c.input.peek(known)
		if len(data) == known && data[known-1] == '\n' {
			break
		}
	}
	return data
}

// log logs text. Messages that the logger cannot take go to the original standard error, and so do
// fatal ones, after which the plugin ends the process.
func (c *capture) log(text []byte, now time.Time) {
	for _, e := range entries(text, now) {
		if !c.handle(context.Background(), e.record(now)) || e.level >= LevelFatal {
			_, _ = c.original.Write(e.text)
		}
	}
}

// handle logs a record, and reports whether the logger took it.
func (c *capture) handle(ctx context.Context, r slog.Record) (ok bool) {
	defer func() {
		if recover() != nil {
			ok = false
		}
	}()
	if !c.logger.Enabled(ctx, r.Level) {
		return true
	}
	return c.logger.Handler().Handle(ctx, r) == nil
}
