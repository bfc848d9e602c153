// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package client

import (
	"fmt"
	"slices"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/conformance/internal/check"
)

// What functions say about objects obeys the same rules, whatever they say: texts are not empty,
// stay where they are, and have memory of their own; what tells objects apart differs. The rules
// of each group name these functions in rows, and the rules are here.

// textGetter is a function that returns a text about an object.
type textGetter[H any] struct {
	name string
	of   func(t *check.T, h *H) text
}

// objects are those of one kind.
type objects[H any] struct {
	one, many string
	all       func(t *check.T) []*H
}

var (
	allDescriptions = objects[capi.DeviceDescription]{"device", "devices", descriptions}
	kindText        = textGetter[capi.DeviceDescription]{"PJRT_DeviceDescription_Kind", kind}
	debugText       = textGetter[capi.DeviceDescription]{"PJRT_DeviceDescription_DebugString", debugString}
	shortText       = textGetter[capi.DeviceDescription]{"PJRT_DeviceDescription_ToString", toString}

	allMemories = objects[capi.Memory]{"memory", "memories", func(t *check.T) []*capi.Memory { return memories(t, t.Client()) }}
	memoryTexts = []textGetter[capi.Memory]{
		{"PJRT_Memory_Kind", memoryKind}, {"PJRT_Memory_ToString", memoryToString}, {"PJRT_Memory_DebugString", memoryDebugString},
	}
)

// stay returns a check: each text is stable, see stableText.
func (o objects[H]) stay(getters ...textGetter[H]) func(t *check.T) {
	return func(t *check.T) {
		for i, h := range o.all(t) {
			for _, g := range getters {
				stableText(t, fmt.Sprintf("%s of %s %d", g.name, o.one, i), func() text { return g.of(t, h) }, func() { churn(t) })
			}
		}
	}
}

// ownMemory returns a check: a text about one object stays as it is when those about others are
// read.
func (o objects[H]) ownMemory(getters ...textGetter[H]) func(t *check.T) {
	return func(t *check.T) {
		list := o.all(t)
		if len(list) < 2 {
			t.SkipEnvf("there is one %s, so there are no other texts", o.one)
		}
		for _, g := range getters {
			var kept check.Kept
			for i, h := range list {
				s := g.of(t, h)
				kept.Add(s.p, s.n, fmt.Sprintf("%s of %s %d", g.name, o.one, i))
			}
			kept.Expect(t)
		}
	}
}

// tellApart returns a check: there is a text about each object, and no two are the same.
func (o objects[H]) tellApart(g textGetter[H]) func(t *check.T) {
	return func(t *check.T) {
		seen := make(firstOf[string])
		for i, h := range o.all(t) {
			s := g.of(t, h).String()
			if s == "" {
				t.Errorf("%s of %s %d: expected a text, got none", g.name, o.one, i)
			}
			if first, again := seen.add(s, i); again {
				t.Errorf("%s: %s %d and %d both have %q", g.name, o.many, first, i, s)
			}
		}
	}
}

// firstOf maps what objects have to the first object that has it.
type firstOf[V comparable] map[V]int

// add notes what object i has, and returns the last one that has the same, if any.
func (f firstOf[V]) add(v V, i int) (first int, again bool) {
	first, again = f[v]
	f[v] = i
	return first, again
}

// stableList reads a list twice, which must be in the same place and have the same elements.
func stableList[E comparable](t *check.T, what, elements string, read func() (*E, uintptr)) []E {
	p, n := read()
	list := capi.Slice(p, n)
	again, m := read()
	check.Equal(t, p, again, "the array of %s when it is asked for again", what)
	if !slices.Equal(list, capi.Slice(again, m)) {
		t.Errorf("%s: expected the same %s again", what, elements)
	}
	return list
}
