// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pluginlog

import (
	"errors"
	"io"
	"log/slog"
)

// ErrCaptured is the error of Capture while another capture is active.
var ErrCaptured = errors.New("standard error is captured already")

// Capture turns everything that the process writes to standard error, file descriptor 2, into
// records of logger, until restore is called. Records of messages in the formats of Abseil and XLA
// have the severity, time, source (file, line) and thread of the message. Lines written together
// with such a message belong to it. Any other line becomes a record of level Info. Records below
// the logger's level are dropped.
//
// Capture affects the whole process, including what Go writes to os.Stderr, by package log and by
// slog's default handler. The logger itself must write somewhere else, which Capture checks.
// [Stderr] writes to the original standard error:
//
//	logger := slog.New(slog.NewTextHandler(pluginlog.Stderr, nil))
//	restore, err := pluginlog.Capture(logger)
//
// Child processes that inherit standard error are captured too. After restore, what they still
// write is passed on to the original standard error.
//
// # Crashes
//
// However the process ends, text that was written and not yet logged still goes to the original
// standard error, such as the last message of a plugin or Go's report of a panic. A child process
// (sh and cat) takes care of that. It ignores the signals that end services, such as SIGTERM, and
// ends after the process. It uses [runtime/debug.SetCrashOutput], which the program cannot use at
// the same time. Messages of severity fatal go both to the logger and to the original standard
// error. Text that was logged just before the end may be repeated there. On systems other than
// Linux, text that was read and not yet logged may be lost. Without a shell the capture still
// works, and a record of level Warn says that it is not protected.
//
// # Restore
//
// restore restores standard error, and returns when everything written before has been logged. It
// may be called more than once. The logger must not call it. It fails if standard error cannot be
// restored.
//
// Capture fails with ErrCaptured while another capture is active. On Windows it fails with
// errors.ErrUnsupported, because there the C library of a plugin has its own standard error, which
// cannot be redirected.
func Capture(logger *slog.Logger) (restore func() error, err error) {
	if logger == nil {
		return nil, errors.New("capture standard error: the logger is nil")
	}
	return startCapture(logger)
}

// Stderr writes to the original standard error, whether or not there is a capture.
var Stderr io.Writer = original{}
