// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package stablehlo_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/pjrt/stablehlo"
)

func TestVersionOf(t *testing.T) {
	t.Parallel()
	artifact, err := os.ReadFile("../testdata/add-1.13.3.mlirbc")
	require.NoError(t, err)
	v, ok := stablehlo.VersionOf(artifact)
	assert.True(t, ok)
	assert.Equal(t, stablehlo.Version{1, 13, 3}, v)
	for name, c := range map[string]struct {
		code string
		want string
	}{
		"artifact":          {"ML\xefR\x0dStableHLO_v1.2.30\x00rest", "1.2.30"},
		"longer version":    {"ML\xefR\x02\x01StableHLO_v0.9.0\x00", "0.9.0"},
		"other producer":    {"ML\xefR\x0dMLIR20.0.0git\x00", ""},
		"no end":            {"ML\xefR\x0dStableHLO_v1.2.3", ""},
		"no version":        {"ML\xefR\x0dStableHLO_v\x00", ""},
		"two numbers":       {"ML\xefR\x0dStableHLO_v1.2\x00", ""},
		"four numbers":      {"ML\xefR\x0dStableHLO_v1.2.3.4\x00", ""},
		"sign":              {"ML\xefR\x0dStableHLO_v+1.2.3\x00", ""},
		"huge":              {"ML\xefR\x0dStableHLO_v1.2.99999999999999999999\x00", ""},
		"magic only":        {"ML\xefR", ""},
		"header cut off":    {"ML\xefR\x00abc", ""},
		"text of a program": {"module {} // StableHLO_v1.2.3", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			v, ok := stablehlo.VersionOf([]byte(c.code))
			assert.Equal(t, c.want != "", ok)
			if ok {
				assert.Equal(t, c.want, v.String())
			}
		})
	}
	assert.Negative(t, stablehlo.Version{1, 9, 3}.Compare(stablehlo.Version{1, 13, 0}))
	assert.Zero(t, stablehlo.Version{1, 9, 3}.Compare(stablehlo.Version{1, 9, 3}))
}

func TestVersions(t *testing.T) {
	t.Parallel()
	oldest := capi.Attribute{Name: "stablehlo_minimum_version", Value: []int64{0, 9, 0}}
	newest := capi.Attribute{Name: "stablehlo_current_version", Value: []int64{1, 13, 3}}
	from, to, ok := stablehlo.Versions([]capi.Attribute{{Name: "x"}, newest, oldest})
	assert.True(t, ok)
	assert.Equal(t, [2]stablehlo.Version{{0, 9, 0}, {1, 13, 3}}, [2]stablehlo.Version{from, to})
	for name, list := range map[string][]capi.Attribute{
		"nothing":       nil,
		"no oldest":     {newest},
		"no newest":     {oldest},
		"of other type": {oldest, {Name: newest.Name, Value: "1.13.3"}},
		"too short":     {oldest, {Name: newest.Name, Value: []int64{1, 13}}},
	} {
		from, to, ok := stablehlo.Versions(list)
		assert.False(t, ok, name)
		assert.Zero(t, [2]stablehlo.Version{from, to}, name)
	}
}

func FuzzVersionOf(f *testing.F) {
	f.Add([]byte("ML\xefR\x0dStableHLO_v1.2.30\x00rest"))
	f.Fuzz(func(t *testing.T, code []byte) {
		if v, ok := stablehlo.VersionOf(code); ok {
			assert.Contains(t, string(code), v.String())
		}
	})
}
