// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package inside

import (
	"errors"
	"iter"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
)

// A goroutine has no storage of its own where Run could note its handler. So Run leaves the
// number of a slot on the stack: it calls the handler through three of sixteen functions,
// one for each hexadecimal digit, and ofStack finds them there. That costs a handler
// nothing, and only a caller that is about to wait while handlers run looks at its stack.

const (
	digits   = 3
	maxSlots = 1 << (4 * digits)
)

var (
	running atomic.Int64
	slots   [maxSlots]atomic.Pointer[Execution]
	free    struct {
		sync.Mutex
		list []int // guarded by the mutex; slots that were used before
		next int   // guarded by the mutex; the first slot that was not
	}
)

// ErrTooMany says that too many handlers run at the same time.
var ErrTooMany = errors.New("4096 handlers are running at the same time")

// Run calls fn, the handler of a custom call of x.
func Run(x *Execution, fn func() error) error {
	free.Lock()
	var slot int
	if n := len(free.list); n > 0 {
		slot, free.list = free.list[n-1], free.list[:n-1]
	} else if slot = free.next; slot == maxSlots {
		free.Unlock()
		return ErrTooMany
	} else {
		free.next++
	}
	free.Unlock()
	slots[slot].Store(x)
	running.Add(1)
	defer func() {
		running.Add(-1)
		slots[slot].Store(nil)
		free.Lock()
		free.list = append(free.list, slot)
		free.Unlock()
	}()
	return enter(slot, digits, fn)
}

// enter calls fn through the functions of the slot's last n digits.
//
//go:noinline
func enter(slot, n int, fn func() error) error {
	if n == 0 {
		return fn()
	}
	switch slot >> (4 * (n - 1)) & 15 {
	case 0:
		return digit0(slot, n-1, fn)
	case 1:
		return digit1(slot, n-1, fn)
	case 2:
		return digit2(slot, n-1, fn)
	case 3:
		return digit3(slot, n-1, fn)
	case 4:
		return digit4(slot, n-1, fn)
	case 5:
		return digit5(slot, n-1, fn)
	case 6:
		return digit6(slot, n-1, fn)
	case 7:
		return digit7(slot, n-1, fn)
	case 8:
		return digit8(slot, n-1, fn)
	case 9:
		return digit9(slot, n-1, fn)
	case 10:
		return digit10(slot, n-1, fn)
	case 11:
		return digit11(slot, n-1, fn)
	case 12:
		return digit12(slot, n-1, fn)
	case 13:
		return digit13(slot, n-1, fn)
	case 14:
		return digit14(slot, n-1, fn)
	}
	return digit15(slot, n-1, fn)
}

//go:noinline
func digit0(slot, n int, fn func() error) error { return enter(slot, n, fn) }

//go:noinline
func digit1(slot, n int, fn func() error) error { return enter(slot, n, fn) }

//go:noinline
func digit2(slot, n int, fn func() error) error { return enter(slot, n, fn) }

//go:noinline
func digit3(slot, n int, fn func() error) error { return enter(slot, n, fn) }

//go:noinline
func digit4(slot, n int, fn func() error) error { return enter(slot, n, fn) }

//go:noinline
func digit5(slot, n int, fn func() error) error { return enter(slot, n, fn) }

//go:noinline
func digit6(slot, n int, fn func() error) error { return enter(slot, n, fn) }

//go:noinline
func digit7(slot, n int, fn func() error) error { return enter(slot, n, fn) }

//go:noinline
func digit8(slot, n int, fn func() error) error { return enter(slot, n, fn) }

//go:noinline
func digit9(slot, n int, fn func() error) error { return enter(slot, n, fn) }

//go:noinline
func digit10(slot, n int, fn func() error) error { return enter(slot, n, fn) }

//go:noinline
func digit11(slot, n int, fn func() error) error { return enter(slot, n, fn) }

//go:noinline
func digit12(slot, n int, fn func() error) error { return enter(slot, n, fn) }

//go:noinline
func digit13(slot, n int, fn func() error) error { return enter(slot, n, fn) }

//go:noinline
func digit14(slot, n int, fn func() error) error { return enter(slot, n, fn) }

//go:noinline
func digit15(slot, n int, fn func() error) error { return enter(slot, n, fn) }

// digitOf maps the names of these functions to the digits that they stand for.
var digitOf = sync.OnceValue(func() map[string]int {
	m := make(map[string]int)
	for i, fn := range []func(int, int, func() error) error{
		digit0, digit1, digit2, digit3, digit4, digit5, digit6, digit7, digit8, digit9, digit10, digit11, digit12, digit13, digit14, digit15,
	} {
		m[runtime.FuncForPC(reflect.ValueOf(fn).Pointer()).Name()] = i
	}
	return m
})

// inCall is a part of the name of the function that calls the plugin to execute.
const inCall = "/pjrt.(*launch).invoke"

// ofStack returns the executions of the handlers on the stack, the innermost first, and
// whether each runs in this goroutine, within the call to the plugin.
func ofStack() iter.Seq2[*Execution, bool] {
	return func(yield func(*Execution, bool) bool) {
		names := digitOf()
		slot, found := 0, 0
		var x *Execution
		pcs := make([]uintptr, 64)
		for skip := 2; ; skip += len(pcs) {
			n := runtime.Callers(skip, pcs)
			frames := runtime.CallersFrames(pcs[:n])
			for n > 0 {
				frame, more := frames.Next()
				// The last digit is the innermost.
				if d, ok := names[frame.Function]; ok {
					if x != nil && !yield(x, false) {
						return
					}
					x = nil
					slot |= d << (4 * found)
					if found++; found == digits {
						x = slots[slot].Load()
						slot, found = 0, 0
					}
				} else if x != nil && strings.HasSuffix(frame.Function, inCall) {
					if !yield(x, true) {
						return
					}
					x = nil
				}
				if !more {
					break
				}
			}
			if n < len(pcs) {
				if x != nil {
					yield(x, false)
				}
				return
			}
		}
	}
}
