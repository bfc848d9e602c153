// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

//go:build aot

package profiler_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/extensions/profiler"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/plugins/plugintest"
)

func TestAheadOfTimeProfiles(t *testing.T) {
	plugin, err := pjrt.Open(plugintest.Path(t, "tpu"))
	require.NoError(t, err)
	require.True(t, profiler.Supported(plugin))
	data := record(t, plugin, func() {})
	assert.NotEmpty(t, data)
	assert.NotEqual(t, make([]byte, len(data)), data, "the profile is all zeros")
}
