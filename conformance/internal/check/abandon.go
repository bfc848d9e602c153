// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package check

import "runtime"

// Stuck fails and ends the check because a call does not return or a callback does not
// run. The check's objects are abandoned.
func (t *T) Stuck(format string, args ...any) {
	t.Errorf(format, args...)
	t.Abandon()
	runtime.Goexit()
}

// Abandon gives up the objects of the check, and the client that checks share, because a
// call that uses them does not return: destroying them would end the process. The next
// check gets a new client.
func (t *T) Abandon() {
	t.mu.Lock()
	t.owned = nil
	t.mu.Unlock()
	t.env.forget()
	t.Notef("a call does not return, so the client and its objects were not destroyed")
}

// forget makes the next check use another client.
func (e *Env) forget() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.client = nil
}
