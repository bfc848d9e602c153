// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

//go:build !linux && !windows

package shim

import (
	"sync"

	"github.com/ebitengine/purego"
)

var pthreadSelf = sync.OnceValue(func() uintptr {
	p, err := purego.Dlsym(purego.RTLD_DEFAULT, "pthread_self")
	if err != nil {
		return 0
	}
	return p
})

// threadID returns a number that no other live thread has.
func threadID() uint64 {
	f := pthreadSelf()
	if f == 0 {
		return 0
	}
	id, _, _ := purego.SyscallN(f)
	return uint64(id)
}
