// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt

// Spinning sets how many threads may look at an event again and again, and returns a function
// that sets what was before.
func Spinning(most int) (restore func()) {
	before := spinning.most
	spinning.most = int32(most)
	return func() { spinning.most = before }
}
