// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package profiler records what a program and its plugins do, to be viewed later.
//
// A [Recording] has the Go side (uploads, compilations, executions, downloads, by goroutine
// and by device, and how much memory is in use) and, on the same clock, what each plugin
// reports about its devices:
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
// and GPUs have it; XLA's plugin for CPUs does not, so its recordings have only the Go
// side. A [Profiler] records only the plugin's part.
package profiler
