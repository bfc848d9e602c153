// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package mlir

// useList is a list of uses. A text of three bytes can be a use, and there can be as many as fit in
// the program. A slice would take more than twice their memory whenever it grows.
type useList struct{ blocks [][]use }

// blockLength is how many uses all blocks but the last have.
const blockLength = 256

func (l *useList) add(u use) {
	last := len(l.blocks) - 1
	switch {
	case last < 0:
		l.blocks, last = append(l.blocks, nil), 0 // most lists are short
	case len(l.blocks[last]) == blockLength:
		l.blocks, last = append(l.blocks, make([]use, 0, blockLength)), last+1
	}
	l.blocks[last] = append(l.blocks[last], u)
}

func (l *useList) len() int {
	last := len(l.blocks) - 1
	if last < 0 {
		return 0
	}
	return last*blockLength + len(l.blocks[last])
}

func (l *useList) at(i int) *use { return &l.blocks[i/blockLength][i%blockLength] }
