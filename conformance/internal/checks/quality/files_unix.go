// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

//go:build unix

package quality

import (
	"syscall"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/conformance/internal/check"
)

// noFiles makes a client while the process may not open files. An error is as
// good as success.
func noFiles(t *check.T) {
	t.Client() // by now the runtime has the files that it needs
	var before syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &before); err != nil {
		t.SkipEnvf("the limit of files cannot be read: %v", err)
	}
	none := before
	none.Cur = 0
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &none); err != nil {
		t.SkipEnvf("the limit of files cannot be set: %v", err)
	}
	out, err := check.Try(t, t.CreateArgs())
	if e := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &before); e != nil {
		t.Notef("the limit of files could not be restored: %v", e)
	}
	if err != nil {
		t.Notef("a client without files: %v", err)
		return
	}
	if out.Client == nil {
		t.Fatalf("PJRT_Client_Create without files: success without a client")
	}
	t.Notef("a client without files: made")
	if _, err := check.Try(t, capi.ClientDestroyArgs{Client: out.Client}); err != nil {
		t.Errorf("PJRT_Client_Destroy of a client made without files: %v", err)
	}
}

// filesLeft reports whether the process may open files.
func filesLeft() bool {
	var limit syscall.Rlimit
	return syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit) != nil || limit.Cur > 0
}
