// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package header

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/purepjrt/purepjrt/gen/model"
)

// preamble fills in what directives say.
func (x *extractor) preamble() {
	h, dirs := x.h, x.main.dirs
	h.Path = x.main.path
	if !x.opts.sealed {
		h.Path = includePath(x.main.path, x.opts.IncludeDirs)
	}
	h.Guard = guard(dirs)
	h.Namespaces = append(h.Namespaces, x.rw.namespaces...)
	undefined := map[string]bool{}
	for _, d := range dirs {
		switch {
		case !d.active:
		case d.name == "include":
			if name, quoted := includeName(d); quoted {
				h.Includes.Project = append(h.Includes.Project, name)
			} else if name != "" {
				h.Includes.System = append(h.Includes.System, name)
			}
		case d.name == "undef" && len(d.toks) > 0:
			undefined[d.toks[0].text] = true
		}
	}
	for _, d := range dirs {
		if d.name != "define" || len(d.toks) == 0 || d.toks[0].text == h.Guard {
			continue
		}
		name := d.toks[0].text
		if i := slices.IndexFunc(h.Macros, func(m model.Macro) bool { return m.Name == name }); i >= 0 {
			if d.active {
				h.Macros[i].Text = macroText(d.toks) // the first one may be in a branch that is not taken
			}
			continue
		}
		cm := x.ast.Macros[name]
		if cm == nil && !undefined[name] || !d.active && cm == nil {
			continue // in a branch that is not taken
		}
		m := model.Macro{Name: name, UndefInHeader: undefined[name] && cm == nil}
		if len(d.toks) > 1 && d.toks[1].text == "(" && d.toks[1].off == d.toks[0].end() {
			m.FunctionLike = true
			m.Params = []string{}
			for _, t := range d.toks[2:] {
				if t.text == ")" {
					break
				}
				if t.text != "," {
					m.Params = append(m.Params, t.text)
				}
			}
		} else if cm != nil {
			if v, ok := integer(cm.Value()); ok {
				m.Value = &v
			}
		}
		m.Text = macroText(d.toks)
		h.Macros = append(h.Macros, m)
		x.place(name, posOf(&d.toks[0]))
		x.version(m)
	}
}

// macroText returns what a macro stands for. The tokens are those of its definition.
func macroText(toks []token) string {
	body := toks[1:]
	if len(body) > 0 && body[0].text == "(" && body[0].off == toks[0].end() {
		if end := slices.IndexFunc(body, func(t token) bool { return t.text == ")" }); end >= 0 {
			body = body[end+1:]
		}
	}
	var b strings.Builder
	for i, t := range body {
		if i > 0 && t.off != body[i-1].end() {
			b.WriteByte(' ')
		}
		b.WriteString(t.text)
	}
	return b.String()
}

// version notes a macro that states a version.
func (x *extractor) version(m model.Macro) {
	if m.Value == nil {
		return
	}
	switch {
	case m.Name == "PJRT_API_MAJOR" || m.Name == "PJRT_API_MINOR":
		if x.h.APIVersion == nil {
			x.h.APIVersion = &model.Version{}
		}
		if m.Name == "PJRT_API_MAJOR" {
			x.h.APIVersion.Major = int(*m.Value)
		} else {
			x.h.APIVersion.Minor = int(*m.Value)
		}
	case strings.HasSuffix(m.Name, "_EXTENSION_VERSION") || m.Name == "PLUGIN_PROFILER_VERSION":
		if x.h.ExtensionVersion == nil {
			x.h.ExtensionVersion = &model.ExtensionVersion{Macro: m.Name, Value: *m.Value}
		}
	}
}

// guard returns the macro of the include guard.
func guard(dirs []directive) string {
	var seen []directive
	for _, d := range dirs {
		if d.name != "pragma" {
			seen = append(seen, d)
		}
		if len(seen) == 2 {
			break
		}
	}
	if len(seen) < 2 || seen[1].name != "define" || len(seen[0].toks) == 0 || len(seen[1].toks) != 1 {
		return ""
	}
	name := seen[1].toks[0].text
	if seen[0].name == "ifndef" && seen[0].toks[0].text == name ||
		seen[0].name == "if" && seen[0].toks[0].text == "!" && seen[0].toks[len(seen[0].toks)-1].text == name {
		return name
	}
	return ""
}

// includePath returns the path under which the header in file is included.
func includePath(file string, dirs []string) string {
	abs, err := filepath.Abs(file)
	if err != nil {
		abs = file
	}
	for _, d := range dirs {
		if r, err := filepath.Rel(mustAbs(d), abs); err == nil && filepath.IsLocal(r) {
			return filepath.ToSlash(r)
		}
	}
	slash := filepath.ToSlash(abs)
	if i := strings.LastIndex(slash, "/xla/"); i >= 0 {
		return slash[i+1:]
	}
	return filepath.Base(file)
}

func mustAbs(d string) string {
	if a, err := filepath.Abs(d); err == nil {
		return a
	}
	return d
}

// finish completes the model once every declaration has been read.
func (x *extractor) finish() {
	x.settle()
	x.complete()
	for _, tag := range x.declared {
		if !x.defined[tag] {
			x.h.Opaque = append(x.h.Opaque, model.Opaque{Name: tag, Doc: x.docs[tag]})
		}
	}
	x.tables()
}
