// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package pluginlog handles what plugins write to standard error: [Quiet] makes them write less,
// and [Capture] turns what they write into records of a [slog.Logger].
//
// Plugins are C++ libraries. They log directly to file descriptor 2, through Abseil or an older
// logger of XLA with a different format, and there is no way to redirect their logs in the plugin.
// So both functions affect the whole process. A program that calls neither is not affected.
package pluginlog
