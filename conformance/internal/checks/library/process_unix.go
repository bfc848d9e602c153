// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

//go:build linux || darwin

package library

import (
	"fmt"
	"sync"
	"syscall"

	"github.com/ebitengine/purego"

	"github.com/purepjrt/purepjrt/capi"
)

// setlocale returns the C function, or nil if it cannot be found.
var setlocale = sync.OnceValue(func() (f func(category int32, name *byte) *byte) {
	address, err := purego.Dlsym(purego.RTLD_DEFAULT, "setlocale")
	if err != nil {
		return nil
	}
	purego.RegisterFunc(&f, address)
	return f
})

// systemProperties returns the properties that only Unix systems have.
func systemProperties() []property {
	var list []property
	if f := setlocale(); f != nil {
		list = append(list, property{"the locale", capi.GoString(f(allCategories, nil))})
	}
	mask := syscall.Umask(0)
	syscall.Umask(mask)
	list = append(list, property{"the file mode mask", fmt.Sprintf("%#o", mask)})
	for fd, name := range []string{"standard input", "standard output", "standard error"} {
		list = append(list, property{"what is behind " + name, fileOf(fd)})
	}
	return append(list, kernelProperties()...)
}

// fileOf says which file a descriptor refers to.
func fileOf(fd int) string {
	var s syscall.Stat_t
	if err := syscall.Fstat(fd, &s); err != nil {
		return fmt.Sprintf("nothing (%v)", err)
	}
	return fmt.Sprintf("file %d of device %d", s.Ino, s.Dev)
}
