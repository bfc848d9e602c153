// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

//go:build !linux && !darwin

package pluginlog

import (
	"errors"
	"log/slog"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestThereIsNothingToCapture(t *testing.T) {
	_, err := Capture(slog.Default())
	require.ErrorIs(t, err, errors.ErrUnsupported)
}
