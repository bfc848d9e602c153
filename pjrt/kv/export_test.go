// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package kv

// Waiting returns how many Gets are waiting for key.
func Waiting(m *Memory, key string) int {
	m.mu.Lock()
	defer m.mu.Unlock()
	if w := m.waiters[key]; w != nil {
		return w.n
	}
	return 0
}

// WaitedFor returns how many keys without a value have Gets waiting for them.
func WaitedFor(m *Memory) int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.waiters)
}
