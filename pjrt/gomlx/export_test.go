// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package gomlx

import (
	"github.com/gomlx/compute"

	"github.com/purepjrt/purepjrt/pjrt"
)

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

// SetCuDNN makes a backend believe that its devices have cuDNN, for heads of so many features.
func SetCuDNN(b compute.Backend, features int) { b.(*Backend).cudnn = features }

// FeaturesOf returns how many features a head may have on devices of a compute capability.
func FeaturesOf(capability string) int { return featuresOf(capability) }

// Features returns how many features a head may have on CUDA devices.
func Features(devices []*pjrt.DeviceDescription) int { return featuresOn(devices) }

// Kept adds what is left of x, which is like the query or like the key, within the lengths.
func Kept(f compute.Function, layout compute.AttentionAxesLayout, x, queries, keys compute.Value, likeQuery bool) (compute.Value, error) {
	a := &attention{formula: &formula{f: f.(*Function)}, heads: layout.HeadsAxis(), seq: layout.SeqAxis(),
		options: &compute.ScaledDotProductAttentionConfig{QuerySeqLen: queries, KeyValueSeqLen: keys}}
	return a.result(a.kept(x, likeQuery))
}

// Text returns the StableHLO of a program that has returned.
func Text(b compute.Builder) (string, error) {
	text, err := b.(*Builder).instances[0].module.Build()
	return string(text), err
}

// Begin begins an execution of a program, which end ends.
func Begin(e compute.Executable) (end func(), err error) {
	x := e.(*Executable)
	return x.end, x.begin()
}

// Acquire begins a call that uses the array of a buffer, which release ends.
func Acquire(b compute.Buffer) (array *pjrt.Buffer, release func(), err error) {
	buffer := b.(*Buffer)
	array, err = buffer.acquire()
	return array, buffer.release, err
}
