// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package lapack runs JAX programs for CPUs that call LAPACK: svd, cholesky, eigh, qr, lu and
// triangular solve. JAX compiles these to custom calls such as lapack_spotrf_ffi, whose handlers
// are in JAX's Python package and in no plugin. Import this package for its side effect:
//
//	import _ "github.com/purepjrt/purepjrt/extensions/ffi/lapack"
//
// It registers the handlers with each plugin for the platform Host, both plugins that are already
// open and plugins that are opened later. The handlers are written in Go and use gonum's LAPACK.
//
// f64 is computed directly, and f32 by widening to f64, with one rounding at the end. There are no
// handlers for complex numbers: their programs do not compile. Results agree with those of another
// LAPACK up to rounding, and vectors of svd, eigh and qr up to their signs, or up to the choice of
// basis where values are equal. In svd and eigh, a matrix with an infinity or a NaN is reported as
// LAPACK reports a failure, for which JAX returns NaN.
//
// The names are lapack_Xpotrf_ffi, Xsyevd, Xgesdd, Xgesvd, Xgeqrf, Xgeqp3, Xorgqr, Xgetrf and
// Xtrsm, where X is s or d.
package lapack

import (
	"errors"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/extensions"
	"github.com/purepjrt/purepjrt/extensions/ffi"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/raw"
)

func init() {
	raw.OnOpen(func(p *pjrt.Plugin) error {
		if ffi.PlatformOf(p) != "Host" || !extensions.Supported(p, capi.ExtensionTypeFFI) {
			return nil
		}
		err := register(p)
		if errors.Is(err, pjrt.ErrUnimplemented) {
			return nil // before API 0.73 plugins took no handlers
		}
		return err
	})
}

// runner is a pointer to an operation that can run.
type runner[O any] interface {
	*O
	run() error
}

// operation registers the handler of one name.
func operation[O any, R runner[O]](p *pjrt.Plugin, name string) error {
	return ffi.Register(p, "lapack_"+name+"_ffi", func(_ *ffi.Call, op *O) error { return R(op).run() })
}

// register registers all handlers.
func register(p *pjrt.Plugin) error {
	for _, err := range []error{
		operation[potrf[float32]](p, "spotrf"), operation[potrf[float64]](p, "dpotrf"),
		operation[syevd[float32]](p, "ssyevd"), operation[syevd[float64]](p, "dsyevd"),
		operation[gesdd[float32]](p, "sgesdd"), operation[gesdd[float64]](p, "dgesdd"),
		operation[gesdd[float32]](p, "sgesvd"), operation[gesdd[float64]](p, "dgesvd"),
		operation[geqrf[float32]](p, "sgeqrf"), operation[geqrf[float64]](p, "dgeqrf"),
		operation[geqp3[float32]](p, "sgeqp3"), operation[geqp3[float64]](p, "dgeqp3"),
		operation[orgqr[float32]](p, "sorgqr"), operation[orgqr[float64]](p, "dorgqr"),
		operation[getrf[float32]](p, "sgetrf"), operation[getrf[float64]](p, "dgetrf"),
		operation[trsm[float32]](p, "strsm"), operation[trsm[float64]](p, "dtrsm"),
	} {
		if err != nil {
			return err
		}
	}
	return nil
}
