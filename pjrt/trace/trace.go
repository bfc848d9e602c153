// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package trace watches the calls that package pjrt makes to its plugins. It is
// imported for its effect:
//
//	import _ "github.com/purepjrt/purepjrt/pjrt/trace"
//
// After that, variables of the environment say what is done, and without them
// nothing is:
//
//	PJRT_TRACE=FILE        write down each call: its function, arguments, results,
//	                       error, duration and thread; FILE may be stderr. A name
//	                       that ends in .jsonl gives a JSON object for each call,
//	                       one in .json a trace for Perfetto and chrome://tracing
//	PJRT_TRACE_FORMAT, PJRT_TRACE_BEGIN, PJRT_TRACE_ONLY, PJRT_TRACE_TEXT
//	PJRT_SUMMARY=FILE      only the number of calls, their errors and times
//	PJRT_VALIDATE=1        look for misuse of the plugin: handles that are used
//	                       after they were destroyed, that leak, and more
//	PJRT_VALIDATE_REFUSE=1
//	PJRT_FAULTS=RULES      let calls fail or take longer
//	PJRT_RECORD=FILE       record the session for the command pjrt replay
//
// They mean what those of the library pjrtshim mean, which package capi/shim
// describes. A variable with a value that makes no sense is an error of
// [github.com/purepjrt/purepjrt/pjrt.Open].
//
// Every line is in its file when the call returns. The summary is written when
// the last client of a plugin is closed, and by [Close]; what was never destroyed
// is reported by Close alone.
//
// A watched call costs more than another; without variables, this package costs
// nothing but its size.
package trace

import (
	"errors"
	"os"
	"sync"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/capi/shim"
	"github.com/purepjrt/purepjrt/pjrt/internal/interpose"
)

// Config says what is done; its zero value asks for nothing.
type Config = shim.Config

// watching is what stands in front of the plugins.
var watching struct {
	mu   sync.Mutex
	shim *shim.Shim // guarded by mu; nil for none
}

func init() {
	c, err := shim.Environment("PJRT_", os.Environ())
	if err == nil && !c.Active() {
		return
	}
	if err == nil {
		err = Start(c)
	}
	if err != nil {
		interpose.Set(func(*capi.Table) (*capi.Table, error) { return nil, err })
	}
}

// Start watches the plugins that are opened from now on, in place of what the
// environment says. It is an error while something is being watched.
func Start(c Config) error {
	watching.mu.Lock()
	defer watching.mu.Unlock()
	if watching.shim != nil {
		return errors.New("trace: calls are being watched already: call Close first")
	}
	c.SumUpWithClients = true
	s, err := shim.New(c)
	if err != nil {
		return err
	}
	watching.shim = s
	interpose.Set(func(t *capi.Table) (*capi.Table, error) {
		wrapped, err := s.Wrap(t)
		if err != nil {
			return nil, err
		}
		return wrapped.Capi(), nil
	})
	return nil
}

// Findings returns the number of things that the validator found so far.
func Findings() int {
	watching.mu.Lock()
	defer watching.mu.Unlock()
	if watching.shim == nil {
		return 0
	}
	return watching.shim.Findings()
}

// Close ends the watching: it sums up, reports what was never destroyed and closes
// the files. Plugins that were watched work on. A program calls it at its end;
// without it, what is in the files stays there. When nothing is watched, it does
// nothing.
func Close() error {
	watching.mu.Lock()
	s := watching.shim
	watching.shim = nil
	watching.mu.Unlock()
	if s == nil {
		return nil
	}
	interpose.Set(nil)
	return s.Close()
}
