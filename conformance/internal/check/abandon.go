// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package check

// Abandon gives up the objects of the check, and the client that checks share, because a
// call that uses them does not return: destroying them would end the process. The next
// check gets a new client.
func (t *T) Abandon() {
	t.mu.Lock()
	t.owned = nil
	t.mu.Unlock()
	t.env.mu.Lock()
	t.env.client = nil
	t.env.mu.Unlock()
	t.Notef("a call does not return, so the client and its objects were not destroyed")
}
