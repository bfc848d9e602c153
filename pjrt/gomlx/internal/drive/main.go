// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

//go:build cgo

// Command drive does with GoMLX's XLA backend, which is based on cgo, what users of GoMLX do, on a
// plugin that may lack something. `make callers` builds it, and measures with it what GoMLX does
// with such plugins.
//
//	drive hello
//	drive ACTION...
//
// The first form prints what the command is, and the actions that it knows. The second takes
// actions on the plugin that CALLER_PLUGIN names, and tells how each of them ended, as a line of
// JSON each, to the file descriptor CALLER_REPORT.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	pkgerrors "github.com/pkg/errors"
)

// reporter tells the process that watches this one what becomes of the actions.
type reporter struct {
	to    *os.File
	trace string
}

// event is the beginning or the end of an action. Trace is the size of the trace of calls so far.
type event struct {
	Begin     string `json:"begin,omitempty"`
	End       string `json:"end,omitempty"`
	Seen      string `json:"seen,omitempty"`
	Exception string `json:"exception,omitempty"`
	Trace     int64  `json:"trace"`
}

func (r *reporter) tell(e event) error {
	if info, err := os.Stat(r.trace); err == nil {
		e.Trace = info.Size()
	}
	return json.NewEncoder(r.to).Encode(e)
}

func main() {
	var err error
	switch {
	case len(os.Args) < 2:
		err = errors.New("usage: drive hello, or drive ACTION...")
	case os.Args[1] == "hello":
		err = hello()
	default:
		err = run(os.Args[1:])
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "drive:", err)
		os.Exit(1)
	}
}

// hello says what the command is made of, and what it can do.
func hello() error {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return errors.New("the command was built without its modules' versions")
	}
	versions := make(map[string]string)
	for _, m := range info.Deps {
		versions[strings.TrimPrefix(m.Path, "github.com/gomlx/")] = m.Version
	}
	names := make([]string, 0, len(actions)+1)
	for _, a := range actions {
		names = append(names, a.name)
	}
	return json.NewEncoder(os.Stdout).Encode(map[string]any{
		"client":  "gomlx@" + strings.TrimPrefix(versions["gomlx"], "v"),
		"with":    []string{"go-xla " + versions["go-xla"], "compute " + versions["compute"], "Go " + strings.TrimPrefix(info.GoVersion, "go")},
		"actions": append(names, end),
	})
}

// end is the last action: the end of the process, with arrays and programs alive.
const end = "exit"

// run takes actions.
func run(names []string) error {
	fd, err := strconv.Atoi(os.Getenv("CALLER_REPORT"))
	if err != nil {
		return fmt.Errorf("CALLER_REPORT: %w", err)
	}
	r := &reporter{os.NewFile(uintptr(fd), "report"), os.Getenv("PJRT_SHIM_TRACE")}
	var s state
	for _, name := range names {
		if err := r.tell(event{Begin: name}); err != nil {
			return err
		}
		if name == end {
			return nil
		}
		e := event{End: name}
		if e.Seen, err = s.take(name); err != nil {
			e.Exception = pkgerrors.Cause(err).Error() // what the plugin said, without GoMLX's way to it
		}
		collect()
		if err := r.tell(e); err != nil {
			return err
		}
	}
	return nil
}

// take takes an action. GoMLX reports most errors as panics.
func (s *state) take(name string) (seen string, err error) {
	defer func() {
		switch x := recover().(type) {
		case nil:
		case error:
			err = x
		default:
			err = fmt.Errorf("%v", x)
		}
	}()
	for _, a := range actions {
		if a.name == name {
			return a.do(s), nil
		}
	}
	return "", fmt.Errorf("there is no action %q", name)
}

// collect destroys what the program no longer holds: go-xla does so after a collection.
func collect() {
	for range 2 {
		runtime.GC()
		time.Sleep(10 * time.Millisecond)
	}
}
