// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"go/parser"
	"go/printer"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/gen/facts"
	"github.com/purepjrt/purepjrt/gen/header"
	"github.com/purepjrt/purepjrt/gen/model"
)

// past makes in a folder third_party/xla as it was at an older minor, from what it is now:
// the headers without what since.json says came later, and the facts and the history up to
// the minor. If headers are named, it makes only those.
func past(t *testing.T, dir string, minor int, only ...string) {
	t.Helper()
	require.NoError(t, os.CopyFS(filepath.Join(dir, "stubs"), os.DirFS(filepath.Join(thirdParty, "stubs"))))
	pastHeaders(t, dir, minor, only...)
	minors, err := facts.Minors(filepath.Join(thirdParty, "facts"))
	require.NoError(t, err)
	for _, m := range minors {
		if folder := fmt.Sprintf("facts/0.%d", m); m <= minor {
			require.NoError(t, os.CopyFS(filepath.Join(dir, folder), os.DirFS(filepath.Join(thirdParty, folder))))
		}
	}
	writeFile(t, filepath.Join(dir, "since.json"), pastSince(read(t, filepath.Join(thirdParty, "since.json")), minor))
	writeFile(t, filepath.Join(dir, "facts", "history.json"), pastHistory(read(t, filepath.Join(thirdParty, "facts", "history.json")), minor))
	version := regexp.MustCompile(`(?m)^(xla/\S+): 0\.\d+ .*\n`)
	text := version.ReplaceAllStringFunc(read(t, filepath.Join(thirdParty, "VERSION")), func(line string) string {
		path := version.FindStringSubmatch(line)[1]
		if _, err := os.Stat(filepath.Join(dir, path)); err != nil {
			return ""
		}
		return fmt.Sprintf("%s: 0.%d unknown\n", path, minor)
	})
	text = regexp.MustCompile(`api_minor: \d+`).ReplaceAllString(text, fmt.Sprintf("api_minor: %d", minor))
	writeFile(t, filepath.Join(dir, "VERSION"), text)
}

const thirdParty = "../../third_party/xla"

// present returns the headers as they are now.
var present = sync.OnceValues(func() (*model.Set, error) { return readHeaders(thirdParty) })

// pastHeaders writes the headers of a minor below dir.
func pastHeaders(t *testing.T, dir string, minor int, only ...string) {
	t.Helper()
	since, err := readSince(filepath.Join(thirdParty, "since.json"))
	require.NoError(t, err)
	docs, err := facts.Read(filepath.Join(thirdParty, "facts"), minor)
	require.NoError(t, err)
	for path, doc := range docs {
		if len(only) > 0 && !slices.Contains(only, path) {
			continue
		}
		text := read(t, filepath.Join(thirdParty, path))
		writeFile(t, filepath.Join(dir, path), pastHeader(t, path, text, doc, func(item string) bool {
			at, ok := since(path, item)
			return ok && at > minor
		}))
	}
}

// pastHeader removes from a header what is later than the facts.
func pastHeader(t *testing.T, path, text string, doc map[string]any, later func(item string) bool) string {
	t.Helper()
	was, err := factsHeader(doc)
	require.NoError(t, err)
	set, err := present()
	require.NoError(t, err)
	now := set.Header(path)
	o, err := header.NewOutline(path, []byte(text))
	require.NoError(t, err)
	type edit struct {
		start, end int
		with       string
	}
	var edits []edit
	cut := func(p header.Place) {
		start := comments(text, p.Start)
		edits = append(edits, edit{start, p.Tail, ""})
	}
	known := func(name string) bool { return isHandle(was, name) }
	for _, p := range o.Places {
		switch {
		case later(p.Name), p.Kind != header.KindForward && later("struct "+p.Name):
			cut(p)
			continue
		case p.Kind == header.KindForward && later("struct "+p.Name),
			p.Kind == header.KindForward && !known(p.Name) && isHandle(now, p.Name):
			cut(p)
			continue
		case p.Kind == header.KindMacro:
			i := slices.IndexFunc(was.Macros, func(m model.Macro) bool { return m.Name == p.Name })
			if i >= 0 && was.Macros[i].Value != nil && regexp.MustCompile(`^#define \w+ \d+$`).MatchString(text[p.Start:p.End]) {
				edits = append(edits, edit{p.Start, p.End, fmt.Sprintf("#define %s %d", p.Name, *was.Macros[i].Value)})
			}
		case p.Kind == header.KindCall:
			before, after := structNamed(was, p.Name), structNamed(now, p.Name)
			if before != nil && after != nil && after.StructSize.LastField != before.StructSize.LastField {
				word := regexp.MustCompile(`\b` + after.StructSize.LastField + `\b`)
				edits = append(edits, edit{p.Start, p.End, word.ReplaceAllString(text[p.Start:p.End], before.StructSize.LastField)})
			}
		}
		for _, m := range p.Members {
			if later(p.Name + "." + m.Name) {
				cut(m)
			} else if p.Kind == header.KindRecord && structNamed(was, p.Name) != nil {
				// A field that was deprecated later loses its comment.
				old, is := fieldNamed(structNamed(was, p.Name), m.Name), fieldNamed(structNamed(now, p.Name), m.Name)
				if old != nil && is != nil && is.Deprecated && !old.Deprecated {
					edits = append(edits, edit{comments(text, m.Start), m.Start, "\n  "})
				}
			}
		}
	}
	slices.SortFunc(edits, func(a, b edit) int { return cmp.Compare(a.start, b.start) })
	var b strings.Builder
	at := 0
	for _, e := range edits {
		if e.start < at {
			continue // inside something that was removed
		}
		b.WriteString(text[at:e.start] + e.with)
		at = e.end
	}
	return b.String() + text[at:]
}

func isHandle(h *model.Header, name string) bool {
	return slices.ContainsFunc(h.Opaque, func(o model.Opaque) bool { return o.Name == name })
}

func structNamed(h *model.Header, name string) *model.Struct {
	for i := range h.Structs {
		if h.Structs[i].Name == name {
			return &h.Structs[i]
		}
	}
	return nil
}

func fieldNamed(s *model.Struct, name string) *model.Field {
	for _, f := range model.Leaves(s.Fields) {
		if f.Name == name {
			return &f
		}
	}
	return nil
}

// comments returns where the comments before an offset begin, including the white space
// before them.
func comments(text string, at int) int {
	for {
		at = len(strings.TrimRight(text[:at], " \t\n"))
		line := strings.LastIndexByte(text[:at], '\n') + 1
		if !strings.HasPrefix(strings.TrimSpace(text[line:at]), "//") {
			return at
		}
		at = line
	}
}

// pastSince returns since.json without what came after a minor.
func pastSince(text string, minor int) string {
	item := regexp.MustCompile(`^"[^"]+":(?:\[(?:\d+|null),(\d+)\]|(\d+)),?$`)
	var kept []string
	for _, line := range strings.Split(strings.TrimSpace(text), "\n") {
		if m := item.FindStringSubmatch(line); m != nil && !strings.HasPrefix(line, `"format"`) {
			if n, _ := strconv.Atoi(m[1] + m[2]); n > minor {
				if !strings.HasPrefix(line, `"minor"`) {
					continue
				}
				line = fmt.Sprintf(`"minor":%d,`, minor)
			}
		}
		kept = append(kept, strings.TrimSuffix(line, ","))
	}
	for i := range kept[:len(kept)-1] {
		if !strings.HasPrefix(kept[i+1], "}") && !strings.HasSuffix(kept[i], "{") {
			kept[i] += ","
		}
	}
	return strings.Join(kept, "\n") + "\n"
}

// pastHistory returns history.json up to a minor.
func pastHistory(text string, minor int) string {
	after := func(s string) bool {
		n, _ := strconv.Atoi(s)
		return n > minor
	}
	run := regexp.MustCompile(`,?\[(\d+),(?:\d+|null)\]`)
	row := regexp.MustCompile(`^(?:\[|\{"minor":)(\d+),`)
	var kept []string
	for _, line := range strings.Split(strings.TrimSpace(text), "\n") {
		if m := row.FindStringSubmatch(line); m != nil && after(m[1]) {
			continue
		}
		if strings.HasPrefix(line, `"last_minor"`) {
			line = fmt.Sprintf(`"last_minor":%d`, minor)
		}
		line = run.ReplaceAllStringFunc(line, func(s string) string {
			if after(run.FindStringSubmatch(s)[1]) {
				return ""
			}
			return s
		})
		line = regexp.MustCompile(`,?"\w+":\[\]`).ReplaceAllString(line, "")
		if line != "," && line != "" {
			kept = append(kept, strings.TrimSuffix(line, ","))
		}
	}
	for i := range kept[:len(kept)-1] {
		open := strings.HasSuffix(kept[i], "{") || strings.HasSuffix(kept[i], "[")
		if !open && !strings.HasPrefix(kept[i+1], "}") && !strings.HasPrefix(kept[i+1], "]") {
			kept[i] += ","
		}
	}
	return strings.Join(kept, "\n") + "\n"
}

// sameFacts checks that the facts in a folder say what was measured at each minor.
func sameFacts(t *testing.T, dir string, from, to int) {
	t.Helper()
	for minor := from; minor <= to; minor++ {
		want, err := facts.Read(filepath.Join(thirdParty, "facts"), minor)
		require.NoError(t, err)
		got, err := facts.Read(filepath.Join(dir, "facts"), minor)
		require.NoError(t, err)
		require.Len(t, got, len(want), "0.%d", minor)
		for path, doc := range want {
			var a, b map[string]any
			text, err := json.Marshal(doc)
			require.NoError(t, err)
			require.NoError(t, json.Unmarshal(text, &a))
			sometimesWritten(a)
			b = got[path]
			require.Empty(t, facts.Missing(b, a), "0.%d %s", minor, path)
		}
	}
}

// code returns Go code without its comments.
func code(t *testing.T, text string) string {
	t.Helper()
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "", text, parser.SkipObjectResolution)
	require.NoError(t, err)
	var b bytes.Buffer
	require.NoError(t, (&printer.Config{Mode: printer.RawFormat}).Fprint(&b, fset, file))
	var lines []string
	for line := range strings.Lines(b.String()) {
		// Where comments are longer or fewer, code is aligned differently.
		if words := strings.Fields(line); len(words) > 0 {
			lines = append(lines, strings.Join(words, " "))
		}
	}
	return strings.Join(lines, "\n")
}

// sometimesWritten removes from facts what was not written at every minor.
func sometimesWritten(v any) {
	switch v := v.(type) {
	case map[string]any:
		for _, key := range []string{"args_struct", "single_args_pointer", "sig"} {
			delete(v, key)
		}
		for _, x := range v {
			sometimesWritten(x)
		}
	case []any:
		for _, x := range v {
			sometimesWritten(x)
		}
	}
}
