// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package raw is the bridge between package pjrt, which hides the objects of C, and
// code that has to call C itself: the packages under extensions, a vendor's own
// extension, or a program that needs one call which package pjrt does not make.
//
// # Calling C with an object of package pjrt
//
// The functions whose names begin with Acquire lend the C handle of an object for the
// duration of a call. The C object stays alive until release is called, even if the Go
// object is closed meanwhile:
//
//	h, release, err := raw.AcquireBuffer(b)
//	if err != nil {
//		return err
//	}
//	defer release()
//	var c capi.Call[capi.BufferOnDeviceSizeInBytesArgs]
//	c.Args.Buffer = h
//	err = c.Do(raw.Table(b.Client().Plugin()))
//
// The caller must not destroy the handle, nor use it after release, and calls release
// exactly once.
//
// # Objects that C made
//
// The functions whose names begin with Adopt turn a handle that C returned and that the
// caller owns into an object of package pjrt, which then owns the handle and destroys it.
// For C objects of other types there is package lifetime; its parent argument, which
// [Parent] returns, keeps alive the object that they were made from.
//
// # Extensions that package capi does not know
//
// A package for a vendor's own extension describes the functions itself and calls them
// through [capi.Table.ExtensionTable]; pjrtgen extension writes that part from the C
// header. The folder extensions/testdata/outside of this repository has a complete
// example with a test.
//
// # What is not checked
//
// Package pjrt checks what it passes to C. Code that calls C through this package has to
// do its own checks: a plugin may end the process over a wrong argument.
package raw
