// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pluginlog

import (
	"errors"
	"io"
	"log/slog"
)

// ErrCaptured is the error of Capture while another one is in force.
var ErrCaptured = errors.New("standard error is captured already")

// Capture makes records of logger out of what the process writes to standard
// error, file descriptor 2, until restore is called. Messages in the forms of
// Abseil and XLA give their severity, time, source (file, line), and thread;
// lines that follow such a message in one go belong to it. Any other line is a
// record of level Info. What the logger's level leaves out is dropped.
//
// This is for the whole process. It concerns what Go writes there as well:
// os.Stderr, package log and slog's default handler. The logger itself must
// write somewhere else, which Capture checks; [Stderr] is where standard error
// was before:
//
//	logger := slog.New(slog.NewTextHandler(pluginlog.Stderr, nil))
//	restore, err := pluginlog.Capture(logger)
//
// Child processes that inherit standard error are captured too, and after
// restore what they still write is passed on.
//
// # Crashes
//
// What was written and not yet logged when the process ends, however it ends,
// still goes to the original standard error: the last words of a plugin, or Go's
// report of a panic. A child process (sh and cat) waits for that. It needs
// [runtime/debug.SetCrashOutput], which the program cannot use for itself at the
// same time. A message of severity fatal goes both ways. What was logged just
// before the end may be repeated there, and on systems other than Linux what was
// read and not yet logged may be lost. Without a shell the capture works, and a
// record of level Warn says that it is not protected.
//
// # Restore
//
// restore puts standard error back, and returns after all that was written
// before has been logged. It may be called more than once; the logger must not
// call it. The error says that standard error could not be put back.
//
// Capture fails with ErrCaptured while another one is in force, and with
// errors.ErrUnsupported where there is no such thing to redirect, on Windows: a
// plugin's C library has its own standard error there.
func Capture(logger *slog.Logger) (restore func() error, err error) {
	if logger == nil {
		return nil, errors.New("capture standard error: the logger is nil")
	}
	return startCapture(logger)
}

// Stderr writes to where standard error goes without a capture.
var Stderr io.Writer = original{}
