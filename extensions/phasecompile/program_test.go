// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package phasecompile

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/encoding/protowire"
)

func TestProgramsSurviveTheirEncoding(t *testing.T) {
	for name, p := range map[string]Program{
		"empty": {},
		"full": {
			Code: []byte("module {}\x00"), Format: "mlir", Name: "f", Producer: "phase1",
			Consumers: []string{"phase2", "", "phase3"}, Version: "1.0",
		},
	} {
		got, err := unmarshal(p.marshal())
		require.NoError(t, err, name)
		assert.Equal(t, p, got, name)
	}
}

func TestUnknownFieldsOfAProgramAreSkipped(t *testing.T) {
	b := protowire.AppendTag(nil, 7, protowire.VarintType)
	b = protowire.AppendVarint(b, 300)
	b = protowire.AppendTag(b, 8, protowire.BytesType)
	b = protowire.AppendString(b, "later")
	b = append(b, (&Program{Name: "f"}).marshal()...)
	got, err := unmarshal(b)
	require.NoError(t, err)
	assert.Equal(t, Program{Name: "f"}, got)
}

func TestDamagedProgramsAreErrors(t *testing.T) {
	whole := (&Program{Code: []byte("code"), Name: "f"}).marshal()
	for name, b := range map[string][]byte{
		"no tag":      {0x80},
		"no number":   {0x38},
		"cut off":     whole[:len(whole)-1],
		"field 0":     {0x00, 0x00},
		"wrong group": {0x3c},
	} {
		_, err := unmarshal(b)
		assert.Error(t, err, name)
	}
}
