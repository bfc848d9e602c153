// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package preempt copies and searches large blocks of memory without delaying the garbage
// collector. Stopping the world has to wait for the end of what Go does in assembly, which takes
// long if the block is large. Here the goroutine can be preempted after each step.
package preempt

import (
	"bytes"
	"io"
)

// step is the size of a step.
const step = 1 << 20

// Copy is the builtin copy.
func Copy(dst, src []byte) {
	for len(src) > step {
		copy(dst, src[:step])
		dst, src = dst[step:], src[step:]
	}
	copy(dst, src)
}

// Clone returns a copy of b, which is empty, not nil, if b is nil.
func Clone(b []byte) []byte {
	c := make([]byte, len(b))
	Copy(c, b)
	return c
}

// IndexByte is bytes.IndexByte.
func IndexByte(b []byte, c byte) int {
	for at := 0; at < len(b); at += step {
		if i := bytes.IndexByte(b[at:min(at+step, len(b))], c); i >= 0 {
			return at + i
		}
	}
	return -1
}

// Contains is bytes.Contains.
func Contains(b, part []byte) bool {
	for at := 0; at < len(b); at += step {
		if bytes.Contains(b[at:min(at+step+len(part), len(b))], part) {
			return true
		}
	}
	return len(part) == 0
}

// Write writes b, such as to a hash.
func Write(w io.Writer, b []byte) error {
	for len(b) > step {
		if _, err := w.Write(b[:step]); err != nil {
			return err
		}
		b = b[step:]
	}
	_, err := w.Write(b)
	return err
}
