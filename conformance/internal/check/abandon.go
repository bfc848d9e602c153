// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package check

// Abandon leaves what the check owns, and the client that checks share, to a
// call that does not return: destroying what it uses would end the process. The
// next check gets a new client.
func (t *T) Abandon() {
	t.mu.Lock()
	t.owned = nil
	t.mu.Unlock()
	t.env.mu.Lock()
	t.env.client = nil
	t.env.mu.Unlock()
	t.Notef("a call does not return; the client and what belongs to it were left alone")
}
