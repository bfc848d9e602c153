// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package main

import (
	"fmt"
	"strings"

	"github.com/purepjrt/purepjrt/pjrt/plugins"
)

// withoutPtxas begins the error, of six thousand bytes, that XLA's plugins for CUDA return if they
// find nothing to compile with.
const withoutPtxas = "No PTX compilation provider is available"

// compileError returns the error of a compilation on the plugin at path. If the plugin lacks CUDA's
// compiler, the error says so in one sentence.
func compileError(program, path string, err error) error {
	first, _, found := strings.Cut(err.Error(), withoutPtxas)
	if !found {
		return fmt.Errorf("compile %s: %w", program, err)
	}
	if c, missing := plugins.FindCUDA(path); c.Compiler == "" && len(missing) > 0 {
		return fmt.Errorf("compile %s: %w", program, missing[0])
	}
	return fmt.Errorf("compile %s: %s%s: its ptxas or nvJitLink is too old for it, or cannot be run", program, first, withoutPtxas)
}
