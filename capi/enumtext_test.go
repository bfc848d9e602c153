// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package capi

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

type colour int32

// colours has two names for one value, as C allows.
var colours = EnumText[colour]{Type: "Colour", Values: []EnumValue[colour]{
	{Value: 0, Text: "RED", C: "LIB_Colour_RED", Go: "ColourRed"},
	{Value: 7, Text: "DarkBlue", C: "LIB_Colour_kDarkBlue", Go: "ColourDarkBlue"},
	{Value: 7, Text: "NAVY", C: "LIB_Colour_NAVY", Go: "ColourNavy"},
}}

func TestParseTakesEveryNameInAnyCase(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]colour{
		"RED": 0, "red": 0, "lib_colour_red": 0, "ColourRed": 0,
		"darkblue": 7, "LIB_Colour_kDarkBlue": 7, "navy": 7,
		"Colour(99)": 99, "colour(-3)": -3, "Colour(7)": 7,
	} {
		got, err := colours.Parse(s)
		require.NoError(t, err)
		assert.Equal(t, want, got, s)
	}
}

func TestParseListsTheKnownValues(t *testing.T) {
	t.Parallel()
	for _, s := range []string{"", "GREEN", "7", "Colour", "Colour()", "Colour(7", "Colour(7))", "Colour(x)", "Colour(07)", "Colour(99999999999)"} {
		_, err := colours.Parse(s)
		assert.ErrorContains(t, err, "is not a known Colour: use one of RED, DarkBlue, NAVY", s)
	}
}

func TestAValueHasOneText(t *testing.T) {
	t.Parallel()
	assert.Equal(t, "DarkBlue", colours.String(7))
	assert.Equal(t, "Colour(-1)", colours.String(-1))
	assert.Equal(t, []colour{0, 7}, colours.All())
}
