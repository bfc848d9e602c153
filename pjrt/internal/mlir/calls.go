// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package mlir

import (
	"fmt"
	"math"
	"strings"

	"github.com/purepjrt/purepjrt/internal/excerpt"
)

// function is a function, or an alias of an attribute that names functions.
type function struct {
	name    string
	scope   scope
	isAlias bool
	needed  bool // for an alias: all that it names must exist
	private bool // removed if nothing uses it
	hasBody bool
	kept    bool // among calls.kept, or it was
	regions int  // how deep its own regions are nested
	uses    useList

	state  state
	depth  int     // how deep its regions and those of the functions that it calls are nested
	copies float64 // how many functions take its place when all calls are inlined
}

// use says that a function names another one.
type use struct {
	name    string
	alias   *function // instead of the name
	regions int32     // how many regions of the function enclose the use
	quoted  bool      // the name is a string, and not a symbol
	mention bool      // not a call, but the other function is not removed
}

// scope is the part of a module that a symbol is known in.
type scope struct {
	depth int // how many braces enclose it
	start int // the position of the last of them
}

type state byte

const (
	unseen state = iota
	active       // on the path from a root
	done
)

// maxCopies is more functions than a compiler ever copies. XLA's compiler for CPUs takes nine
// seconds for 2^14.
const maxCopies = 1 << 24

// calls is the graph of the functions of a module.
type calls struct {
	depths depths
	byName map[string]*function
	kept   []*function // mentioned functions and aliases that have not been followed yet
	path   []step
}

// step is a function on the path, and how many of its uses have been followed.
type step struct {
	f    *function
	next int
}

// checkCalls returns an error if functions that are not removed have no body, call themselves, or
// call others too deeply. Only the outermost functions count: XLA ignores modules within the
// module.
//
// kept are mentions outside of functions.
func checkCalls(functions []*function, kept *useList, d depths) error {
	outermost := scope{depth: math.MaxInt}
	for _, f := range functions {
		outermost.depth = min(outermost.depth, f.scope.depth)
	}
	c := calls{depths: d, byName: make(map[string]*function, len(functions))}
	for _, f := range functions {
		if f.scope.depth != outermost.depth {
			continue
		}
		if !f.hasBody {
			return noBody(f.name)
		}
		c.byName[f.name] = f
	}
	for _, f := range functions {
		if f.scope.depth == outermost.depth && (!f.private || f.name == "main") {
			if err := c.check(f); err != nil {
				return err
			}
		}
	}
	for i := range kept.len() {
		c.keep(kept.at(i))
	}
	return c.checkKept()
}

func noBody(name string) error {
	return fmt.Errorf("the function @%s in the program has no body, and compilers would end the process", excerpt.Of(name))
}

// keep notes a mention, unless what it mentions has been noted before.
func (c *calls) keep(u *use) {
	f := u.alias
	if f == nil && !u.quoted {
		f = c.byName[u.name]
	}
	if f != nil && !f.kept {
		f.kept = true
		c.kept = append(c.kept, f)
	}
}

// checkKept follows the calls from functions that are kept because something mentions them.
func (c *calls) checkKept() error {
	for len(c.kept) > 0 {
		f := c.kept[len(c.kept)-1]
		c.kept = c.kept[:len(c.kept)-1]
		if f.isAlias {
			for i := range f.uses.len() {
				c.keep(f.uses.at(i))
			}
			continue
		}
		if err := c.check(f); err != nil {
			return err
		}
	}
	return nil
}

// check follows the calls from a function.
func (c *calls) check(root *function) error {
	c.enter(root)
	for len(c.path) > 0 {
		s := &c.path[len(c.path)-1]
		if s.next == s.f.uses.len() {
			s.f.state = done
			c.path = c.path[:len(c.path)-1]
			continue
		}
		u := s.f.uses.at(s.next)
		if u.mention {
			c.keep(u)
			s.next++
			continue
		}
		callee := u.alias
		if callee == nil {
			callee = c.byName[u.name]
		}
		if callee != nil && callee.isAlias && s.f.needed {
			callee.needed = true
		}
		switch {
		case callee == nil && s.f.needed:
			return fmt.Errorf("a custom call in the program names the function @%s, which does not exist, and compilers would end the process", excerpt.Of(u.name))
		case callee == nil:
		case callee.state == active:
			cycle := strings.Join(c.cycle(callee), " calls @")
			return fmt.Errorf("the program calls itself, and compilers would end the process: @%s", cycle)
		case callee.state == unseen:
			c.enter(callee)
			continue // and come back to the same use
		default:
			if err := c.add(s.f, callee, int(u.regions)); err != nil {
				return err
			}
		}
		s.next++
	}
	return nil
}

func (c *calls) enter(f *function) {
	if f.state == unseen {
		f.state, f.depth, f.copies = active, f.regions, 1
		c.path = append(c.path, step{f: f})
	}
}

// add counts a call from within some of f's regions.
func (c *calls) add(f, callee *function, regions int) error {
	depth := regions + callee.depth
	if !callee.isAlias {
		depth++
	}
	f.depth = max(f.depth, depth)
	f.copies += callee.copies
	switch {
	case f.depth > c.depths.regions:
		return c.depths.tooDeep("calls and regions", c.depths.regions)
	case f.copies > maxCopies:
		return fmt.Errorf("the function @%s calls others more than %d times, counting all calls that those make, "+
			"and compilers, which copy a function for each call, would run out of memory: use a loop", excerpt.Of(f.name), maxCopies)
	}
	return nil
}

// cycle returns the names of the functions on the path from f on, and f again. Of a long cycle it
// returns the beginning and the end.
func (c *calls) cycle(f *function) (names []string) {
	const most = 8
	var last string
	n := 0
	for _, s := range c.path {
		if n == 0 && s.f != f || s.f.isAlias {
			continue
		}
		if n++; n <= most {
			names = append(names, excerpt.Of(s.f.name))
		}
		last = excerpt.Of(s.f.name)
	}
	if n > most {
		names = append(names, fmt.Sprintf("..., %d more, which", n-most-1), last)
	}
	return append(names, excerpt.Of(f.name))
}
