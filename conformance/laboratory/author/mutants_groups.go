// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package main

import (
	"fmt"
	"sync"

	"github.com/purepjrt/purepjrt/conformance/internal/checks/buffers"
	"github.com/purepjrt/purepjrt/conformance/internal/checks/client"
	"github.com/purepjrt/purepjrt/conformance/internal/checks/extension"
	"github.com/purepjrt/purepjrt/conformance/internal/checks/library"
	"github.com/purepjrt/purepjrt/conformance/internal/checks/numeric"
	"github.com/purepjrt/purepjrt/conformance/internal/checks/programs"
	"github.com/purepjrt/purepjrt/conformance/internal/checks/quality"
	"github.com/purepjrt/purepjrt/conformance/internal/mutant"
)

// groups are the mutants of each package of checks, in the order of the suite.
var groups = []func() []mutant.Mutant{
	sync.OnceValue(library.Mutants), sync.OnceValue(client.Mutants), sync.OnceValue(buffers.Mutants), sync.OnceValue(programs.Mutants),
	sync.OnceValue(extension.Mutants), sync.OnceValue(quality.Mutants), sync.OnceValue(numeric.Mutants),
}

// allMutants returns every fault that the checks must find.
func allMutants() []mutant.Mutant {
	var all []mutant.Mutant
	for _, g := range groups {
		all = append(all, g()...)
	}
	return all
}

// mutantOf returns the mutant with a name. It makes the mutants of only as many groups as it must.
func mutantOf(name string) (*mutant.Mutant, error) {
	for _, g := range groups {
		if m := mutant.Find(g(), name); m != nil {
			return m, nil
		}
	}
	return nil, fmt.Errorf("there is no mutant %q", name)
}
