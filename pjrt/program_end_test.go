// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/pjrt"
)

// Parsers read on until a NUL byte. What lies behind a program in memory may be anything, and an
// error there ends the process of XLA's plugin for CPUs of API 0.115.
func TestParsersSeeNothingBehindAProgram(t *testing.T) {
	t.Parallel()
	memory := []byte("nonsenseical")
	_, err := newClient(t).Compile(context.Background(), pjrt.Program{Code: memory[:8], Format: pjrt.FormatMLIR}, nil)
	require.ErrorContains(t, err, "nonsense")
	assert.NotContains(t, err.Error(), "nonsensei")
}
