// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package expect shows what checks expect of programs, so that others can compute it too.
package expect

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"

	"github.com/purepjrt/purepjrt/pjrt/npy"
)

// Check is a check whose programs have known results.
type Check struct {
	Rule string
	Name string // of the check; it begins with the rule
	// Seldom says that the programs take seconds to make.
	Seldom bool
	// Programs makes the programs. Goroutines may call it at the same time.
	Programs func() []Program
}

// Program is one program with its inputs and the results that a check expects.
type Program struct {
	// ID is the name of the check, followed by # and a number where the check has
	// several programs.
	ID string
	// Text is the program in StableHLO. It takes its inputs as parameters of main.
	Text string
	// Plain, when it is not empty, means the same in operations that are more common.
	Plain string
	// Inputs are the arguments of main.
	Inputs []Input
	// Want are the results.
	Want []Value
	// Tolerance is all that decides which other results will do, in any form.
	Tolerance string
	// Accept says how results differ from those that will do. Their types and
	// dimensions must be those of Want.
	Accept func(got []*npy.Array) error
}

// Value is an array and its type in StableHLO, such as tensor<2xf32>.
type Value struct {
	*npy.Array
	Type string
}

// Input is a value and its attribute in StableHLO, such as dense<[1.0, 2.0]>.
type Input struct {
	Value
	Literal string
}

// Digest changes when the program, its inputs, the results expected or what else will
// do changes.
func (p *Program) Digest() string {
	h := sha256.New()
	put := func(data []byte) {
		fmt.Fprintf(h, "%d ", len(data))
		h.Write(data)
	}
	put([]byte(p.Text))
	put([]byte(p.Plain))
	values := append([]Value{}, p.Want...)
	for _, in := range p.Inputs {
		values = append(values, in.Value)
	}
	for _, v := range values {
		_, _ = io.WriteString(h, v.Type+" ")
		put(v.Data)
	}
	put([]byte(p.Tolerance))
	return hex.EncodeToString(h.Sum(nil)[:8])
}
