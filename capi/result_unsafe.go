// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package capi

import (
	"fmt"
	"math"
	"unsafe"
)

// Checked returns a table of the same plugin whose calls also check results. If a function reports
// success but leaves a handle null, returns a list with null handles, a null pointer to one or more
// values, or more values than can fit in memory, then Call.Do returns an error with the code
// ErrorCodeInternal, which says which field is wrong. Without Checked such a call succeeds, and the
// program crashes where it uses the result.
//
// Anything else that the plugin made in the call is not freed.
func (t *Table) Checked() *Table {
	if t == nil || t.checked {
		return t
	}
	c := *t
	c.checked = true
	return &c
}

// Misbehaved returns the error for a plugin that broke the contract of f. The format continues the
// sentence that "the plugin" begins.
func (f *Function) Misbehaved(format string, args ...any) error {
	return &Error{Code: ErrorCodeInternal, Func: f.Name, Message: "the plugin " + fmt.Sprintf(format, args...)}
}

// CheckResults returns the error that a call of f through a Checked table would return for the
// results in args, of size bytes, after f succeeded. It does not look at results that are not
// within size.
func (f *Function) CheckResults(args unsafe.Pointer, size uintptr) error {
	for i := range f.Results {
		r := &f.Results[i]
		if max(r.Offset+unsafe.Sizeof(uintptr(0)), r.Count.Offset+r.Count.Size) > size {
			return nil
		}
	}
	return checkResults(f, args)
}

const (
	maxBytes = 1 << 40 // of a text; more than the memory of any machine
	maxList  = 1 << 28 // of values that are larger than a byte
)

// plausible reports whether n values of the given size can fit in memory.
func plausible(n, size uintptr) bool {
	return n <= maxList || size <= 1 && n <= maxBytes
}

// checkResults returns an error if f succeeded but its results cannot be used.
func checkResults(f *Function, args unsafe.Pointer) error {
	for i := range f.Results {
		r := &f.Results[i]
		p := *(*unsafe.Pointer)(unsafe.Add(args, r.Offset))
		if r.Count.Size == 0 {
			if p == nil {
				return f.Misbehaved("reported success but left the result %s null", r.Name)
			}
			continue
		}
		n := count(unsafe.Add(args, r.Count.Offset), r.Count.Size)
		switch {
		case !plausible(n, r.Elem):
			return f.Misbehaved("reported success and %d values in the result %s, more than memory can hold", n, r.Name)
		case p == nil && n > 0:
			return f.Misbehaved("reported success and %d values in the result %s, but left it null", n, r.Name)
		}
		if err := r.checkValues(f, args, p, n); err != nil {
			return err
		}
	}
	return nil
}

// checkValues checks the n values at p.
func (r *Result) checkValues(f *Function, args, p unsafe.Pointer, n uintptr) error {
	if n == 0 || !r.Handles && r.Sizes == 0 {
		return nil
	}
	var sizes []uintptr
	if r.Sizes != 0 {
		s := *(**uintptr)(unsafe.Add(args, r.Sizes))
		if s == nil {
			return f.Misbehaved("reported success and %d texts in the result %s, but no list of their lengths", n, r.Name)
		}
		sizes = unsafe.Slice(s, n)
	}
	for i, value := range unsafe.Slice((*unsafe.Pointer)(p), n) {
		switch {
		case sizes == nil && value == nil:
			return f.Misbehaved("reported success but left element %d of the %d in the result %s null", i, n, r.Name)
		case sizes != nil && !plausible(sizes[i], 1):
			return f.Misbehaved("reported success and a text of %d bytes in the result %s, more than memory can hold", sizes[i], r.Name)
		case sizes != nil && value == nil && sizes[i] > 0:
			return f.Misbehaved("reported success and a text of %d bytes in the result %s, but left it null", sizes[i], r.Name)
		}
	}
	return nil
}

// count returns the number of size bytes at p. It is huge for a negative number.
func count(p unsafe.Pointer, size uintptr) uintptr {
	switch size {
	case 8:
		return *(*uintptr)(p)
	case 4:
		if n := *(*int32)(p); n >= 0 {
			return uintptr(n)
		}
	}
	return math.MaxUint
}
