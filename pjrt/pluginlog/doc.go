// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package pluginlog deals with what plugins write to standard error: [Quiet]
// makes them write less, [Capture] turns what they write into records of a
// [slog.Logger].
//
// Plugins are C++ libraries. They log through Abseil, or an older logger of XLA's
// with its own form of lines, straight to file descriptor 2, and offer no other
// way out. Both functions are therefore for the whole process, and neither does
// anything unless it is called.
package pluginlog
