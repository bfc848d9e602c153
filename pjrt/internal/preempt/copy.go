// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package preempt copies large blocks of memory without delaying the garbage collector.
package preempt

// Copy is the builtin copy in steps of 1 MiB, between which the goroutine can be preempted. Stopping the world has to
// wait for the builtin copy to end, which takes long if it is large.
func Copy(dst, src []byte) {
	const step = 1 << 20
	for len(src) > step {
		copy(dst, src[:step])
		dst, src = dst[step:], src[step:]
	}
	copy(dst, src)
}
