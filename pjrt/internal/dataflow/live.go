// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package dataflow

// markLive marks the operations that a result or an effect of the program needs. Compilers remove
// the others before they look at them.
func (m *Module) markLive() {
	if m.Main == nil {
		return
	}
	seen := map[*Block]bool{m.Main: true}
	m.live = []*Block{m.Main}
	add := func(b *Block) {
		if b != nil && !seen[b] {
			seen[b] = true
			m.live = append(m.live, b)
		}
	}
	for i := 0; i < len(m.live); i++ {
		m.live[i].markLive(true, func(o *Op) {
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
func (m *Module) each(fn func(*Op) error) error {
	for _, b := range m.live {
		if err := b.each(fn); err != nil {
			return err
		}
	}
	return nil
}

func (b *Block) each(fn func(*Op) error) error {
	for _, o := range b.Ops {
		if !o.live {
			continue
		}
		if err := fn(o); err != nil {
			return err
		}
		for _, r := range o.Regions {
			if r.Closed {
				continue // among the module's
			}
			if err := r.each(fn); err != nil {
				return err
			}
		}
	}
	return nil
}
