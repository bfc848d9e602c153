// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package check

import (
	"errors"
	"maps"
	"regexp"
	"slices"
	"sync"

	"github.com/purepjrt/purepjrt/capi"
)

// ends records the functions whose errors made a check fail. If a function never works in any
// check, the checks that fail only for that are blocked.
type ends struct {
	at    map[string]bool // C names of functions
	other bool            // there was a failure without such an error
}

// lacking matches an error that says that the plugin does not offer a function. The failures
// of a check's child arrive as text.
var lacking = regexp.MustCompile(`\b(PJRT_\w+): UNIMPLEMENTED\b`)

// add notes a failure with its arguments.
func (e *ends) add(text string, args []any) {
	function := ""
	for _, a := range args {
		err, _ := a.(error)
		var x *capi.Error
		if errors.As(err, &x) && x.Func != "" {
			function = x.Func
			break
		}
	}
	if m := lacking.FindStringSubmatch(text); function == "" && m != nil {
		function = m[1]
	}
	if function == "" {
		e.other = true
		return
	}
	if e.at == nil {
		e.at = make(map[string]bool)
	}
	e.at[function] = true
}

// list returns the functions if there were no other failures.
func (e *ends) list() []string {
	if e.other || len(e.at) == 0 {
		return nil
	}
	return slices.Sorted(maps.Keys(e.at))
}

// working records the functions that succeeded in this process.
type working struct {
	mu       sync.Mutex
	all      map[string]bool
	list     []string // not reported yet
	compiles int      // not reported yet
}

func (w *working) add(f *capi.Function) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.all[f.Name] {
		return
	}
	if w.all == nil {
		w.all = make(map[string]bool)
	}
	w.all[f.Name] = true
	w.list = append(w.list, f.Name)
}

// tried counts f if it compiles a program.
func (w *working) tried(f *capi.Function) {
	if f.Name == "PJRT_Client_Compile" || f.Name == "PJRT_Compile" {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.compiles++
	}
}

// take returns what was not reported yet: functions, and how many programs were given to a
// compiler.
func (w *working) take() (functions []string, compiles int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	functions, compiles = w.list, w.compiles
	w.list, w.compiles = nil, 0
	return functions, compiles
}
