// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package safetensors reads and writes files of named arrays in the safetensors format, in which
// the weights of many models are published.
//
//	f, err := safetensors.Open("model.safetensors")
//	defer f.Close()
//	for _, name := range f.Names() {
//		r, shape, err := f.Reader(name)
//		b, err := client.BufferFromReader(ctx, r, shape, nil)
//	}
//
// Large models are published as several files with an index, model.safetensors.index.json, which
// Open takes in place of a file.
//
// Open checks that the arrays of a file neither overlap, nor leave gaps, nor extend beyond the end
// of the file. So it rejects a damaged or hostile file before any memory is allocated for its
// arrays.
package safetensors
