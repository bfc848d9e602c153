// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

//go:build cc

package xla

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/gen/facts"
	"github.com/purepjrt/purepjrt/gen/model"
)

// A header that is C upstream must be C here, and C++ as well; one that is not must not
// be C here, or the generator would not be tested on such headers.
func TestCompilerMeasuresTheFacts(t *testing.T) {
	t.Parallel()
	compilers := facts.FindCompilers(t.Context())
	require.NotNil(t, compilers, "no C and C++ compiler: set CC and CXX")
	docs, err := facts.Read("facts", versionMinor(t))
	require.NoError(t, err)
	for path, doc := range docs {
		t.Run(path, func(t *testing.T) {
			t.Parallel()
			text, err := json.Marshal(doc)
			require.NoError(t, err)
			var h model.Header
			require.NoError(t, json.Unmarshal(text, &h))
			s := facts.Subject{Facts: &h, Roots: []string{".", "stubs"}}
			if c, ok := doc["c11"].(bool); ok {
				s.C = &c
			}
			assert.NoError(t, compilers.Confirm(t.Context(), s))
		})
	}
}
