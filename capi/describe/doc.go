// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package describe describes the fields of PJRT's structs at run time: their C names, kinds and
// directions, and the fields that hold their counts. It is for programs that handle all calls
// alike, such as the tracer, the validator and the recorder of package shim.
//
// The descriptions are generated from the same headers as package capi. They
// cover the core, the profiler and all extensions.
//
// Functions of this package read C memory according to the descriptions. They trust the caller and
// the plugin: a bad pointer ends the process, as it would in C.
package describe
