// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt

import (
	"context"
	"log/slog"
	"runtime"
	"strings"
	"time"
)

// SetLogger makes l the logger of this package, for the whole process. Nil, the default,
// turns logging off.
//
// Each operation is logged once it ends, with its duration, size and error. The level is
// Info for opening plugins, creating clients, and compiling and loading programs, which are
// also logged at level Debug when they begin. It is Debug for all others. A failure does not
// raise the level, since the caller gets the error. The source of a record is the caller of
// this package. Without a logger, warnings go to slog's default logger.
func SetLogger(l *slog.Logger) { changeWatch(func(w *watch) { w.logger = l }) }

// notices returns the logger for warnings that are returned to no caller.
func notices() *slog.Logger {
	if w := watching.Load(); w != nil && w.logger != nil {
		return w.logger
	}
	return slog.Default()
}

// level returns the level at which the end of an operation is logged.
func (k OperationKind) level() slog.Level {
	switch k {
	case OperationOpen, OperationClient, OperationCompile, OperationLoad:
		return slog.LevelInfo
	}
	return slog.LevelDebug
}

func (w *watch) enabled(ctx context.Context, level slog.Level) (enabled bool) {
	if w.logger == nil {
		return false
	}
	defer func() { _ = recover() }() // a handler must not break the operation
	return w.logger.Enabled(ctx, level)
}

func (w *watch) logStart(ctx context.Context, op *Operation) {
	if op.Kind.level() > slog.LevelDebug {
		w.log(ctx, slog.LevelDebug, "pjrt "+string(op.Kind)+" begins", op)
	}
}

func (w *watch) logEnd(ctx context.Context, op *Operation) {
	w.log(ctx, op.Kind.level(), "pjrt "+string(op.Kind), op, slog.Duration("duration", op.Duration))
}

// log writes a record about op. It adds the attributes in more after those of op.
func (w *watch) log(ctx context.Context, level slog.Level, message string, op *Operation, more ...slog.Attr) {
	if !w.enabled(ctx, level) {
		return
	}
	r := slog.NewRecord(time.Now(), level, message, callerPC())
	r.AddAttrs(slog.Uint64("operation", op.ID))
	if op.Plugin != "" && op.Platform == "" {
		r.AddAttrs(slog.String("plugin", op.Plugin))
	}
	if op.Platform != "" {
		r.AddAttrs(slog.String("platform", op.Platform))
	}
	if op.Program != "" {
		r.AddAttrs(slog.String("program", op.Program))
	}
	if op.Bytes != 0 {
		r.AddAttrs(slog.Int64("bytes", op.Bytes))
	}
	if len(op.Devices) > 0 {
		ids := make([]int, len(op.Devices))
		for i, d := range op.Devices {
			ids[i] = d.ID()
		}
		r.AddAttrs(slog.Any("devices", ids))
	}
	r.AddAttrs(more...)
	if op.Err != nil {
		r.AddAttrs(slog.Any("error", op.Err))
	}
	defer func() { _ = recover() }() // a handler must not break the operation
	_ = w.logger.Handler().Handle(ctx, r)
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
