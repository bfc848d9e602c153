// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package header

import (
	"bytes"
	"slices"
	"strings"
)

// Place says where a declaration is in the text of a header, for programs that edit it.
type Place struct {
	Kind Kind
	Name string // empty if the declaration has none; an enum without one has that of its first value
	// Start and End are offsets of the declaration in the text. It ends after its
	// semicolon; a member of an enum ends before its comma.
	Start, End int
	// Tail is the end of the last line that belongs to the declaration, including the
	// comments after it.
	Tail int
	// Members are the fields of a record and the values of an enum. Body is the offset
	// after the bracket that opens them.
	Members []Place
	Body    int
}

// Kind is the kind of a declaration.
type Kind string

// The kinds. A type is a typedef of anything that has no body, and a call uses a macro in
// place of a declaration: its Name is the macro's first argument.
const (
	KindMacro   Kind = "macro"
	KindRecord  Kind = "record"
	KindEnum    Kind = "enum"
	KindForward Kind = "forward"
	KindType    Kind = "type"
	KindCall    Kind = "call"
	KindOther   Kind = "other"
	KindMember  Kind = "member"
)

// Outline is the declarations of a header in the order of its text.
type Outline struct {
	Text   []byte // with \n at the ends of lines, and without a byte order mark
	Places []Place
	source *source
}

// NewOutline finds the declarations in the text of a header. It does not look at what the
// header includes, and accepts any text: if it is not C, the outline is useless. path is
// for errors.
func NewOutline(path string, text []byte) (*Outline, error) {
	s, err := lex(path, text)
	if err != nil {
		return nil, err
	}
	o := &Outline{Text: s.text, source: s}
	o.macros()
	o.declarations()
	slices.SortStableFunc(o.Places, func(a, b Place) int { return a.Start - b.Start })
	return o, nil
}

func (o *Outline) macros() {
	for _, d := range o.source.dirs {
		if d.name != "define" || len(d.toks) == 0 {
			continue
		}
		first, last := d.toks[0], d.toks[len(d.toks)-1]
		start := bytes.LastIndexByte(o.Text[:first.off], '#')
		o.Places = append(o.Places, Place{Kind: KindMacro, Name: first.text, Start: start, End: last.end(), Tail: o.lineEnd(last.end())})
	}
}

// lineEnd returns the end of the line at an offset.
func (o *Outline) lineEnd(off int) int {
	if i := bytes.IndexByte(o.Text[off:], '\n'); i >= 0 {
		return off + i
	}
	return len(o.Text)
}

func (o *Outline) declarations() {
	toks := o.source.toks
	for i := 0; i < len(toks); {
		switch {
		case toks[i].text == "}" || toks[i].text == ";":
			i++ // the end of a namespace, or of extern "C"
		case toks[i].text == "namespace" || toks[i].text == "extern" && i+1 < len(toks) && toks[i+1].kind == kindString:
			for i < len(toks) && toks[i].text != "{" && toks[i].text != ";" {
				i++
			}
			i++
		default:
			last := declarationEnd(toks, i)
			o.Places = append(o.Places, o.place(i, last))
			i = last + 1
		}
	}
}

// declarationEnd returns the index of the last token of the declaration that begins at i:
// a semicolon, or the bracket that closes a function's body.
func declarationEnd(toks []token, i int) int {
	depth := 0
	for ; i < len(toks); i++ {
		switch toks[i].text {
		case "(", "[", "{":
			depth++
		case ")", "]":
			depth--
		case "}":
			depth--
			if depth == 0 && (i+1 == len(toks) || isBody(toks, i)) {
				return i
			}
		case ";":
			if depth <= 0 {
				return i
			}
		}
	}
	return len(toks) - 1
}

// isBody reports whether the bracket at i closes the body of a function.
func isBody(toks []token, i int) bool {
	depth := 0
	for ; i > 0; i-- {
		switch toks[i].text {
		case "}":
			depth++
		case "{":
			if depth--; depth == 0 {
				return toks[i-1].text == ")"
			}
		}
	}
	return false
}

func (o *Outline) place(first, last int) Place {
	toks := o.source.toks
	p := Place{Start: toks[first].off, End: toks[last].end()}
	p.Tail = o.tail(first, last)
	words := toks[first : last+1]
	open := slices.IndexFunc(words, func(t token) bool { return t.text == "{" || t.text == "(" })
	head := words
	if open >= 0 {
		head = words[:open]
	}
	has := func(w string) bool { return slices.ContainsFunc(head, func(t token) bool { return t.text == w }) }
	typedef, record := has("typedef"), has("struct") || has("union") || has("class")
	switch {
	case open > 0 && words[open].text == "{" && (record || has("enum")):
		p.Kind = KindRecord
		if has("enum") {
			p.Kind = KindEnum
		}
		begin := first + open
		closing := matching(toks, begin)
		if closing < 0 {
			closing = last
		}
		p.Body = toks[begin].end()
		if p.Kind == KindEnum {
			p.Members = o.values(begin+1, closing)
		} else {
			p.Members = o.fields(begin+1, closing)
		}
		p.Name = lastIdent(toks[closing+1 : last+1])
		if p.Name == "" {
			p.Name = tagOf(head)
		}
		if p.Name == "" && p.Kind == KindEnum && len(p.Members) > 0 {
			p.Name = p.Members[0].Name
		}
	case open == 1 && !typedef && words[0].kind == kindIdent && words[open].text == "(":
		p.Kind, p.Name = KindCall, firstIdent(words[open+1:])
	case typedef && record && open < 0:
		p.Kind, p.Name = KindForward, lastIdent(words)
	case !typedef && record && open < 0 && len(words) == 3:
		p.Kind, p.Name = KindForward, words[1].text
	case typedef:
		p.Kind, p.Name = KindType, declarator(words)
	default:
		p.Kind, p.Name = KindOther, declarator(words)
	}
	return p
}

func (o *Outline) fields(first, end int) (list []Place) {
	for i := first; i < end; {
		last := min(declarationEnd(o.source.toks, i), end-1)
		words := o.source.toks[i : last+1]
		p := Place{Kind: KindMember, Start: words[0].off, End: words[len(words)-1].end(), Tail: o.tail(i, last)}
		switch open := slices.IndexFunc(words, func(t token) bool { return t.text == "{" }); {
		case open >= 0:
			p.Name = lastIdent(words[max(0, matching(words, open)):])
		case isMacroCall(words):
			p.Name = words[len(words)-3].text // the field that the macro declares
		default:
			p.Name = declarator(words)
		}
		list = append(list, p)
		i = last + 1
	}
	return list
}

// isMacroCall reports whether a member of a struct is declared by a macro that takes its
// name, after attributes if there are any: NO_DISCARD FIELD(name);
func isMacroCall(words []token) bool {
	n := len(words)
	if n < 5 || words[n-4].text != "(" || words[n-3].kind != kindIdent || words[n-2].text != ")" || words[n-1].text != ";" {
		return false
	}
	return !slices.ContainsFunc(words[:n-4], func(t token) bool { return t.kind != kindIdent })
}

func (o *Outline) values(first, end int) (list []Place) {
	toks := o.source.toks
	for i := first; i < end; {
		depth, last := 0, i
		for ; last < end && (depth > 0 || toks[last].text != ","); last++ {
			switch toks[last].text {
			case "(":
				depth++
			case ")":
				depth--
			}
		}
		list = append(list, Place{Kind: KindMember, Name: toks[i].text, Start: toks[i].off, End: toks[last-1].end(),
			Tail: o.tail(i, min(last, end-1))})
		i = last + 1
	}
	return list
}

// tail returns the end of the last line of a declaration and of the comments after it.
func (o *Outline) tail(first, last int) int {
	end := o.source.toks[last].end()
	for _, c := range o.source.trail(first, last) {
		end = max(end, c.end)
	}
	return o.lineEnd(end)
}

// declarator returns the name that a declaration without a body gives.
func declarator(words []token) string {
	for i := 0; i+2 < len(words); i++ {
		// (*NAME) and (NAME)(...)
		if words[i].text == "(" && words[i+1].text == "*" && words[i+2].kind == kindIdent {
			return words[i+2].text
		}
		if words[i].text == "(" && words[i+1].kind == kindIdent && words[i+2].text == ")" && i+3 < len(words) && words[i+3].text == "(" {
			return words[i+1].text
		}
	}
	name := ""
	for _, t := range words {
		if t.kind == kindIdent {
			name = t.text
		}
		if name != "" && (t.text == "(" || t.text == "[" || t.text == ":" || t.text == "=" || t.text == ";") {
			break
		}
	}
	return name
}

// tagOf returns the tag in what precedes the body of a struct or an enum.
func tagOf(head []token) string {
	if i := slices.IndexFunc(head, func(t token) bool { return t.text == ":" }); i >= 0 {
		head = head[:i] // after it comes the type of an enum's values
	}
	if name := lastIdent(head); !keywords[name] {
		return name
	}
	return ""
}

func firstIdent(words []token) string {
	for _, t := range words {
		if t.kind == kindIdent {
			return t.text
		}
	}
	return ""
}

func lastIdent(words []token) string {
	for _, t := range slices.Backward(words) {
		if t.kind == kindIdent {
			return t.text
		}
	}
	return ""
}

// Code returns the text between two offsets without its comments: lines that held only
// comments are gone, and what is left of the others is trimmed at the end.
func (o *Outline) Code(start, end int) string {
	const gone = '\x00'
	var b strings.Builder
	text := string(o.Text[start:end])
	for i := 0; i < len(text); {
		rest := text[i:]
		n := 1
		switch {
		case strings.HasPrefix(rest, "//"):
			if n = strings.IndexByte(rest, '\n'); n < 0 {
				n = len(rest)
			}
		case strings.HasPrefix(rest, "/*"):
			if n = strings.Index(rest[2:], "*/") + 4; n < 4 {
				n = len(rest)
			}
		case rest[0] == '"' || rest[0] == '\'':
			n = literal(rest)
			fallthrough
		default:
			b.WriteString(rest[:n])
			i += n
			continue
		}
		b.WriteByte(gone)
		i += n
	}
	var lines []string
	for line := range strings.SplitSeq(b.String(), "\n") {
		code := strings.TrimRight(strings.ReplaceAll(line, string(gone), ""), " \t")
		if strings.TrimSpace(code) == "" && strings.ContainsRune(line, gone) {
			continue
		}
		lines = append(lines, code)
	}
	return strings.TrimSpace(strings.Join(lines, "\n"))
}

// literal returns the length of the string or character constant that s begins with.
func literal(s string) int {
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case s[0]:
			return i + 1
		case '\n':
			return i
		}
	}
	return len(s)
}
