// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package main

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/purepjrt/purepjrt/conformance/internal/suite"
)

func TestEveryCheckHasAMutant(t *testing.T) {
	t.Parallel()
	names := make(map[string]bool)
	for _, c := range suite.Checks() {
		names[c.Name()] = true
	}
	proven := make(map[string]bool)
	for _, m := range allMutants() {
		assert.True(t, names[m.Check], "mutant %s: there is no such check", m.Name())
		proven[m.Check] = true
	}
	for name := range names {
		assert.True(t, proven[name], "nothing shows that check %s can fail: it has no mutant", name)
	}
}

// Whatever else the suite does, it must find the faults that users of real plugins met.
func TestFaultsThatUsersReportedAreMutants(t *testing.T) {
	t.Parallel()
	reported := make(map[string]bool)
	for _, m := range allMutants() {
		if m.Reported != "" {
			assert.Regexp(t, `^[\w-]+(/[\w-]+)?#\d+$`, m.Reported, m.Name())
			reported[m.Reported] = true
		}
	}
	for _, where := range []string{
		"tt-xla#3451", "tt-xla#3458", "tt-xla#3849", "tt-xla#4236", "tt-xla#4594", "tt-xla#4970", "tt-xla#5059", "tt-xla#5622",
		"zml#748", "jax#27062", "jax#38004", "iree#19223", "iree#20907", "aws-neuron-sdk#1095",
	} {
		assert.True(t, reported[where], "no mutant has the fault of %s", where)
	}
}
