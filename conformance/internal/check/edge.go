// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package check

// Edge returns a copy of data right in front of memory that cannot be touched, if the
// system allows that: reading beyond its end ends the process. The copy exists until
// the check is over and what it owned is destroyed.
func (t *T) Edge(data []byte) []byte {
	block, release := guardedMemory(len(data))
	t.ownFirst(new(kept), release)
	at := block[len(block)-len(data):]
	copy(at, data)
	return at
}

// EdgeBefore is like Edge, with the untouchable memory in front of the copy.
func (t *T) EdgeBefore(data []byte) []byte {
	block, release := guardedFront(len(data))
	t.ownFirst(new(kept), release)
	copy(block, data)
	return block[:len(data):len(data)]
}
