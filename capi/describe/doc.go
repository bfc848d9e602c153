// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package describe says, at run time, what the fields of PJRT's structs are: by
// their C names, with their kinds, directions, and the fields that count what
// they point to. Programs that look at calls without knowing them use it: the
// tracer, the validator and the recorder of package shim.
//
// The descriptions are generated from the same headers as package capi. They
// cover the core, the profiler and all extensions.
//
// Functions of this package read C memory by those descriptions. What they read
// is what a correct caller or plugin has put there: a pointer that points
// nowhere ends the process, as it would in C.
package describe
