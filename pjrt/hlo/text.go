// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package hlo

import (
	"fmt"
	"strings"

	"github.com/purepjrt/purepjrt/internal/excerpt"
)

// String returns the instruction in a readable form close to HLO's own text:
//
//	dot.3 = f32[8,16]{1,0} dot(lhs.1, rhs.2)
//
// It leaves out most attributes, and shows only the beginning of a long list of operands or of a
// long name among them.
func (i *Instruction) String() string {
	if i == nil {
		return "<nil>"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s = %v %s(", i.Name, i.Shape, i.Opcode)
	for n, o := range i.Operands {
		if n == maxShown {
			fmt.Fprintf(&b, ", ... %d more", len(i.Operands)-n)
			break
		}
		if n > 0 {
			b.WriteString(", ")
		}
		if o != nil {
			b.WriteString(excerpt.OfName(o.Name))
		}
	}
	if i.Opcode == "parameter" {
		fmt.Fprint(&b, i.Parameter)
	}
	b.WriteByte(')')
	if len(i.Dimensions) > 0 {
		fmt.Fprintf(&b, ", dimensions=%s", strings.ReplaceAll(strings.Trim(fmt.Sprint(i.Dimensions), "[]"), " ", ","))
	}
	if i.Opcode == "get-tuple-element" {
		fmt.Fprintf(&b, ", index=%d", i.TupleIndex)
	}
	for _, x := range []struct{ name, value string }{
		{"direction", i.Comparison}, {"kind", i.FusionKind}, {"target", i.Target},
	} {
		if x.value != "" {
			fmt.Fprintf(&b, ", %s=%s", x.name, x.value)
		}
	}
	for n, c := range i.Called[:min(len(i.Called), maxShown)] {
		b.WriteString([]string{", calls=", ","}[min(n, 1)])
		if c != nil {
			b.WriteString(excerpt.OfName(c.Name))
		}
	}
	return b.String()
}

// maxShown is how many operands or computations the text of an instruction names. The root of a
// program can have hundreds.
const maxShown = 1 << 10

// String returns the text of the computations and their instructions, the entry last. It lists
// the instructions in the order of the schedule, if there is one, each once.
func (m *Module) String() string {
	if m == nil {
		return "<nil>"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "module %s\n", m.Name)
	write := func(c *Computation, mark string) {
		fmt.Fprintf(&b, "\n%s%s {\n", mark, c.Name)
		list := c.Instructions
		if c.Schedule != nil {
			list = c.Schedule
		}
		listed := make(map[*Instruction]bool) // a schedule can have an instruction any number of times
		for _, i := range list {
			if c.Schedule != nil {
				if listed[i] {
					continue
				}
				listed[i] = true
			}
			mark := "  "
			if i == c.Root {
				mark = "  root "
			}
			fmt.Fprintf(&b, "%s%v\n", mark, i)
		}
		b.WriteString("}\n")
	}
	for _, c := range m.Computations {
		if c != nil && c != m.Entry {
			write(c, "")
		}
	}
	if m.Entry != nil {
		write(m.Entry, "entry ")
	}
	return b.String()
}
