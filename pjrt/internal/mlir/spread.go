// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package mlir

import (
	"bytes"
	"context"
	"math"
	"strconv"

	"github.com/purepjrt/purepjrt/pjrt/internal/bytecode"
	"github.com/purepjrt/purepjrt/pjrt/internal/dataflow"
	"github.com/purepjrt/purepjrt/pjrt/internal/preempt"
)

// ReadSpread reads what a module in text says about its devices, and no further. It can replace the
// Spread of Read, but for meshes after the place where the numbers of devices are known.
func ReadSpread(ctx context.Context, code []byte) dataflow.Spread {
	mentions := preempt.Contains(code, []byte("sdy."))
	if !mentions && !preempt.Contains(code, []byte("mhlo.num_")) {
		return dataflow.Spread{}
	}
	r := newReader(ctx, code, Limits{})
	r.devices.first, r.devices.mentions = true, mentions
	_ = r.read() // Read has the errors
	return r.devices.Spread
}

// SpreadOfBytecode returns what a module in bytecode says about its devices.
func SpreadOfBytecode(m *bytecode.Module) dataflow.Spread {
	return dataflow.Spread{Replicas: m.Replicas, Partitions: m.Partitions, Mesh: m.Mesh, Shardy: m.Shardy}
}

// devicesReader looks for attributes of the module, which are in its own braces, and for anything
// of Shardy.
type devicesReader struct {
	dataflow.Spread
	inModule bool // whether the attributes or the body of a module come next
	first    bool // whether to end the text as soon as everything is known
	mentions bool // whether the text may have anything of Shardy
}

// mayTellDevices reports whether a name may begin with one of those that devicesReader looks for.
// Most do not.
func (l *lexer) mayTellDevices(t token) bool {
	at := t.start
	for at+1 < t.end && (l.code[at] == '"' || l.code[at] == '@' || l.code[at] == '#') {
		at++
	}
	switch l.code[at] {
	case 's', 'x', 'm', '\\':
		return true
	}
	return false
}

// see looks at a word, a string or a name within so many brackets. The lexer is after it.
func (d *devicesReader) see(l *lexer, t token, brackets int) {
	name := l.beginning(t)
	if brackets == 0 && (t.kind == word || t.kind == text) && string(name) != "attributes" {
		d.inModule = string(name) == "module" || string(name) == "builtin.module"
	}
	if len(name) == 0 {
		return
	}
	switch name[0] {
	case 'x':
		d.Shardy = d.Shardy || bytes.HasPrefix(name, []byte("xla.sdy."))
	case 's':
		if t.kind == symbol || !bytes.HasPrefix(name, []byte("sdy.")) {
			return
		}
		d.Shardy = true
		if string(name) == "sdy.mesh" {
			d.mesh(l)
		}
	case 'm':
		if !d.inModule || brackets != 1 || !bytes.HasPrefix(name, []byte("mhlo.num_")) || l.peek() != '=' {
			return
		}
		switch string(name) {
		case "mhlo.num_replicas":
			d.Replicas = d.integer(l)
		case "mhlo.num_partitions":
			d.Partitions = d.integer(l)
		}
	default:
		return
	}
	if d.first && d.Replicas != 0 && d.Partitions != 0 && (d.Shardy || !d.mentions) {
		l.pos = len(l.code)
	}
}

// beginning returns the name that a token stands for, or only its beginning if it is longer than
// any name of interest.
func (l *lexer) beginning(t token) []byte {
	const most = 256
	b := l.code[t.start:min(t.end, t.start+most)]
	if bytes.IndexByte(b, '\\') >= 0 && len(b) < most {
		return []byte(l.name(t))
	}
	if t.kind == symbol || t.kind == attributeName {
		b = b[1:]
	}
	if len(b) > 0 && b[0] == '"' {
		b = bytes.TrimSuffix(b[1:], []byte{'"'})
	}
	return b
}

// integer reads an equals sign and a number.
func (d *devicesReader) integer(l *lexer) int64 {
	ahead := *l
	ahead.next()
	t := ahead.next()
	n, err := strconv.ParseInt(string(ahead.bytes(t)), 0, 64)
	if t.kind != number || err != nil {
		return 0
	}
	return n
}

// mesh reads the axes of a mesh: [@name =] <["x"=2, "y"=4]>. The generic form of the operation has
// the mesh as an attribute, with the same name and another bracket before it.
func (d *devicesReader) mesh(l *lexer) {
	ahead := *l
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
			d.Mesh = max(d.Mesh, size)
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
