// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt

import "time"

// IsShort reports whether the last executions, which no context could end, took so little
// time that the next one runs and is awaited in one crossing into C if nothing else is
// under way.
func IsShort(e *LoadedExecutable) bool { return e.executions.short.certain() }

// YieldsDue returns the method due of the yields of an executable that has made no execution.
func YieldsDue() func(at time.Duration) bool { return new(yields).due }

// YieldLongAgo makes the next execution yield, by saying that the last one to do so ran long ago.
func YieldLongAgo(e *LoadedExecutable) { e.executions.yields.last.Store(-int64(time.Hour)) }

// Yielded reports whether an execution has yielded since YieldLongAgo.
func Yielded(e *LoadedExecutable) bool { return e.executions.yields.last.Load() > -int64(time.Hour) }

// Repeated returns how many executions were run as the one before was, in one crossing. No
// execution may be under way.
func Repeated(e *LoadedExecutable) int {
	if r := e.executions.repeated.Load(); r != nil {
		return r.uses
	}
	return 0
}
