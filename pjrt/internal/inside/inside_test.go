// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package inside_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/purepjrt/purepjrt/pjrt/internal/inside"
	"github.com/purepjrt/purepjrt/pjrt/internal/standin"
)

func begin(x *inside.Execution) *inside.Execution {
	if x.Context == nil {
		x.Context = context.Background()
	}
	inside.Begin(x)
	return x
}

type key struct{}

func TestCurrentIsTheExecutionOfTheContextUntilItIsOver(t *testing.T) {
	x := begin(&inside.Execution{Context: context.WithValue(context.Background(), key{}, "of the caller")})
	ctx, cancel := context.WithCancel(x.HandlerContext())
	defer cancel()
	assert.Same(t, x, inside.Current(ctx), "derived")
	assert.Equal(t, "of the caller", ctx.Value(key{}))
	assert.Nil(t, inside.Current(x.Context), "the caller's own")
	inside.Finish(x)
	assert.Nil(t, inside.Current(ctx), "over")
}

func TestAnExecutionThatAHandlerBeganBelongsToTheHandlersToo(t *testing.T) {
	outer := begin(&inside.Execution{Client: 1, Devices: []int{0, 1}})
	inner := begin(&inside.Execution{Client: 1, Devices: []int{1}, Context: outer.HandlerContext()})
	other := begin(&inside.Execution{Client: 2, Devices: []int{0}})
	inOuter, inInner := outer.HandlerContext(), inner.HandlerContext()
	assert.Same(t, inner, inside.Current(inInner))
	assert.Same(t, inner, inside.Awaited(inInner, inner.Waits))
	assert.Same(t, outer, inside.Awaited(inInner, outer.Waits))
	assert.Same(t, outer, inside.Awaited(inOuter, outer.Waits))
	assert.Nil(t, inside.Awaited(inOuter, inner.Waits))
	assert.Nil(t, inside.Awaited(inInner, other.Waits))
	assert.Nil(t, inside.Awaited(inInner, nil))
	assert.ElementsMatch(t, standin.Set{outer.End, inner.End}, *inside.Ends(1, []int{5, 1}))
	assert.Equal(t, standin.Set{outer.End}, *inside.Ends(1, []int{0}))
	assert.Nil(t, inside.Ends(1, []int{2}), "another device")
	assert.Nil(t, inside.Ends(3, []int{0}), "another client")
	inside.Finish(inner)
	assert.Same(t, outer, inside.Current(inInner))
	assert.Nil(t, inside.Awaited(inInner, inner.Waits), "over")
	inside.Finish(outer)
	inside.Finish(other)
	assert.Nil(t, inside.Current(inInner))
	assert.Nil(t, inside.Ends(1, []int{0, 1}))
	assert.False(t, standin.Any())
}

func TestFindTellsExecutionsApartByTheirNumbers(t *testing.T) {
	a, b := begin(&inside.Execution{}), begin(&inside.Execution{ID: 77})
	assert.Same(t, a, inside.Find(int64(a.ID)))
	assert.Same(t, b, inside.Find(77))
	c := begin(&inside.Execution{ID: 77})
	assert.Nil(t, inside.Find(77), "two have the number")
	inside.Finish(b)
	assert.Same(t, c, inside.Find(77))
	inside.Finish(c)
	inside.Finish(a)
	assert.Nil(t, inside.Find(77))
	assert.Nil(t, inside.Find(1<<40))
}
