// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt

import (
	"log/slog"
	"runtime"
	"runtime/debug"
	"strings"
)

// SetLogger makes l the logger of this package, for the whole process. Nil, the default, turns
// logging off; warnings then go to slog's default logger.
// Each operation is logged once it ends, with its duration, size and error, and the caller of this
// package as the source. The level is Info for opening plugins, creating clients, and compiling and
// loading programs, which are also logged at level Debug when they begin, and Debug for all others.
func SetLogger(l *slog.Logger) { changeWatch(func(w *watch) { w.logger = l }) }

// notices returns the logger for warnings that are returned to no caller.
func notices() *slog.Logger {
	if w := watching.Load(); w != nil && w.logger != nil {
		return w.logger
	}
	return slog.Default()
}

// packagePrefix begins the names of this package's functions.
const packagePrefix = "github.com/purepjrt/purepjrt/pjrt."

// callerPC returns where this package was called from, or 0 in a goroutine that the
// package started.
func callerPC() uintptr {
	var pcs [32]uintptr
	// Skip runtime.Callers and callerPC.
	for _, pc := range pcs[:runtime.Callers(2, pcs[:])] {
		f, _ := runtime.CallersFrames([]uintptr{pc}).Next()
		switch {
		case strings.HasPrefix(f.Function, "runtime."):
			if f.Function == "runtime.goexit" {
				return 0
			}
		case !strings.HasPrefix(f.Function, packagePrefix):
			return pc
		}
	}
	return 0
}

// contained runs a function of the program in a goroutine of its own, and logs its panic.
func contained(what string, fn func()) {
	defer func() {
		if v := recover(); v != nil {
			notices().Error(what+" panicked", "panic", v, "stack", string(debug.Stack()))
		}
	}()
	fn()
}
