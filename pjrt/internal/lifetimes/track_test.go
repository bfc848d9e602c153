// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package lifetimes_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/pjrt/internal/lifetimes"
)

//go:noinline
func makeHere(kind string) *lifetimes.Ref[object] {
	return lifetimes.New(kind, new(object), nil, destroy)
}

func leaksOf(kind string) []lifetimes.Leak {
	var list []lifetimes.Leak
	for _, l := range lifetimes.Leaks() {
		if l.Kind == kind {
			list = append(list, l)
		}
	}
	return list
}

func TestTrackedObjectsTellWhoMadeThem(t *testing.T) {
	was := lifetimes.Track(true)
	defer lifetimes.Track(was)
	var refs []*lifetimes.Ref[object]
	for range 3 {
		refs = append(refs, makeHere("tracked"))
	}
	refs = append(refs, makeHere("tracked")) // another place
	lifetimes.Track(false)
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
	require.NoError(t, lifetimes.WriteLeaks(&report))
	assert.Contains(t, report.String(), "3 × tracked, made at\n")

	for _, r := range refs {
		r.Close()
	}
	assert.Empty(t, leaksOf("tracked"))
}

// The memory of a member serves the next one, whether or not objects are tracked then.
func TestMembersOfAFamilyAreTrackedOneByOne(t *testing.T) {
	family := newFamily(t, lifetimes.New(t.Name()+"p", new(object), nil, destroy))
	was := lifetimes.Track(true)
	defer lifetimes.Track(was)
	for _, track := range []bool{true, false, true, true} {
		lifetimes.Track(track)
		var r lifetimes.Ref[object]
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
