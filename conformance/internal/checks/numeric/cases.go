// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package numeric

import (
	"github.com/purepjrt/purepjrt/conformance/internal/check"
	host "github.com/purepjrt/purepjrt/pjrt/array"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
)

// Case is a program of this package for comparing plugins with each other.
type Case struct {
	Name    string // the variant of the check that runs it
	Profile check.Profile
	Text    string // takes its inputs as parameters
	Inputs  []*host.Array
	Results []Tolerance
}

// Tolerance says how far a result may be from the right one.
type Tolerance struct {
	Type dtype.Type
	// ULP is a distance in units in the last place; 0 means that the result is exact. It
	// has no meaning if Bounded is set: the error depends on the inputs.
	ULP     float64
	Bounded bool
}

// Cases returns the programs of this package.
func Cases() []Case {
	var list []Case
	eachProgram(func(variant string, profile check.Profile, p program) {
		c := Case{Name: variant, Profile: profile, Text: p.text(parameters)}
		for _, a := range p.inputs {
			c.Inputs = append(c.Inputs, &host.Array{Type: a.t, Dims: append([]int64{}, a.dims...), Data: a.encode()})
		}
		for i, w := range p.want {
			policy := p.policy(i)
			c.Results = append(c.Results, Tolerance{Type: w.t, ULP: policy.ulp, Bounded: policy.bound != nil || policy.open != nil ||
				policy.signless})
		}
		list = append(list, c)
	})
	return list
}
