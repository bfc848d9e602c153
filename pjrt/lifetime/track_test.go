// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package lifetime_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/pjrt/lifetime"
)

//go:noinline
func makeHere(kind string) *lifetime.Ref[object] {
	return lifetime.New(kind, new(object), nil, destroy)
}

func leaksOf(kind string) []lifetime.Leak {
	var list []lifetime.Leak
	for _, l := range lifetime.Leaks() {
		if l.Kind == kind {
			list = append(list, l)
		}
	}
	return list
}

func TestTrackedObjectsTellWhoMadeThem(t *testing.T) {
	was := lifetime.Track(true)
	defer lifetime.Track(was)
	var refs []*lifetime.Ref[object]
	for range 3 {
		refs = append(refs, makeHere("tracked"))
	}
	refs = append(refs, makeHere("tracked")) // another place
	lifetime.Track(false)
	untracked := makeHere("tracked")
	defer untracked.Close()

	leaks := leaksOf("tracked")
	require.Len(t, leaks, 2)
	assert.Equal(t, []int{3, 1}, []int{leaks[0].Count, leaks[1].Count})
	first, _, _ := strings.Cut(leaks[0].Stack, "\n")
	assert.Contains(t, first, "makeHere")
	assert.Contains(t, leaks[0].Stack, "TestTrackedObjectsTellWhoMadeThem")
	assert.Contains(t, leaks[0].Stack, "track_test.go:")
	var report strings.Builder
	require.NoError(t, lifetime.WriteLeaks(&report))
	assert.Contains(t, report.String(), "3 × tracked, made at\n")

	for _, r := range refs {
		r.Close()
	}
	assert.Empty(t, leaksOf("tracked"))
}

// The memory of a member serves the next one, whether or not objects are tracked then.
func TestMembersOfAFamilyAreTrackedOneByOne(t *testing.T) {
	family := newFamily(t, lifetime.New(t.Name()+"p", new(object), nil, destroy))
	was := lifetime.Track(true)
	defer lifetime.Track(was)
	for _, track := range []bool{true, false, true, true} {
		lifetime.Track(track)
		var r lifetime.Ref[object]
		family.Init(&r, new(object))
		want := 0
		if track {
			want = 1
		}
		assert.Len(t, leaksOf(t.Name()), want)
		require.NoError(t, r.Close())
		assert.Empty(t, leaksOf(t.Name()))
	}
}
