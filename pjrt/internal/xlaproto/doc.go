// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package xlaproto has plain structs for messages of XLA that PJRT passes as bytes: the options of
// a compilation, shapes, device assignments and shardings.
//
// Reading and writing a message loses nothing: fields that a struct lacks are kept in Unknown, in
// wire form. The package registers nothing with protobuf.
package xlaproto

// MaxTupleDepth limits how deeply tuples may be nested. Real programs nest them once or twice.
const MaxTupleDepth = 64
