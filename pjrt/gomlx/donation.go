// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package gomlx

import (
	"maps"
	"slices"

	"github.com/gomlx/go-xla/stablehlo"

	"github.com/purepjrt/purepjrt/pjrt/platform"
)

// Plugins reuse the memory of an argument for a result only if the program was compiled
// for it. GoMLX says only at the execution which arguments are donated, so such a form
// of the program is compiled once it is clear that it pays.
//
// Results that are a parameter with parts replaced, such as a cache of keys and values, are an
// exception: all forms of the program put them into the parameter. Without this the program would
// copy each argument; with it the plugin copies those that are not donated.

// worthUpdating is how large a parameter must be, in bytes, to be updated in place.
const worthUpdating = 1 << 12

const (
	// repeatsToReuse is in how many executions the same parameters must be donated. The
	// first one may be the only one.
	repeatsToReuse = 2
	// worthReusing is how much memory results must take over, in bytes. Allocating less
	// costs next to nothing, unlike compiling again.
	worthReusing = 1 << 20
)

// donation is what is known about executions that donate the same parameters.
type donation struct {
	repeats int
	decided bool     // whether program is final
	program *program // puts results into the arguments; nil if it does not pay or does not compile
}

// reusing returns the program that puts results into the donated arguments, or nil.
func (e *Executable) reusing(l *launch) *program {
	if e.backend.reuse != platform.On {
		return nil
	}
	n := len(e.parameters)
	some := false
	for i := range n {
		donated := n > 0
		for k := i; k < len(l.buffers) && donated; k += n {
			donated = l.donated(k)
		}
		if donated {
			some = true
			l.key = append(l.key, byte(i), byte(i>>8), byte(i>>16))
		}
	}
	if !some {
		return nil
	}
	e.mu.Lock()
	d := e.donations[string(l.key)]
	if d == nil {
		d = new(donation)
		e.donations[string(l.key)] = d
	}
	d.repeats++
	if !d.decided && d.repeats >= repeatsToReuse && !e.closed {
		d.decided = true
		d.program = e.compileReusing(l.key)
	}
	p := d.program
	e.mu.Unlock()
	return p
}

// compileReusing compiles the program so that results take the memory of the parameters in
// key. It returns nil if that does not pay or fails: the program still has its other form.
// The caller holds e.mu.
func (e *Executable) compileReusing(key []byte) *program {
	donors := make(map[int]bool)
	for i := 0; i < len(key); i += 3 {
		donors[int(key[i])|int(key[i+1])<<8|int(key[i+2])<<16] = true
	}
	pairs := e.pair(donors)
	var size uintptr
	for parameter := range pairs {
		size += e.parameters[parameter].Memory()
	}
	if size < worthReusing {
		return nil
	}
	for parameter, result := range pairs {
		e.alias(parameter, result)
		defer e.alias(parameter, -1)
	}
	p, err := e.compile(false)
	if err != nil {
		return nil
	}
	return p
}

// alias lets programs that are compiled from now on put a result into a parameter; -1 lets them put
// none there.
func (e *Executable) alias(parameter, result int) {
	v := e.inputs[parameter]
	if v.Attributes == nil {
		v.Attributes = make(map[string]any)
	}
	switch {
	case result < 0:
		delete(v.Attributes, bufferDonor)
		delete(v.Attributes, aliasingOutput)
	case e.spread == sharded:
		v.Attributes[bufferDonor] = true
	default:
		v.Attributes[aliasingOutput] = int32(result)
	}
}

// updateInPlace lets all forms of the program put results that are updated parameters into these.
func (e *Executable) updateInPlace() {
	if e.backend.reuse == platform.Off || e.spread != onOne {
		return
	}
	made := e.made()
	numbers := e.numbers()
	updated := make(map[int]int)
	for r, v := range e.returned() {
		n := 0
		for s := made[v]; s != nil && s.OpType.ToStableHLO() == "stablehlo.dynamic_update_slice"; s = made[v] {
			v = s.Inputs[0]
			n++
		}
		p, isParameter := numbers[v]
		if _, taken := updated[p]; n > 0 && isParameter && !taken && e.parameters[p].Memory() >= worthUpdating {
			updated[p] = r
			e.updated = append(e.updated, p)
			e.alias(p, r)
		}
	}
	slices.Sort(e.updated)
}

const (
	// aliasingOutput is the attribute of a parameter that says which result may take its
	// memory.
	aliasingOutput = "tf.aliasing_output"
	// bufferDonor is the attribute of a parameter whose memory any result may take. The
	// parts of a result may have another shape than the whole, so XLA chooses.
	bufferDonor = "jax.buffer_donor"
)

// pair returns which result takes the memory of which donor. The best place for a
// result is that of the array it is made from: then XLA needs no copy.
func (e *Executable) pair(donors map[int]bool) map[int]int {
	made, numbers, results := e.made(), e.numbers(), e.returned()
	pairs := make(map[int]int)
	taken := make([]bool, len(e.results))
	for _, p := range e.updated {
		if r, ok := e.inputs[p].Attributes[aliasingOutput].(int32); ok {
			donors, taken[r] = without(donors, p), true
		}
	}
	for r, v := range results {
		if taken[r] {
			continue
		}
		if p, ok := nearest(v, made, func(v *stablehlo.Value) bool {
			p, isParameter := numbers[v]
			_, used := pairs[p]
			return isParameter && donors[p] && !used && e.parameters[p].Equal(e.results[r])
		}); ok {
			pairs[numbers[p]], taken[r] = r, true
		}
	}
	for r := range results {
		for p := range e.parameters {
			if _, used := pairs[p]; !taken[r] && !used && donors[p] && e.parameters[p].Equal(e.results[r]) {
				pairs[p], taken[r] = r, true
			}
		}
	}
	return pairs
}

// without returns the parameters of a set other than p.
func without(set map[int]bool, p int) map[int]bool {
	set = maps.Clone(set)
	delete(set, p)
	return set
}

// made returns which statement makes which value of the main function.
func (e *Executable) made() map[*stablehlo.Value]*stablehlo.Statement {
	made := make(map[*stablehlo.Value]*stablehlo.Statement)
	for _, s := range e.main.Statements {
		for _, v := range s.Outputs {
			made[v] = s
		}
	}
	return made
}

// numbers returns which value of the main function is which parameter.
func (e *Executable) numbers() map[*stablehlo.Value]int {
	numbers := make(map[*stablehlo.Value]int)
	for i, v := range e.inputs {
		numbers[v] = i
	}
	return numbers
}

// returned returns the results of the main function.
func (e *Executable) returned() []*stablehlo.Value {
	return e.main.Statements[len(e.main.Statements)-1].Inputs
}

// searchDepth bounds how many values nearest looks at.
const searchDepth = 256

// nearest returns the wanted value that v is made from in the fewest steps, through
// values of the same shape.
func nearest(v *stablehlo.Value, made map[*stablehlo.Value]*stablehlo.Statement, wanted func(*stablehlo.Value) bool) (
	*stablehlo.Value, bool) {
	shape := v.Shape()
	queue := []*stablehlo.Value{v}
	seen := map[*stablehlo.Value]bool{v: true}
	for i := 0; i < len(queue) && i < searchDepth; i++ {
		if wanted(queue[i]) {
			return queue[i], true
		}
		s := made[queue[i]]
		if s == nil {
			continue
		}
		for _, in := range s.Inputs {
			if !seen[in] && in.Shape().Equal(shape) {
				seen[in] = true
				queue = append(queue, in)
			}
		}
	}
	return nil, false
}
