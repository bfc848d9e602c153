// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package facts_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/purepjrt/purepjrt/gen/facts"
)

func TestWithoutACompilerThereIsNoWitness(t *testing.T) {
	t.Setenv("PATH", "")
	t.Setenv("CC", "")
	t.Setenv("CXX", "")
	assert.Nil(t, facts.FindCompilers(t.Context()))
}
