// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package mlir

import (
	"bytes"
	"math"
	"strconv"
	"strings"

	"github.com/purepjrt/purepjrt/pjrt/internal/bytecode"
	"github.com/purepjrt/purepjrt/pjrt/internal/hlo"
	"github.com/purepjrt/purepjrt/pjrt/internal/preempt"
)

// ReadSpread reads what a module in text or bytecode says about its devices. A module that it cannot read says
// nothing.
func ReadSpread(code []byte) hlo.Spread {
	if bytes.HasPrefix(code, []byte(bytecode.Magic)) {
		m, err := bytecode.Read(code)
		if err != nil {
			return hlo.Spread{}
		}
		return hlo.Spread{Replicas: m.Replicas, Partitions: m.Partitions, Mesh: m.Mesh, Shardy: m.Shardy}
	}
	mentions := preempt.Contains(code, []byte("sdy."))
	if !mentions && !preempt.Contains(code, []byte("mhlo.num_")) {
		return hlo.Spread{}
	}
	s := spreadReader{lexer: lexer{code: code}, mentions: mentions}
	s.read()
	return s.Spread
}

// spreadReader looks for attributes of the module, which are in its own braces, and for anything of Shardy.
type spreadReader struct {
	lexer
	hlo.Spread
	mentions bool // whether the text may have anything of Shardy
}

func (s *spreadReader) read() {
	depth, inModule := 0, false
	for s.Replicas == 0 || s.Partitions == 0 || s.mentions && !s.Shardy {
		t := s.next()
		name := ""
		switch t.kind {
		case end:
			return
		case '(', '[', '{', '<':
			depth++
			continue
		case ')', ']', '}', '>':
			depth--
			continue
		case word:
			name = string(s.bytes(t))
		case text, symbol:
			name = s.name(t)
		case attributeName:
			name = string(s.bytes(t)[1:])
		default:
			continue
		}
		if depth == 0 && (t.kind == word || t.kind == text) && name != "attributes" {
			inModule = name == "module" || name == "builtin.module"
		}
		switch {
		case strings.HasPrefix(name, "xla.sdy."):
			s.Shardy = true
		case strings.HasPrefix(name, "sdy.") && t.kind != symbol:
			s.Shardy = true
			if name == "sdy.mesh" {
				s.mesh()
			}
		case inModule && depth == 1 && s.peek() == '=':
			switch name {
			case "mhlo.num_replicas":
				s.Replicas = s.integer()
			case "mhlo.num_partitions":
				s.Partitions = s.integer()
			}
		}
	}
}

// integer reads an equals sign and a number.
func (s *spreadReader) integer() int64 {
	s.next()
	ahead := s.lexer
	t := ahead.next()
	n, err := strconv.ParseInt(string(s.bytes(t)), 0, 64)
	if t.kind != number || err != nil {
		return 0
	}
	return n
}

// mesh reads the axes of a mesh: [@name =] <["x"=2, "y"=4]>. The generic form of the operation has the mesh as an
// attribute, with the same name and another bracket before it.
func (s *spreadReader) mesh() {
	ahead := s.lexer
	t := ahead.next()
	if t.kind == symbol {
		ahead.next() // the equals sign
		t = ahead.next()
	}
	if t.kind != '<' || ahead.next().kind != '[' {
		return
	}
	size := int64(1)
	for {
		switch t := ahead.next(); t.kind {
		case ']':
			s.Mesh = max(s.Mesh, size)
			return
		case number:
			n, err := strconv.ParseInt(string(ahead.bytes(t)), 0, 64)
			if err != nil || n < 1 || size > math.MaxInt32/n {
				return
			}
			size *= n
		case text, '=', ',':
		default:
			return
		}
	}
}
