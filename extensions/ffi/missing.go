// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package ffi

import (
	"strings"

	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/raw"
)

func init() { raw.OnCompileError(missingHandler) }

// lapackCalls are the custom calls of JAX whose handlers are in extensions/ffi/lapack, by
// the part of their names between the type's letter, s or d, and the suffix.
const lapackCalls = " potrf syevd gesdd gesvd geqrf geqp3 orgqr getrf trsm "

// missingHandler says where to get a handler that the program of an error calls and that
// nobody has registered.
func missingHandler(e *pjrt.Error) string {
	_, name, ok := strings.Cut(e.Message, "No FFI handler registered for ")
	if !ok || e.Code != pjrt.ErrNotFound {
		return ""
	}
	name, _, _ = strings.Cut(name, " ")
	if call, ok := strings.CutPrefix(name, "lapack_"); ok && len(call) > 1 {
		letter := call[0]
		call, _ = strings.CutSuffix(call[1:], "_ffi")
		switch {
		case (letter == 'c' || letter == 'z') && strings.HasSuffix(name, "_ffi"):
			return "extensions/ffi/lapack has handlers for f32 and f64 only, and this one is for complex numbers: " +
				"register your own with Register of extensions/ffi, or compute real and imaginary parts"
		case strings.Contains(lapackCalls, " "+call+" "):
			return `import _ "github.com/purepjrt/purepjrt/extensions/ffi/lapack", which has one`
		}
	}
	return "register one with Register of extensions/ffi before compiling"
}
