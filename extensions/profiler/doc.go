// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package profiler records what a program and its plugins do, for looking at it.
//
// A [Recording] has the Go side (uploads, compilations, executions, downloads, by goroutine
// and by device, and how much memory is in use) and, on the same clock, what each plugin
// says of its devices:
//
//	r, err := profiler.Record(plugin)
//	... // run programs
//	profile, err := r.Stop()
//	dir, err := profile.WriteFiles("logs")
//
// The folder then has a trace.json, which ui.perfetto.dev and chrome://tracing open, and a
// host.xplane.pb where TensorBoard and xprof look for it: tensorboard --logdir logs.
//
// Plugins record with the extension Profiler, which came with API 0.34. Plugins for TPUs
// and GPUs have it; XLA's plugin for CPUs does not, and a recording has the Go side alone.
// A [Profiler] is the plugin's part by itself.
package profiler
