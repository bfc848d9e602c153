// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package safetensors reads and writes files of named arrays in the format of
// safetensors, in which the weights of models are published.
//
//	f, err := safetensors.Open("model.safetensors")
//	defer f.Close()
//	for _, name := range f.Names() {
//		r, shape, err := f.Reader(name)
//		b, err := client.BufferFromReader(ctx, r, shape, nil)
//	}
//
// A file is checked as a whole when it is opened: the arrays neither overlap nor
// leave gaps nor reach beyond the end, so that a damaged or hostile file is an error
// before memory is taken for it.
package safetensors
