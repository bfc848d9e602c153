// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package shim

import (
	"fmt"
	"sync"
	"sync/atomic"
)

// The kinds of findings.
const (
	useAfterDestroy = "use after destroy"
	doubleDestroy   = "double destroy"
	unknownHandle   = "unknown handle"
	nullHandle      = "null handle"
	nullResult      = "null result" // the plugin's fault
	nullArguments   = "null arguments"
	wrongOwner      = "wrong owner"
	structSize      = "struct size"
	leak            = "leak"
	clientTooEarly  = "client destroyed too early"
	errorNotRead    = "error not read"
	hostMemory      = "host memory"
)

// reports writes findings. It limits the number of findings of the same kind in the same function.
type reports struct {
	out      *writer
	findings atomic.Int64

	mu   sync.Mutex
	seen map[string]int // guarded by mu
}

const maxSame = 20

func newReports(w *writer) *reports { return &reports{out: w, seen: make(map[string]int)} }

// add writes a finding about a function.
func (r *reports) add(kind, function, format string, a ...any) {
	r.findings.Add(1)
	r.mu.Lock()
	key := kind + "/" + function
	r.seen[key]++
	n := r.seen[key]
	r.mu.Unlock()
	if n > maxSame {
		return
	}
	text := fmt.Sprintf("pjrt validate: %s: %s\n", kind, fmt.Sprintf(format, a...))
	if n == maxSame {
		text += fmt.Sprintf("pjrt validate: %s in %s: further ones are only counted\n", kind, function)
	}
	r.out.write([]byte(text))
}

// note writes information that is not a finding.
func (r *reports) note(format string, a ...any) {
	r.out.write([]byte("pjrt validate: " + fmt.Sprintf(format, a...) + "\n"))
}

// finish writes the number of findings.
func (r *reports) finish(calls uint64) error {
	switch n := r.findings.Load(); n {
	case 0:
		r.note("%d calls, nothing found", calls)
	case 1:
		r.note("%d calls, 1 finding", calls)
	default:
		r.note("%d calls, %d findings", calls, n)
	}
	return r.out.finish()
}
