// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

//go:build !windows

package plugins

import (
	"errors"
	"os"
	"syscall"
)

// noSpace lists the errors of a write that runs out of space.
var noSpace = []error{syscall.ENOSPC, syscall.EDQUOT, syscall.EFBIG}

var errReadOnly error = syscall.EROFS

// syncDir makes a rename inside dir survive a power cut.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
