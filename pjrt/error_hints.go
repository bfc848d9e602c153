// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt

import (
	"errors"
	"strings"
	"sync"
)

// A hint returns what to do about the error of a program that did not compile or load, or "" if
// it does not know. Packages above this one know more than the plugin says: see raw.OnCompileError.
type hint func(*Error) string

var hints struct {
	sync.RWMutex
	list []hint // guarded by the mutex
}

func addHint(h hint) {
	hints.Lock()
	defer hints.Unlock()
	hints.list = append(hints.list, h)
}

// advised returns e with advice behind its message.
func advised(e *Error, advice string) error {
	more := *e
	more.Message = strings.TrimRight(e.Message, ".\n") + ": " + advice
	return &more
}

// withHint adds the first hint that there is to the error of a program that did not compile or
// load.
func withHint(err error) error {
	e := (*Error)(nil)
	if !errors.As(err, &e) {
		return err
	}
	hints.RLock()
	defer hints.RUnlock()
	for _, h := range hints.list {
		if what := h(e); what != "" {
			hinted := *e
			hinted.Message += ": " + what
			return &hinted
		}
	}
	return err
}
