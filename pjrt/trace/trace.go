// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package trace watches the calls that package pjrt makes to its plugins. It is
// imported for its effect:
//
//	import _ "github.com/purepjrt/purepjrt/pjrt/trace"
//
// After that, environment variables say what it does. Without them it does nothing:
//
//	PJRT_TRACE=FILE        log each call: its function, arguments, results,
//	                       error, duration and thread. FILE may be stderr. A name
//	                       ending in .jsonl gives a JSON object for each call,
//	                       and .json a trace for Perfetto and chrome://tracing
//	PJRT_TRACE_FORMAT, PJRT_TRACE_BEGIN, PJRT_TRACE_ONLY, PJRT_TRACE_TEXT
//	PJRT_SUMMARY=FILE      only the number of calls, their errors and times
//	PJRT_VALIDATE=1        report misuse of the plugin: handles used after
//	                       they were destroyed, leaks, and more
//	PJRT_VALIDATE_REFUSE=1
//	PJRT_FAULTS=RULES      make calls fail or take longer
//	PJRT_ODD=NAMES         do what some plugins in the field do
//	PJRT_RECORD=FILE       record the session for the command pjrt replay
//
// They have the same meaning as for the library pjrtshim, which package capi/shim describes. If a
// variable has an invalid value, [github.com/purepjrt/purepjrt/pjrt.Open] returns an error.
//
// The line of a call is in the file when the call returns. The summary is written when the last
// client of a plugin is closed, and by [Close]. Only Close reports objects that were never
// destroyed.
//
// Watching makes calls slower. Without variables, this package costs nothing but its size.
package trace

import (
	"errors"
	"os"
	"sync"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/capi/shim"
	"github.com/purepjrt/purepjrt/pjrt/internal/bridge"
)

// Config says what to do. The zero value means nothing.
type Config = shim.Config

// watching holds the shim in front of the plugins.
var watching struct {
	mu   sync.Mutex
	shim *shim.Shim // guarded by mu; nil if nothing is watched
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
		bridge.Interpose(func(*capi.Table) (*capi.Table, error) { return nil, err })
	}
}

// Start watches the plugins that are opened from now on, and ignores the environment variables. A
// plugin that is open stays as it is until the process ends. Start fails if plugins are being
// watched already.
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
	bridge.Interpose(func(t *capi.Table) (*capi.Table, error) {
		wrapped, err := s.Wrap(t)
		if err != nil {
			return nil, err
		}
		return wrapped.Capi(), nil
	})
	return nil
}

// Findings returns the number of problems that the validator has found so far.
func Findings() int {
	watching.mu.Lock()
	defer watching.mu.Unlock()
	if watching.shim == nil {
		return 0
	}
	return watching.shim.Findings()
}

// Close stops watching: it writes the summary, reports objects that were never destroyed, and
// closes the files. The plugins keep working. Call it at the end of a program; without it, the
// files keep what was written until then. If nothing is being watched, it does nothing.
func Close() error {
	watching.mu.Lock()
	s := watching.shim
	watching.shim = nil
	watching.mu.Unlock()
	if s == nil {
		return nil
	}
	bridge.Interpose(nil)
	return s.Close()
}
