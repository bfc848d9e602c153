// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package abandon

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"go/token"
	"path"
	"runtime"
	"strings"
	"sync"

	"github.com/purepjrt/purepjrt/capi"
)

// Plugin is what a call waits for whose function of the plugin does not return.
const Plugin = "the plugin, whose function goes on"

// Ended is the error of a call whose context ended. It says which call, on what, and what it
// waited for.
type Ended struct {
	Call  string // such as pjrt.Buffer.ToHost; "" if it is unknown
	On    string // such as f32[2,3]; "" if there is nothing to say
	For   string // such as "its contents"; "" if nothing was waited for
	Cause error  // that of the context
}

// Error says which call ended, on what, and what it waited for.
func (e *Ended) Error() string {
	var s strings.Builder
	s.WriteString(e.Call)
	if e.Call != "" && e.On != "" {
		s.WriteString(" of ")
	}
	if s.WriteString(e.On); s.Len() > 0 {
		s.WriteString(": ")
	}
	s.WriteString(e.Cause.Error())
	if e.For != "" {
		s.WriteString(" while waiting for " + e.For)
	}
	return s.String()
}

// Unwrap returns the error of the context.
func (e *Ended) Unwrap() error { return e.Cause }

// Err is ctx.Err as an Ended, or nil if ctx has not ended. It belongs where a caller of this
// module stops waiting: it takes the name of the call from the stack. on may be nil; its String
// must not call a plugin.
func Err(ctx context.Context, on fmt.Stringer, waitsFor string) error {
	if err := ctx.Err(); err != nil {
		return ended(err, on, waitsFor)
	}
	return nil
}

// Name is text for the parameter on of Err and Call. A pointer to it converts without an
// allocation.
type Name string

// String returns the text.
func (n *Name) String() string { return string(*n) }

// Explain makes an Ended of an error that ctx has caused, and completes one that was made on a
// goroutine which did not know the call. It adds one to an error that came through the plugin. It
// leaves other errors as they are.
func Explain(ctx context.Context, err error, on fmt.Stringer) error {
	if err == nil {
		return nil
	}
	if e := first(err); e != nil && e.Call == "" {
		whole := ended(e.Cause, on, e.For)
		whole.On = cmp.Or(whole.On, e.On)
		return whole
	}
	var e *Ended
	if errors.As(err, &e) && e.Call == "" || err == ctx.Err() {
		return ended(err, on, "")
	}
	if cause := throughPlugin(ctx, err); cause != nil {
		return fmt.Errorf("%w: %w", ended(cause, on, ""), err)
	}
	return err
}

// throughPlugin returns the error of a context that has ended if err is what a plugin makes of it.
// A plugin learns of the end from what it calls, such as the handler of a custom call, and its
// error has only the code. Whether the plugin returns before the caller leaves is left to chance,
// so both errors must be ones for which callers test alike.
func throughPlugin(ctx context.Context, err error) error {
	code := capi.ErrorCodeCancelled
	cause := ctx.Err()
	if cause == context.DeadlineExceeded {
		code = capi.ErrorCodeDeadlineExceeded
	}
	if cause == nil || errors.Is(err, cause) || !errors.Is(err, code) {
		return nil
	}
	return cause
}

// first returns err if it is an Ended, the first of joined errors that are all one, and nil
// otherwise.
func first(err error) *Ended {
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok {
		e, _ := err.(*Ended)
		return e
	}
	var found *Ended
	for _, err := range joined.Unwrap() {
		e, ok := err.(*Ended)
		if !ok {
			return nil
		}
		found = cmp.Or(found, e)
	}
	return found
}

func ended(cause error, on fmt.Stringer, waitsFor string) *Ended {
	e := &Ended{Call: publicCall(), For: waitsFor, Cause: cause}
	if on != nil {
		e.On = on.String()
	}
	return e
}

// root returns the import path of the module.
var root = sync.OnceValue(func() string {
	pc, _, _, _ := runtime.Caller(0)
	return strings.Split(runtime.FuncForPC(pc).Name(), "/pjrt/internal/")[0]
})

// publicCall returns the name of the exported function through which the program has entered
// this module, without pointers and type parameters. It returns "" on a goroutine of the module,
// which does not know.
func publicCall() string {
	pcs := make([]uintptr, 64)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs)])
	name := ""
	for more := true; more; {
		var f runtime.Frame
		f, more = frames.Next()
		ours := strings.HasPrefix(f.Function, root()+"/pjrt") || strings.HasPrefix(f.Function, root()+"/extensions")
		if !ours || strings.HasSuffix(f.File, "_test.go") {
			break
		}
		name = exported(f.Function)
	}
	return name
}

// exported turns the runtime's name of a function, such as a/b/pjrt.(*Buffer).ToHost or
// a/b/pjrt.ToSlice[...], into pjrt.Buffer.ToHost or pjrt.ToSlice. It returns "" for functions
// that other packages cannot call.
func exported(function string) string {
	parts := strings.Split(strings.NewReplacer("(*", "", ")", "", "[...]", "").Replace(path.Base(function)), ".")
	for _, p := range parts[1:] {
		if !token.IsExported(p) {
			return ""
		}
	}
	return strings.Join(parts, ".")
}
