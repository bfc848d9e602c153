// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

//go:build aot

package extensions_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/plugins/plugintest"
)

func TestAheadOfTimeTheTableInTheDocumentationIsRight(t *testing.T) {
	for column, plugin := range map[int]string{2: "tpu", 3: "cuda13"} {
		p, err := pjrt.Open(plugintest.Path(t, plugin))
		require.NoError(t, err)
		for name, row := range documented(t) {
			assert.Equal(t, packages[name].supported(p), row[column] == "yes", "%s: %s", plugin, name)
		}
	}
}
