// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package extension

import (
	"sync"

	"github.com/ebitengine/purego"

	"github.com/purepjrt/purepjrt/capi"
)

// destructors holds what counted destructors count, and the one that they call. Only one
// check at a time uses it.
var destructors struct {
	sync.Mutex
	count *int
	next  capi.TransfersDescriptorDestructor
}

var countEntry = sync.OnceValue(func() uintptr {
	return purego.NewCallback(func(data **byte, size *uintptr) uintptr {
		destructors.Lock()
		defer destructors.Unlock()
		if *destructors.count++; *destructors.count == 1 {
			destructors.next.Call(data, size)
		}
		return 0
	})
})

// counted returns a destructor that counts its calls and passes on the first one.
func counted(count *int, next capi.TransfersDescriptorDestructor) capi.TransfersDescriptorDestructor {
	destructors.Lock()
	defer destructors.Unlock()
	destructors.count, destructors.next = count, next
	return capi.TransfersDescriptorDestructor(countEntry())
}

// destroyed returns how many times a destructor has been called.
func destroyed(count *int) int {
	destructors.Lock()
	defer destructors.Unlock()
	return *count
}
