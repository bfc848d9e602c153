// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package dynamic knows why the dynamic linker cannot load a library, where the linker itself does
// not say so, or would end the process.
package dynamic

import "errors"

// ErrStatic says that this program cannot load libraries.
var ErrStatic = errors.New("this program is linked statically with the C library, and cannot load a plugin: " +
	"build it with CGO_ENABLED=0, or without -extldflags=-static")

// CheckProgram returns [ErrStatic] if the dynamic linker did not start this program: loading a
// library would end the process.
func CheckProgram() error { return checkProgram() }

// Unmapped returns why the system refuses to map the pages of a library, given the linker's message
// about it. It is empty if that is not what the message says, or if the reason is not known.
func Unmapped(message string) string { return unmappedReason(message) }

// Noexec returns why no library at path can be loaded if the file system there is mounted such that
// no code runs. Otherwise it returns "".
func Noexec(path string) string { return noexecReason(path) }
