// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package check

import (
	"errors"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/conformance/rules"
)

// Try calls the C function that A belongs to with struct_size set, and returns the args as the
// plugin left them, with the plugin's error. If args sets a field that is newer than the plugin,
// Try makes no call. A check that then reports the error as a failure is skipped instead, since
// the plugin was not asked.
func Try[A any](t *T, args A) (A, error) {
	c := &capi.Call[A]{Args: args}
	leave, err := t.enter(c.Function())
	if err != nil {
		return args, err
	}
	defer leave()
	t.env.worked.tried(c.Function())
	err = c.Do(t.env.Table)
	var e *capi.Error
	if errors.As(err, &e) && e.Missing && t.env.Table.Has(c.Function()) {
		err = &newerField{e}
	}
	if err == nil {
		t.env.worked.add(c.Function())
	}
	return c.Args, err
}

// newerField is the error of a call that was not made, because it sets a field that the
// plugin does not know.
type newerField struct{ err *capi.Error }

func (f *newerField) Error() string { return f.err.Error() }

func (f *newerField) Unwrap() error { return f.err }

// asked reports whether none of the values is the error of a call that was not made.
// Otherwise it notes why the check cannot be judged.
func (t *T) asked(values ...any) bool {
	for _, v := range values {
		err, _ := v.(error)
		if h := (*hangError)(nil); errors.As(err, &h) {
			return false // the check is blocked already
		}
		var f *newerField
		if errors.As(err, &f) {
			t.mu.Lock()
			t.newer = f.Error()
			t.mu.Unlock()
			return false
		}
	}
	return true
}

// Call is like Try for a call that the plugin must support: an error fails and ends the check.
// If the plugin is too old to have the function, the check is skipped. So it is if the error is
// UNIMPLEMENTED, unless the rule is about that function and binding without it.
func Call[A any](t *T, args A) A {
	out, err := Try(t, args)
	if err == nil {
		return out
	}
	t.skipAbsent(err)
	t.Fatalf("%s: expected success, got %v", (&capi.Call[A]{}).Function().Name, err)
	panic("unreachable")
}

// skipAbsent ends the check if err says that the plugin lacks something that it may lack.
func (t *T) skipAbsent(err error) {
	var e *capi.Error
	if errors.As(err, &e) && (e.Missing || t.rule.Severity == rules.Opt || t.rule.Severity == rules.Robust || !t.rule.About(e.Func)) {
		t.SkipFor(err)
	}
}

// Optional is like Call for what the check needs but does not judge: UNIMPLEMENTED skips the
// check whatever the rule's severity.
func Optional[A any](t *T, args A) A {
	out, err := Try(t, args)
	if err == nil {
		return out
	}
	t.SkipFor(err)
	t.Fatalf("%s: expected success, got %v", (&capi.Call[A]{}).Function().Name, err)
	panic("unreachable")
}

// DestroyedNull judges the error of a call that destroys null, which must succeed. A plugin that
// has no such objects may return UNIMPLEMENTED if the function that makes them does too; made is
// that function's error.
func (t *T) DestroyedNull(destroyed, made error) {
	if capi.CodeOf(made) == capi.ErrorCodeUnimplemented {
		t.SkipFor(destroyed)
	}
	if destroyed != nil {
		t.Fatalf("destroying null: expected success, got %v", destroyed)
	}
}

// RawError sends the arguments of a call as they are, including struct_size, and returns the
// plugin's error, which the caller destroys. err says that the call was not made.
func RawError[A any](t *T, c *capi.Call[A]) (h *capi.ErrorHandle, err error) {
	leave, err := t.enter(c.Function())
	if err != nil {
		return nil, err
	}
	defer leave()
	return c.Raw(t.env.Table)
}

// Raw sends args as they are, including struct_size, and returns them as the plugin left them.
// The plugin's error is freed.
func Raw[A any](t *T, args A) (A, error) {
	c := &capi.Call[A]{Args: args}
	leave, err := t.enter(c.Function())
	if err != nil {
		return args, err
	}
	defer leave()
	t.env.worked.tried(c.Function())
	handle, err := c.Raw(t.env.Table)
	if err == nil && handle != nil {
		err = t.env.Table.TakeError(handle)
	}
	if err == nil {
		t.env.worked.add(c.Function())
	}
	return c.Args, err
}

// Require skips the check if the plugin lacks one of the functions.
func (t *T) Require(functions ...*capi.Function) {
	for _, f := range functions {
		if err := t.env.Table.Lacks(f); err != nil {
			t.SkipAbsentf("%v", err)
		}
	}
}

// Since skips the check if the plugin is older than what it is about, which came with an API
// minor.
func (t *T) Since(minor int, what string) {
	if t.Minor() < minor {
		t.SkipAbsentf("%s came with API 0.%d, but the plugin has 0.%d", what, minor, t.Minor())
	}
}

// FunctionOf returns the descriptor of the function that A belongs to.
func FunctionOf[A any]() *capi.Function { return (&capi.Call[A]{}).Function() }
