// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package ffi

import (
	"regexp"
	"strings"

	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/raw"
)

func init() { raw.OnCompileError(missingHandler) }

// linearAlgebra are the custom calls of JAX for CPUs whose handlers are in extensions/ffi/lapack.
var linearAlgebra = regexp.MustCompile(`^(tridiagonal_solve_perturbed|lapack_(` +
	`[sdcz](potrf|gesdd|gesvd|geqrf|geqp3|getrf|trsm|geev|gees|gehrd|gtsv)|` +
	`[sd](syevd|orgqr|ormqr|sytrd)|[cz](heevd|ungqr|unmqr|hetrd)))_ffi$`)

// olderJAX are the names of the same custom calls in what jax.export of JAX 0.4 writes.
var olderJAX = regexp.MustCompile(`^(lapack|blas)_[sdcz][a-z0-9]+$`)

// missingHandler says where to get a handler that the program of an error calls and that
// nobody has registered, or what to do without one.
func missingHandler(e *pjrt.Error) string {
	after := func(words string) (name string, ok bool) {
		_, rest, ok := strings.Cut(e.Message, words+" ")
		name, _, _ = strings.Cut(rest, " ")
		return name, ok
	}
	if e.Code != pjrt.ErrNotFound && e.Code != pjrt.ErrUnimplemented {
		return ""
	}
	if name, ok := after("No FFI handler registered for"); ok {
		if linearAlgebra.MatchString(name) {
			return `import _ "github.com/purepjrt/purepjrt/extensions/ffi/lapack", which has one`
		}
		return "register one with Register of extensions/ffi before compiling"
	}
	if name, ok := after("No registered implementation for untyped custom call to"); ok { // on a CPU
		if olderJAX.MatchString(name) {
			return "export the program again with a newer JAX, such as 0.8, whose calls have handlers in extensions/ffi/lapack"
		}
		return "plugins for CPUs take none: write the call with api_version = 4, and register a handler for it with Register of extensions/ffi"
	}
	if _, ok := after("No registered implementation for custom call to"); ok { // on a GPU
		return "register one with Register of extensions/gpu before compiling"
	}
	return ""
}
