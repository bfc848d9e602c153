// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package lapack runs JAX programs for CPUs that call LAPACK: svd, cholesky, eigh, eig, qr, lu,
// schur, hessenberg, tridiagonal systems and triangular solve. JAX compiles these to custom calls
// such as lapack_spotrf_ffi, whose handlers are in JAX's Python package and in no plugin. Import
// this package for its side effect:
//
//	import _ "github.com/purepjrt/purepjrt/extensions/ffi/lapack"
//
// It registers the handlers with each plugin for the platform Host, both plugins that are already
// open and plugins that are opened later. The handlers are written in Go. Real numbers are computed
// with gonum's LAPACK, and complex ones, which gonum lacks, with this package's own code.
//
// f64 and complex128 are computed directly, f32 and complex64 by widening to those, with one
// rounding at the end. Results agree with those of another LAPACK up to rounding, eigenvalues and
// forms of Schur up to their order, and vectors of svd, eigh and eig up to their signs or phases,
// or up to the choice of basis where values are equal. In svd, eigh, eig and schur, a matrix with
// an infinity or a NaN is reported as LAPACK reports a failure, for which JAX returns NaN.
//
// There is a handler for each name for which jaxlib 0.10 to 0.12 has one: lapack_Xpotrf_ffi,
// Xgesdd, Xgesvd, Xgeqrf, Xgeqp3, Xgetrf, Xtrsm, Xgeev, Xgees, Xgehrd and Xgtsv, where X is s, d, c
// or z; Xsyevd, Xorgqr, Xormqr and Xsytrd, where X is s or d; Xheevd, Xungqr, Xunmqr and Xhetrd,
// where X is c or z; and tridiagonal_solve_perturbed_ffi. Text of JAX 0.4.38 gets by with these
// handlers, too. What its jax.export writes has other names, for which no plugin takes handlers.
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
		operation[potrf[float32, float64]](p, "spotrf"), operation[potrf[float64, float64]](p, "dpotrf"),
		operation[potrf[complex64, complex128]](p, "cpotrf"), operation[potrf[complex128, complex128]](p, "zpotrf"),
		operation[eigh[float32, float32, float64]](p, "ssyevd"), operation[eigh[float64, float64, float64]](p, "dsyevd"),
		operation[eigh[complex64, float32, complex128]](p, "cheevd"), operation[eigh[complex128, float64, complex128]](p, "zheevd"),
		operation[gesdd[float32, float32, float64]](p, "sgesdd"), operation[gesdd[float64, float64, float64]](p, "dgesdd"),
		operation[gesdd[complex64, float32, complex128]](p, "cgesdd"), operation[gesdd[complex128, float64, complex128]](p, "zgesdd"),
		operation[gesdd[float32, float32, float64]](p, "sgesvd"), operation[gesdd[float64, float64, float64]](p, "dgesvd"),
		operation[gesdd[complex64, float32, complex128]](p, "cgesvd"), operation[gesdd[complex128, float64, complex128]](p, "zgesvd"),
		operation[geqrf[float32, float64]](p, "sgeqrf"), operation[geqrf[float64, float64]](p, "dgeqrf"),
		operation[geqrf[complex64, complex128]](p, "cgeqrf"), operation[geqrf[complex128, complex128]](p, "zgeqrf"),
		operation[geqp3[float32, float64]](p, "sgeqp3"), operation[geqp3[float64, float64]](p, "dgeqp3"),
		operation[geqp3[complex64, complex128]](p, "cgeqp3"), operation[geqp3[complex128, complex128]](p, "zgeqp3"),
		operation[orgqr[float32, float64]](p, "sorgqr"), operation[orgqr[float64, float64]](p, "dorgqr"),
		operation[orgqr[complex64, complex128]](p, "cungqr"), operation[orgqr[complex128, complex128]](p, "zungqr"),
		operation[ormqr[float32, float64]](p, "sormqr"), operation[ormqr[float64, float64]](p, "dormqr"),
		operation[ormqr[complex64, complex128]](p, "cunmqr"), operation[ormqr[complex128, complex128]](p, "zunmqr"),
		operation[getrf[float32, float64]](p, "sgetrf"), operation[getrf[float64, float64]](p, "dgetrf"),
		operation[getrf[complex64, complex128]](p, "cgetrf"), operation[getrf[complex128, complex128]](p, "zgetrf"),
		operation[trsm[float32, float64]](p, "strsm"), operation[trsm[float64, float64]](p, "dtrsm"),
		operation[trsm[complex64, complex128]](p, "ctrsm"), operation[trsm[complex128, complex128]](p, "ztrsm"),
		operation[realGeev[float32, complex64]](p, "sgeev"), operation[realGeev[float64, complex128]](p, "dgeev"),
		operation[complexGeev[complex64]](p, "cgeev"), operation[complexGeev[complex128]](p, "zgeev"),
		operation[realGees[float32]](p, "sgees"), operation[realGees[float64]](p, "dgees"),
		operation[complexGees[complex64]](p, "cgees"), operation[complexGees[complex128]](p, "zgees"),
		operation[gehrd[float32, float64]](p, "sgehrd"), operation[gehrd[float64, float64]](p, "dgehrd"),
		operation[gehrd[complex64, complex128]](p, "cgehrd"), operation[gehrd[complex128, complex128]](p, "zgehrd"),
		operation[sytrd[float32, float32, float64]](p, "ssytrd"), operation[sytrd[float64, float64, float64]](p, "dsytrd"),
		operation[sytrd[complex64, float32, complex128]](p, "chetrd"), operation[sytrd[complex128, float64, complex128]](p, "zhetrd"),
		operation[gtsv[float32, float64]](p, "sgtsv"), operation[gtsv[float64, float64]](p, "dgtsv"),
		operation[gtsv[complex64, complex128]](p, "cgtsv"), operation[gtsv[complex128, complex128]](p, "zgtsv"),
		ffi.Register(p, "tridiagonal_solve_perturbed_ffi", func(_ *ffi.Call, op *perturbed) error { return op.run() }),
	} {
		if err != nil {
			return err
		}
	}
	return nil
}
