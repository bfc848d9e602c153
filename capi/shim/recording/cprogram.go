// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package recording

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/capi/describe"
)

// CProgram returns a program in C that makes the last call of a function in the session, after the
// calls on whose objects it depends, and prints what the function returns in the field, or in all
// fields if it is empty. The program takes the path of the plugin, and is compiled with
// XLA's pjrt_c_api.h:
//
//	cc -I third_party/xla program.c && ./a.out my_plugin.so
//
// A call that did not return ([Session.Begun]) is the last one.
//
// It fails if the session has no such call, or if a call depends on memory or on functions of the
// recorded process.
func (s *Session) CProgram(function, field string) (string, error) {
	w := &cWriter{made: make(map[string]string), makers: make(map[string]*Call), wanted: make(map[*Call]bool)}
	var target *Call
	for i := range s.Steps {
		c := s.Steps[i].Call
		if c == nil {
			continue
		}
		// Without a field, what is shown is that the call fails.
		if c.Function.Name == function && (target == nil || field != "" || c.Error != nil || target.Error == nil) {
			target = c
		}
	}
	for _, c := range s.Begun {
		if c.Function.Name == function {
			target = c
		}
	}
	if target == nil {
		return "", fmt.Errorf("there is no call of %s in the session", function)
	}
	for i := range s.Steps {
		c := s.Steps[i].Call
		if c == nil || c == target || c.Error != nil {
			continue
		}
		for _, name := range names(c.Out, nil) {
			if w.makers[name] == nil {
				w.makers[name] = c
			}
		}
	}
	w.want(target)
	begun := false
	for i := range s.Steps {
		c := s.Steps[i].Call
		if c == nil || !w.wanted[c] && (begun || c.Function.Name != "PJRT_Plugin_Initialize") {
			continue
		}
		begun = true
		if err := w.call(c, c == target, field); err != nil {
			return "", fmt.Errorf("call %d, %s: %w", c.Number, c.Function.Name, err)
		}
		if c == target {
			break
		}
	}
	if slices.Contains(s.Begun, target) {
		if err := w.call(target, true, field); err != nil {
			return "", fmt.Errorf("call %d, %s: %w", target.Number, function, err)
		}
	}
	return cHead + w.text.String() + "}\n", nil
}

const cHead = `#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include "xla/pjrt/c/pjrt_c_api.h"

static const PJRT_Api *api;

static void check(PJRT_Error *error, const char *function) {
  if (error == NULL) return;
  PJRT_Error_Message_Args m = {.struct_size = PJRT_Error_Message_Args_STRUCT_SIZE, .error = error};
  api->PJRT_Error_Message(&m);
  printf("%s: %.*s\n", function, (int)m.message_size, m.message);
  exit(1);
}

int main(int argc, char **argv) {
  void *library = argc > 1 ? dlopen(argv[1], RTLD_NOW) : NULL;
  if (library == NULL) return puts("name a plugin that can be loaded"), 2;
  api = ((const PJRT_Api *(*)(void))dlsym(library, "GetPjrtApi"))();
`

// cWriter writes calls in C.
type cWriter struct {
	text   strings.Builder
	made   map[string]string // expressions for handles
	makers map[string]*Call  // which call returns a handle first
	wanted map[*Call]bool
	calls  int
}

// names appends the names of the handles in a recorded value.
func names(v any, list []string) []string {
	switch v := v.(type) {
	case string:
		if kind, _, ok := strings.Cut(v, "#"); ok && strings.HasPrefix(kind, "PJRT_") {
			list = append(list, v)
		}
	case []any:
		for _, x := range v {
			list = names(x, list)
		}
	case map[string]any:
		for _, x := range v {
			list = names(x, list)
		}
	}
	return list
}

// want marks a call, and those on whose objects it depends.
func (w *cWriter) want(c *Call) {
	if w.wanted[c] {
		return
	}
	w.wanted[c] = true
	for _, name := range names(c.In, nil) {
		if m := w.makers[name]; m != nil {
			w.want(m)
		}
	}
}

// call writes a call.
func (w *cWriter) call(c *Call, last bool, field string) error {
	w.calls++
	v, args := fmt.Sprintf("a%d", w.calls), c.Function.Args
	fields, err := w.fields(args, c.In)
	if err != nil {
		return err
	}
	fmt.Fprintf(&w.text, "  %s %s = {%s};\n  ", args.Name, v, strings.Join(fields, ", "))
	if isVoid(c.Function.Name) {
		fmt.Fprintf(&w.text, "api->%s(&%s);\n", c.Function.Name, v)
	} else {
		fmt.Fprintf(&w.text, "check(api->%s(&%s), \"%s\");\n", c.Function.Name, v, c.Function.Name)
	}
	for i := range args.Fields {
		f := &args.Fields[i]
		w.note(v+"."+f.Name, c.Out[f.Name])
	}
	if !last {
		return nil
	}
	printed := 0
	for i := range args.Fields {
		f := &args.Fields[i]
		if f.Dir == describe.In || field != "" && f.Name != field {
			continue
		}
		name := f.Name
		switch {
		case f.Kind == describe.Handle && f.Depth == 0, field != "" && (f.Kind == describe.Handle || f.Depth > 0):
			if f.Dir == describe.InOut && f.Depth > 0 {
				name += "[0]"
			}
			fmt.Fprintf(&w.text, "  printf(\"%s: %s = %%p\\n\", (void *)%s.%s);\n", c.Function.Name, name, v, name)
		case f.Depth == 0 && isNumber(f) && f.Size == f.Elem:
			fmt.Fprintf(&w.text, "  printf(\"%s: %s = %%lld\\n\", (long long)%s.%s);\n", c.Function.Name, name, v, name)
		default:
			continue
		}
		printed++
	}
	if printed == 0 {
		fmt.Fprintf(&w.text, "  puts(\"%s succeeds\");\n", c.Function.Name)
	}
	return nil
}

// isVoid reports whether a function returns no error.
func isVoid(name string) bool {
	for _, s := range capi.Sections() {
		for _, f := range capi.Functions(s) {
			if f.Name == name {
				return f.Void
			}
		}
	}
	return false
}

// note remembers the expressions for handles that a call returns.
func (w *cWriter) note(expression string, v any) {
	switch v := v.(type) {
	case string:
		if w.made[v] == "" {
			w.made[v] = expression
		}
	case []any:
		for i, x := range v {
			w.note(fmt.Sprintf("%s[%d]", expression, i), x)
		}
	}
}

// fields returns the initializers of a struct.
func (w *cWriter) fields(s *describe.Struct, in map[string]any) ([]string, error) {
	var list []string
	if s.Sized {
		list = append(list, fmt.Sprintf(".struct_size = %s_STRUCT_SIZE", strings.TrimPrefix(s.Name, "struct ")))
	}
	for i := range s.Fields {
		f := &s.Fields[i]
		v, ok := in[f.Name]
		if data, has := in[hostData]; f.Name == "data" && has {
			v, ok = data, true
		}
		if !ok || v == nil {
			continue
		}
		if f.Kind == describe.Union {
			// The member is numbered by the field type.
			n := 0
			if _, err := fmt.Sscan(fmt.Sprint(in["type"]), &n); err != nil || n < 0 || n >= len(f.Members) {
				return nil, fmt.Errorf("the member of %s is not known", f.Name)
			}
			f = &f.Members[n]
		}
		text, err := w.value(f, f.Depth, v)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.Name, err)
		}
		if text != "" && text != "0" && text != "false" {
			list = append(list, "."+f.Name+" = "+text)
		}
	}
	return list, nil
}

var errInProcess = errors.New("it is memory or a function of the recorded process")

// value returns a value of a field behind so many pointers, or "" to leave the field out.
func (w *cWriter) value(f *describe.Field, depth int, v any) (string, error) {
	if v == nil {
		return "0", nil
	}
	if f.Kind == describe.Callback {
		return "", errInProcess
	}
	if f.Name == "data" || f.Kind == describe.Data && depth == 0 {
		data, err := bytesOf(v)
		if err != nil {
			return "", nil // an address that the API does not say anything about
		}
		return cWords(data), nil
	}
	if f.Kind == describe.Address {
		return "", nil
	}
	if list, ok := v.([]any); ok && depth > 0 || ok && f.Size > f.Elem {
		var values []string
		for _, x := range list {
			text, err := w.value(f, depth-1, x)
			if err != nil {
				return "", err
			}
			values = append(values, text)
		}
		if len(values) == 0 {
			return "0", nil
		}
		if depth == 0 {
			return "{" + strings.Join(values, ", ") + "}", nil
		}
		of, err := cType(f, depth-1)
		return "(" + of + "[]){" + strings.Join(values, ", ") + "}", err
	}
	switch f.Kind {
	case describe.Handle:
		text := w.made[fmt.Sprint(v)]
		if text == "" {
			return "", fmt.Errorf("%v comes from a call that the session lacks", v)
		}
		return text, nil
	case describe.Text:
		data, err := bytesOf(v)
		return cString(data), err
	case describe.Record:
		in, ok := v.(map[string]any)
		if !ok {
			return "", fmt.Errorf("%v is not a struct", v)
		}
		fields, err := w.fields(f.Struct, in)
		text := "{" + strings.Join(fields, ", ") + "}"
		if depth > 0 {
			text = "&(" + f.Struct.Name + ")" + text
		}
		return text, err
	}
	text := fmt.Sprint(v)
	if n, err := strconv.ParseInt(text, 10, 64); err == nil && n != 0 && f.Kind == describe.Enumerator && f.Enum.Text(n) != "" {
		text += " /* " + f.Enum.Text(n) + " */"
	}
	return text, nil
}

// cType returns the C type of a value of a field behind so many pointers.
func cType(f *describe.Field, depth int) (string, error) {
	of := ""
	switch f.Kind {
	case describe.Handle:
		of = f.Type + " *"
	case describe.Record:
		of = f.Struct.Name
	case describe.Text:
		of = "const char *"
	case describe.Bool:
		of = "bool"
	case describe.Float:
		of = map[uintptr]string{4: "float", 8: "double"}[f.Elem]
	case describe.Uint:
		of = map[uintptr]string{1: "uint8_t", 2: "uint16_t", 4: "uint32_t", 8: "size_t"}[f.Elem]
	case describe.Int:
		of = map[uintptr]string{1: "int8_t", 2: "int16_t", 4: "int32_t", 8: "int64_t"}[f.Elem]
	case describe.Enumerator:
		of = f.Enum.Name
	}
	if of == "" {
		return "", errInProcess
	}
	if f.Kind == describe.Handle && f.Dir == describe.In && depth > 0 {
		return of + "const " + strings.Repeat("*", depth), nil
	}
	return of + strings.Repeat("*", depth), nil
}

// cString returns bytes as a literal of C.
func cString(data []byte) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, c := range data {
		switch {
		case c == '\n':
			b.WriteString(`\n`)
		case c == '"' || c == '\\':
			b.WriteString(`\` + string(rune(c)))
		case c < 0x20 || c >= 0x7f || c == '?':
			fmt.Fprintf(&b, `\%03o`, c)
		default:
			b.WriteByte(c)
		}
	}
	return b.String() + `"`
}

// cWords returns bytes as an array of C that is aligned for any type.
func cWords(data []byte) string {
	words := make([]byte, (len(data)+7)/8*8)
	copy(words, data)
	var list []string
	for ; len(words) > 0; words = words[8:] {
		list = append(list, fmt.Sprintf("%#x", binary.LittleEndian.Uint64(words)))
	}
	if len(list) == 0 {
		list = []string{"0"}
	}
	return "(uint64_t[]){" + strings.Join(list, ", ") + "}"
}
