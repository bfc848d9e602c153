// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package dataflow

import (
	"maps"
	"slices"
)

// markLive marks the operations that a result or an effect of the program needs. Compilers remove
// the others before they look at them, but keep public functions that nothing calls until they
// have made HLO of them.
func (m *Module) markLive() {
	seen := make(map[*Block]bool)
	m.live = m.markFrom(m.Main, seen)
	for _, name := range slices.Sorted(maps.Keys(m.Functions)) {
		if f := m.Functions[name]; f.Public {
			m.uncalled = append(m.uncalled, m.markFrom(f, seen)...)
		}
	}
}

// markFrom marks the operations of a block and of the closed blocks that it needs, and returns
// these blocks, but for those that it has seen.
func (m *Module) markFrom(first *Block, seen map[*Block]bool) (found []*Block) {
	add := func(b *Block) {
		if b != nil && !seen[b] {
			seen[b] = true
			found = append(found, b)
		}
	}
	add(first)
	for i := 0; i < len(found); i++ {
		found[i].markLive(true, func(o *Op) {
			m.ops++
			for _, key := range []string{"callee", "decomposition"} {
				if a, ok := o.Attributes[key]; ok {
					add(m.Functions[a.Text])
				}
			}
			for _, r := range o.Regions {
				if r.Closed {
					add(r)
				}
			}
		})
	}
	return found
}

// markLive marks the operations of a block. stays says that the operation around it stays.
func (b *Block) markLive(stays bool, visit func(*Op)) {
	for i := len(b.Ops) - 1; i >= 0; i-- {
		o := b.Ops[i]
		o.live = len(o.Results) == 0 || hasEffect(o.Name)
		o.stays = len(o.Results) == 0 || o.isTrue("has_side_effect")
		for _, r := range o.Results {
			o.live = o.live || r.used
			o.stays = o.stays || r.stays && !r.Type.isEmpty()
		}
		if !o.live {
			continue
		}
		o.stays = o.stays && stays
		for _, v := range o.Operands {
			v.used, v.stays = true, v.stays || o.stays
		}
		for _, r := range o.Regions {
			if !r.Closed {
				r.markLive(o.stays, visit)
			}
		}
		visit(o)
	}
}

// hasEffect reports whether an operation stays in the program though nothing uses its results.
func hasEffect(name string) bool {
	switch name {
	case "custom_call", "infeed", "outfeed", "send", "recv", "while", "if", "case", "call", "composite", "rng", "rng_bit_generator":
		return true
	}
	return false
}

// each calls fn with all operations that are live.
func (m *Module) each(fn func(*Op) error) error { return eachOf(m.live, false, fn) }

// eachOf calls fn with the operations of blocks that are live, or with all of them.
func eachOf(blocks []*Block, dead bool, fn func(*Op) error) error {
	for _, b := range blocks {
		if err := b.each(dead, fn); err != nil {
			return err
		}
	}
	return nil
}

func (b *Block) each(dead bool, fn func(*Op) error) error {
	for _, o := range b.Ops {
		if !o.live && !dead {
			continue
		}
		if err := fn(o); err != nil {
			return err
		}
		for _, r := range o.Regions {
			if r.Closed {
				continue // among the module's
			}
			if err := r.each(dead, fn); err != nil {
				return err
			}
		}
	}
	return nil
}
