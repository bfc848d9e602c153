// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package standin_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/purepjrt/purepjrt/pjrt/internal/standin"
)

func TestContentsDoNotWaitForThemselves(t *testing.T) {
	a, b, c := standin.New(), standin.New(), standin.New()
	assert.True(t, standin.Any())
	ofA, ofB, ofC := &standin.Set{a}, &standin.Set{b}, &standin.Set{c}

	assert.False(t, a.Fulfill(standin.Union(ofA, ofB)), "through one of two arguments")
	assert.True(t, a.In(ofA))
	assert.False(t, a.In(ofB))
	assert.False(t, a.In(nil))
	assert.True(t, a.Fulfill(ofB))
	assert.True(t, b.Fulfill(ofC))
	assert.False(t, c.Fulfill(ofA), "through two other stand-ins")
	assert.False(t, c.Fulfill(standin.Union(nil, ofA)))
	assert.Equal(t, &standin.Set{c}, standin.Union(ofA, nil, ofC), "the other two have contents that wait for c only")

	c.Fail()
	assert.Nil(t, standin.Union(ofA, ofB, ofC), "nothing waits any more")
	assert.False(t, standin.Any())
	c.Fail()
	assert.False(t, standin.Any(), "failing twice counts once")
}

func TestAStandInWithContentsFromTheHostWaitsForNothing(t *testing.T) {
	a := standin.New()
	assert.True(t, a.Fulfill(nil))
	assert.Nil(t, standin.Union(&standin.Set{a}))
	assert.False(t, standin.Any())
}
