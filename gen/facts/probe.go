// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package facts

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/purepjrt/purepjrt/gen/model"
)

// probe is a program that includes one header, lets the compiler check what a compiler
// can check, and prints the numbers.
type probe struct {
	bytes.Buffer
	cxx  bool
	keys []string
	want map[string]string
}

func newProbe(h *model.Header, cxx bool) *probe {
	p := &probe{cxx: cxx, want: make(map[string]string)}
	p.head(h)
	p.declarations(h)
	fmt.Fprintln(p, "int main(void) {")
	for _, m := range h.Macros {
		if m.Value != nil {
			p.number("macro "+m.Name, m.Name, *m.Value)
		}
	}
	for _, e := range h.Enums {
		p.enum(e)
	}
	for _, s := range h.Structs {
		p.record(s)
	}
	fmt.Fprintln(p, "  return 0;\n}")
	return p
}

func (p *probe) number(key, expr string, want int64) {
	fmt.Fprintf(p, "  printf(\"%s\\t%%lld\\n\", (long long)(%s));\n", key, expr)
	p.keys = append(p.keys, key)
	p.want[key] = strconv.FormatInt(want, 10)
}

// sameType makes the compiler refuse the program if two types differ.
func (p *probe) sameType(key, a, b string) {
	if p.cxx {
		fmt.Fprintf(p, "  static_assert(std::is_same<__typeof__(%s), __typeof__(%s)>::value, \"%s\");\n", a, b, key)
	} else {
		fmt.Fprintf(p, "  _Static_assert(__builtin_types_compatible_p(__typeof__(%s), __typeof__(%s)), \"%s\");\n", a, b, key)
	}
}

// head includes the header first, so that it must include what it needs.
func (p *probe) head(h *model.Header) {
	fmt.Fprintf(p, "#include \"%s\"\n#include <stdio.h>\n#include <stddef.h>\n", h.Path)
	if p.cxx {
		fmt.Fprintln(p, "#include <type_traits>")
	}
	fmt.Fprintf(p, "#ifndef %s\n#error no guard\n#endif\n", h.Guard)
	for _, m := range h.Macros {
		if m.UndefInHeader {
			fmt.Fprintf(p, "#ifdef %s\n#error %s is still defined\n#endif\n", m.Name, m.Name)
		} else {
			fmt.Fprintf(p, "#ifndef %s\n#error %s is not defined\n#endif\n", m.Name, m.Name)
		}
	}
}

// declarations declares everything again: both languages refuse a second declaration that
// differs from the first.
func (p *probe) declarations(h *model.Header) {
	fmt.Fprintln(p, "#ifdef __cplusplus\nextern \"C\" {\n#endif")
	for _, f := range slices.Concat(h.Functions, h.Callbacks) {
		name := f.Name
		if f.Form == "pointer-to-function" {
			name = "(*" + name + ")"
		}
		fmt.Fprintf(p, "typedef %s %s(%s);\n", f.Ret, name, params(f))
	}
	for _, f := range h.Prototypes {
		if f.Namespace == "" {
			fmt.Fprintf(p, "%s %s(%s);\n", f.Ret, f.Name, params(f))
		}
	}
	for _, o := range h.Opaque {
		fmt.Fprintf(p, "typedef struct %s %s;\n", o.Name, o.Name)
	}
	fmt.Fprintln(p, "#ifdef __cplusplus\n}\n#endif")
}

func (p *probe) enum(e model.Enum) {
	name := e.Name
	if e.Typedef == "" {
		name = "enum " + name
	}
	p.number("sizeof "+e.Name, "sizeof("+name+")", e.Size)
	sign := "(" + name + ")-1 < 0"
	if p.cxx {
		sign = "std::is_signed<std::underlying_type<" + name + ">::type>::value"
	}
	signed := int64(0)
	if e.Signed {
		signed = 1
	}
	p.number("signed "+e.Name, sign, signed)
	for _, v := range e.Values {
		value := v.Name
		if e.Scoped {
			value = e.Name + "::" + value
		}
		p.number(e.Name+"."+v.Name, value, v.Value)
	}
}

func (p *probe) record(s model.Struct) {
	name, align := "struct "+s.Name, "_Alignof"
	if p.cxx {
		align = "alignof"
	}
	p.number("sizeof "+s.Name, "sizeof("+name+")", s.Size)
	p.number("alignof "+s.Name, align+"("+name+")", s.Align)
	if s.StructSize != nil {
		p.number(s.StructSize.Const, s.StructSize.Const, s.StructSize.Value)
	}
	for _, alias := range s.Typedefs {
		p.sameType(alias, alias, name)
	}
	for _, x := range model.Leaves(s.Fields) {
		key := s.Name + "." + x.Name
		p.number("offset "+key, "offsetof("+name+", "+x.Name+")", x.Offset)
		p.number("size "+key, "sizeof((("+name+"*)0)->"+x.Name+")", x.Size)
		p.sameType(key, "((("+name+"*)0)->"+x.Name+")", x.Type)
	}
}

func params(f model.Func) string {
	var types []string
	for _, param := range f.Params {
		types = append(types, param.Type)
	}
	return strings.Join(types, ", ")
}
