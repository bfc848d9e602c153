// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package gomlx

import "github.com/gomlx/compute"

// Bound returns how many arguments executions of a program no longer check.
func Bound(e compute.Executable) int {
	p := e.(*Executable).base
	p.mu.Lock()
	defer p.mu.Unlock()
	n := 0
	if p.bound != nil {
		for _, b := range p.bound.buffers {
			if b != nil {
				n++
			}
		}
	}
	return n
}

// Reusing returns how many forms of a program put results into donated arguments.
func Reusing(e compute.Executable) int {
	x := e.(*Executable)
	x.mu.Lock()
	defer x.mu.Unlock()
	n := 0
	for _, d := range x.donations {
		if d.program != nil {
			n++
		}
	}
	return n
}

// Pairs returns which results take the memory of which parameters, if these are donated.
func Pairs(e compute.Executable, donors ...int) map[int]int {
	set := make(map[int]bool)
	for _, d := range donors {
		set[d] = true
	}
	return e.(*Executable).pair(set)
}
