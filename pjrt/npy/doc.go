// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package npy reads and writes arrays in the file format of NumPy, .npy, for every element type of
// PJRT.
//
// NumPy has no name for the element types of machine learning: ml_dtypes stores bf16, the 8-bit
// floats and the narrow integers as opaque words (<V2, <V1) that do not say what they are. [Write]
// does the same, so that numpy.load followed by a view reads the file; [ReadAs] takes the type from
// the caller and reads the words bit for bit. All other files say their type, and ReadAs casts them
// to the wanted one as NumPy's astype does.
//
// An [Archive] is a .npz file, which has several arrays.
package npy
