// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package numeric

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// The authors of the generators publish these answers.
func TestGeneratorsGiveThePublishedVectors(t *testing.T) {
	t.Parallel()
	ones := ^uint32(0)
	assert.Equal(t, [2]uint32{0x6b200159, 0x99ba4efe}, threefry([2]uint32{}, [2]uint32{}))
	assert.Equal(t, [2]uint32{0x1cb996fc, 0xbb002be7}, threefry([2]uint32{ones, ones}, [2]uint32{ones, ones}))
	assert.Equal(t, [4]uint32{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}, philox([2]uint32{}, [4]uint32{}))
	assert.Equal(t, [4]uint32{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd},
		philox([2]uint32{ones, ones}, [4]uint32{ones, ones, ones, ones}))
}
