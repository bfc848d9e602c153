// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package expect describes the results that checks expect of programs, so that others can
// compute them too.
package expect

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"

	"github.com/purepjrt/purepjrt/pjrt/array"
)

// Check is a check whose programs have known results.
type Check struct {
	Rule string
	Name string // the name of the check, which begins with the rule
	// Seldom says that making the programs takes seconds.
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
	// Plain, when not empty, is an equivalent program of more common operations.
	Plain string
	// Inputs are the arguments of main.
	Inputs []Input
	// Want are the results.
	Want []Value
	// Tolerance describes, in any form, everything that decides which other results are
	// accepted.
	Tolerance string
	// Accept returns an error that says how results differ from acceptable ones. Their
	// types and dimensions must be those of Want.
	Accept func(got []*array.Array) error
}

// Value is an array and its type in StableHLO, such as tensor<2xf32>.
type Value struct {
	*array.Array
	Type string
}

// Input is a value and its attribute in StableHLO, such as dense<[1.0, 2.0]>.
type Input struct {
	Value
	Literal string
}

// Digest returns a digest of the program, its inputs, the expected results and the
// tolerance.
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
