// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package lifetime_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/internal/collecting"
	"github.com/purepjrt/purepjrt/pjrt/lifetime"
)

type object struct{ name string }

func TestRefDestroysItsObjectAfterTheLastCallAndChild(t *testing.T) {
	destroyed := make(chan string, 3)
	destroy := func(o *object) { destroyed <- o.name }
	parent := lifetime.New("lifetime test parent", &object{"parent"}, nil, destroy)
	child := lifetime.New("lifetime test child", &object{"child"}, parent, destroy)
	assert.Equal(t, 1, lifetime.Live()["lifetime test child"])
	require.NoError(t, parent.Close())
	_, err := parent.Acquire()
	require.ErrorIs(t, err, lifetime.ErrClosed)
	require.ErrorContains(t, err, "lifetime test parent is closed")
	got, err := child.Acquire()
	require.NoError(t, err)
	assert.Equal(t, "child", got.name)
	require.NoError(t, child.Close())
	assert.Empty(t, destroyed)
	child.Release()
	assert.Equal(t, "child", <-destroyed)
	assert.Equal(t, "parent", <-destroyed)
	require.NoError(t, child.Close())
	assert.NotContains(t, lifetime.Live(), "lifetime test child")
	assert.NotContains(t, lifetime.Live(), "lifetime test parent")
}

func TestRefThatIsForgottenDestroysItsObject(t *testing.T) {
	destroyed := make(chan string, 1)
	lifetime.New("lifetime test forgotten", &object{"forgotten"}, nil, func(o *object) { destroyed <- o.name })
	require.True(t, collecting.Until(func() bool { return len(destroyed) == 1 }))
}

func TestNilAndZeroRefsAreErrors(t *testing.T) {
	for _, r := range []*lifetime.Ref[object]{nil, {}} {
		require.NoError(t, r.Close())
		_, err := r.Acquire()
		require.Error(t, err)
	}
}

//go:noinline
func makeHere() *lifetime.Ref[object] {
	return lifetime.New("lifetime test leak", new(object), nil, func(*object) {})
}

func TestLeaksBeginWithTheCallerOfNew(t *testing.T) {
	was := lifetime.Track(true)
	r := makeHere()
	lifetime.Track(was)
	defer r.Close()
	for _, l := range lifetime.Leaks() {
		if l.Kind == "lifetime test leak" {
			first, _, _ := strings.Cut(l.Stack, "\n")
			assert.Contains(t, first, "makeHere")
			var report strings.Builder
			require.NoError(t, lifetime.WriteLeaks(&report))
			assert.Contains(t, report.String(), "1 × lifetime test leak, made at\n")
			return
		}
	}
	assert.Fail(t, "the leak is not among the leaks")
}
