// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package otel_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/otel"
)

// watched is what pjrt/docs/serving.md shows.
func watched(serve func() error) error {
	stop, err := otel.Start(nil) // with the global providers
	if err != nil {
		return err
	}
	defer stop()
	return serve()
}

func TestAServerIsWatchedUntilItEnds(t *testing.T) {
	require.NoError(t, watched(func() error {
		_, err := pjrt.Open("absent.so")
		require.Error(t, err)
		return nil
	}))
}
