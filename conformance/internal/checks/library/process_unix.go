// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

//go:build linux || darwin

package library

import (
	"sync"

	"github.com/ebitengine/purego"

	"github.com/purepjrt/purepjrt/capi"
)

// setlocale returns the C function, nil where it cannot be found.
var setlocale = sync.OnceValue(func() (f func(category int32, name *byte) *byte) {
	address, err := purego.Dlsym(purego.RTLD_DEFAULT, "setlocale")
	if err != nil {
		return nil
	}
	purego.RegisterFunc(&f, address)
	return f
})

// locale is the process's for all categories; false where it cannot be asked.
func locale() (string, bool) {
	f := setlocale()
	if f == nil {
		return "", false
	}
	name := capi.GoString(f(allCategories, nil))
	return name, name != ""
}
