// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package witness_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/purepjrt/purepjrt/gen/witness"
)

func TestWithoutACompilerThereIsNoWitness(t *testing.T) {
	t.Setenv("PATH", "")
	t.Setenv("CC", "")
	t.Setenv("CXX", "")
	assert.Nil(t, witness.Find(t.Context()))
}
