// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package safetensors reads and writes files of named arrays in the safetensors format, in which
// the weights of many models are published.
//
//	f, err := safetensors.Open("model.safetensors")
//	defer f.Close()
//	var w struct {
//		Layers []Layer `pjrt:"h"` // each with a Weight and a Bias of type *pjrt.Buffer
//	}
//	w.Layers = make([]Layer, 12)
//	err = f.LoadInto(ctx, client, &w, nil) // h.0.weight, h.0.bias, h.1.weight, ...
//
// [File.Load] loads arrays by their names, [File.Read] reads one into the host's memory, and
// [File.Reader] is for those who read it in their own way.
//
// Large models are published as several files with an index, model.safetensors.index.json, which
// Open takes in place of a file.
//
// Open checks that the arrays of a file neither overlap, nor leave gaps, nor extend beyond the end
// of the file. So it rejects a damaged or hostile file before any memory is allocated for its
// arrays.
package safetensors
