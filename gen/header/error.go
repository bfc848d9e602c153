// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package header

import (
	"fmt"
	"strconv"
	"strings"
)

// Error is a fault at a place in a header. Every error of Parse about a header's contents
// is an Error. If there are several faults, it is the first one, every time.
type Error struct {
	Path string
	Line int // from 1
	Col  int // from 1, in bytes
	Msg  string

	// Member is a field that the header names, for example in the constant of a struct's
	// size, but that the struct does not have. It is empty for other faults.
	Member string

	undeclared string // the name that the header uses and nothing declares
}

// Error returns "path:line:column: message".
func (e *Error) Error() string {
	return fmt.Sprintf("%s:%d:%d: %s", e.Path, e.Line, e.Col, e.Msg)
}

// splitPosition cuts "file:line:column: message" into its parts.
func splitPosition(s string) (file string, line, col int, msg string, ok bool) {
	pos, msg, found := strings.Cut(s, ": ")
	if !found {
		return "", 0, 0, s, false
	}
	i := strings.LastIndexByte(pos, ':')
	if i < 0 {
		return "", 0, 0, s, false
	}
	j := strings.LastIndexByte(pos[:i], ':')
	if j < 0 {
		return "", 0, 0, s, false
	}
	line, err1 := strconv.Atoi(pos[j+1 : i])
	col, err2 := strconv.Atoi(pos[i+1:])
	if err1 != nil || err2 != nil {
		return "", 0, 0, s, false
	}
	return pos[:j], line, col, msg, true
}
