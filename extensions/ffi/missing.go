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

// missingHandler says where to get a handler that the program of an error calls and that
// nobody has registered.
func missingHandler(e *pjrt.Error) string {
	_, name, ok := strings.Cut(e.Message, "No FFI handler registered for ")
	if !ok || e.Code != pjrt.ErrNotFound {
		return ""
	}
	name, _, _ = strings.Cut(name, " ")
	if linearAlgebra.MatchString(name) {
		return `import _ "github.com/purepjrt/purepjrt/extensions/ffi/lapack", which has one`
	}
	return "register one with Register of extensions/ffi before compiling"
}
