// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

//go:build !linux

package dynamic

// checkProgram returns nil: on other systems, the dynamic linker starts every program.
func checkProgram() error { return nil }

// unmappedReason returns "": the messages of other linkers have the reason.
func unmappedReason(string) string { return "" }

// noexecReason returns "": it is not known.
func noexecReason(string) string { return "" }
