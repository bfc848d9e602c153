// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package conformance

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/pjrt/plugins/plugintest"
)

func TestX(t *testing.T) {
	r, err := Run(t.Context(), Options{Plugin: plugintest.Path(t, "cpu"), suite: "fake"})
	require.NoError(t, err)
	require.NoError(t, r.WriteText(os.Stdout, true))
	r.WriteJSON(os.Stdout)
}
