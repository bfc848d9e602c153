// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package check

import (
	"errors"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/conformance/rules"
)

// Try calls the C function that A belongs to with struct_size set, and returns
// the args as the plugin left them, with the plugin's error. If args sets a field that
// is newer than the plugin, nothing is called. A check that then finds fault with the
// error does not fail but is skipped: the plugin was not asked.
func Try[A any](t *T, args A) (A, error) {
	c := &capi.Call[A]{Args: args}
	t.env.worked.tried(c.Function())
	err := c.Do(t.env.Table)
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

// Call is Try for a call that the plugin must be able to do: an error fails
// and ends the check. A plugin that is too old to have the function skips it,
// and so does UNIMPLEMENTED when the rule is optional.
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
	if errors.As(err, &e) && (e.Missing || t.rule.Severity == rules.Opt) {
		t.skipFor(err)
	}
}

// Optional is Call for what the check needs and does not judge: UNIMPLEMENTED
// skips it whatever the rule's severity.
func Optional[A any](t *T, args A) A {
	out, err := Try(t, args)
	if err == nil {
		return out
	}
	t.skipFor(err)
	t.Fatalf("%s: expected success, got %v", (&capi.Call[A]{}).Function().Name, err)
	panic("unreachable")
}

// DestroyedNull judges the error of a function that was to destroy null, which must succeed. A
// plugin that has no such objects, since the function which makes them is UNIMPLEMENTED as well,
// may say so; made is that function's error.
func (t *T) DestroyedNull(destroyed, made error) {
	if capi.CodeOf(made) == capi.ErrorCodeUnimplemented {
		t.skipFor(destroyed)
	}
	if destroyed != nil {
		t.Fatalf("destroying null: expected success, got %v", destroyed)
	}
}

// Raw sends args as they are, struct_size too, and returns them as the plugin
// left them. The error is freed.
func Raw[A any](t *T, args A) (A, error) {
	c := &capi.Call[A]{Args: args}
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

// Require ends the check, skipped, when the plugin has not the functions.
func (t *T) Require(functions ...*capi.Function) {
	for _, f := range functions {
		if err := t.env.Table.Lacks(f); err != nil {
			t.SkipAbsentf("%v", err)
		}
	}
}

// FunctionOf returns the descriptor of the function that A belongs to.
func FunctionOf[A any]() *capi.Function { return (&capi.Call[A]{}).Function() }
