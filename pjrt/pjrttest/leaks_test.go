// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrttest_test

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/purepjrt/purepjrt/pjrt/lifetime"
	"github.com/purepjrt/purepjrt/pjrt/pjrttest"
)

// recorder is a testing.TB that records failures instead of failing.
type recorder struct {
	testing.TB
	cleanups []func()
	failure  string
}

func (r *recorder) Helper()                           {}
func (r *recorder) Cleanup(f func())                  { r.cleanups = append(r.cleanups, f) }
func (r *recorder) Errorf(format string, args ...any) { r.failure = fmt.Sprintf(format, args...) }

func (r *recorder) finish() string {
	for i := len(r.cleanups) - 1; i >= 0; i-- {
		r.cleanups[i]()
	}
	return r.failure
}

type object struct{ _ int }

func TestNoLeaksNamesTheObjectsThatAreLeft(t *testing.T) {
	r := &recorder{TB: t}
	pjrttest.NoLeaks(r)
	leaked := lifetime.New("leaked thing", new(object), nil, func(*object) {})
	failure := r.finish()
	assert.Contains(t, failure, `1 more of kind "leaked thing"`)
	assert.Contains(t, failure, "TestNoLeaksNamesTheObjectsThatAreLeft", "the place that made it")
	leaked.Close()
}

func TestNoLeaksAcceptsClosedAndForgottenObjects(t *testing.T) {
	r := &recorder{TB: t}
	pjrttest.NoLeaks(r)
	lifetime.New("closed thing", new(object), nil, func(*object) {}).Close()
	func() { lifetime.New("forgotten thing", new(object), nil, func(*object) {}) }()
	runtime.GC()
	assert.Empty(t, r.finish())
}
