// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package plugins

import "syscall"

// noSpace lists the errors of a write that runs out of space: ERROR_DISK_FULL and
// ERROR_HANDLE_DISK_FULL.
var noSpace = []error{syscall.Errno(112), syscall.Errno(39)}

// errReadOnly is ERROR_WRITE_PROTECT.
var errReadOnly error = syscall.Errno(19)

// syncDir does nothing: Windows cannot flush a directory, and its file systems
// journal renames.
func syncDir(string) error { return nil }
