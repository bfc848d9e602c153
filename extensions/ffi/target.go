// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package ffi

import (
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/raw"
)

// Target is a custom call in a program. It writes the StableHLO operation.
type Target struct {
	// Name is the name under which the handler was registered.
	Name string
	// Attributes are the attributes that the handler gets: a struct such as the handler's
	// own, whose arguments and results are left out, a map[string]any, or nil. Integers and
	// floats keep their size; int and uint become 64 bits.
	Attributes any
	// SideEffect says that the call does more than make its results, so that the compiler
	// neither leaves it out nor merges two calls.
	SideEffect bool
	// Aliases lets result i use the memory of argument Aliases[i], which must have the same
	// shape. The compiler copies the argument first if it is needed later.
	Aliases map[int]int
}

// Operand is an SSA value of a program, such as %0 or %arg0, and its shape.
type Operand struct {
	Name  string
	Shape pjrt.Shape
}

// Line returns the operation stablehlo.custom_call, with API version 4, for arguments and
// results. All arrays are row-major, as handlers expect. The results of one call share the
// name result, such as %0: if there are several, they are %0#0, %0#1 and so on. For a call
// without results, the name is empty.
func (t Target) Line(result string, results []pjrt.Shape, args ...Operand) (string, error) {
	if err := checkName(t.Name, ""); err != nil {
		return "", err
	}
	if (result == "") != (len(results) == 0) || result != "" && !isValue(result) {
		return "", pjrt.ErrInvalidArgument.Errorf("the %d results of the custom call %s cannot have the name %q: use a name like %%0, "+
			"or none without results",
			len(results), t.Name, result)
	}
	var b strings.Builder
	switch len(results) {
	case 0:
	case 1:
		fmt.Fprintf(&b, "%s = ", result)
	default:
		fmt.Fprintf(&b, "%s:%d = ", result, len(results))
	}
	names, shapes := make([]string, len(args)), make([]pjrt.Shape, len(args))
	for i, a := range args {
		if !isValue(a.Name) {
			return "", pjrt.ErrInvalidArgument.Errorf("argument %d of the custom call %s cannot have the name %q: use a name like %%0",
				i, t.Name, a.Name)
		}
		names[i], shapes[i] = a.Name, a.Shape
	}
	attributes, err := dictionaryText(reflect.ValueOf(t.Attributes))
	if err != nil {
		_, why := raw.ErrorParts(err)
		return "", pjrt.ErrInvalidArgument.Errorf("the attributes of the custom call %s: %s", t.Name, why)
	}
	aliases, err := t.aliases(shapes, results)
	if err != nil {
		return "", err
	}
	argTypes, argLayouts, err := typesText(shapes)
	if err != nil {
		return "", err
	}
	retTypes, retLayouts, err := typesText(results)
	if err != nil {
		return "", err
	}
	fmt.Fprintf(&b, "stablehlo.custom_call @%s(%s) {api_version = 4 : i32, backend_config = %s",
		symbol(t.Name), strings.Join(names, ", "), attributes)
	if t.SideEffect {
		b.WriteString(", has_side_effect = true")
	}
	fmt.Fprintf(&b, ", operand_layouts = [%s]%s, result_layouts = [%s]} : (%s) -> ", argLayouts, aliases, retLayouts, argTypes)
	if len(results) == 1 {
		b.WriteString(retTypes)
	} else {
		fmt.Fprintf(&b, "(%s)", retTypes)
	}
	return b.String(), nil
}

func (t Target) aliases(args, results []pjrt.Shape) (string, error) {
	if len(t.Aliases) == 0 {
		return "", nil
	}
	var list []string
	owner := make(map[int]int)
	for _, r := range slices.Sorted(maps.Keys(t.Aliases)) {
		a := t.Aliases[r]
		if other, taken := owner[a]; taken {
			return "", pjrt.ErrInvalidArgument.Errorf("results %d and %d of the custom call %s cannot both use the memory of argument %d",
				other, r, t.Name, a)
		}
		owner[a] = r
		if r < 0 || r >= len(results) || a < 0 || a >= len(args) || !args[a].Equal(results[r]) {
			return "", pjrt.ErrInvalidArgument.Errorf("result %d of the custom call %s cannot use the memory of argument %d: they need "+
				"the same shape",
				r, t.Name, a)
		}
		index := ""
		if len(results) > 1 {
			index = strconv.Itoa(r)
		}
		list = append(list, fmt.Sprintf("#stablehlo.output_operand_alias<"+
			"output_tuple_indices = [%s], operand_index = %d, operand_tuple_indices = []>", index, a))
	}
	return ", output_operand_aliases = [" + strings.Join(list, ", ") + "]", nil
}

// typesText returns the types and the row-major layouts of shapes.
func typesText(shapes []pjrt.Shape) (types, layouts string, err error) {
	var ts, ls []string
	for _, s := range shapes {
		if !s.Type.Valid() {
			return "", "", pjrt.ErrInvalidArgument.Errorf("the shape %v has no element type", s)
		}
		var t strings.Builder
		t.WriteString("tensor<")
		order := make([]string, len(s.Dims))
		for i, d := range s.Dims {
			if d < 0 {
				return "", "", pjrt.ErrInvalidArgument.Errorf("the shape %v has a negative dimension", s)
			}
			fmt.Fprintf(&t, "%dx", d)
			order[i] = strconv.Itoa(len(s.Dims) - 1 - i)
		}
		t.WriteString(s.Type.String() + ">")
		ts = append(ts, t.String())
		ls = append(ls, fmt.Sprintf("dense<[%s]> : tensor<%dxindex>", strings.Join(order, ", "), len(s.Dims)))
	}
	return strings.Join(ts, ", "), strings.Join(ls, ", "), nil
}

// isValue reports whether name is the name of an SSA value.
func isValue(name string) bool {
	rest, ok := strings.CutPrefix(name, "%")
	rest, number, several := strings.Cut(rest, "#")
	if _, err := strconv.Atoi(number); several && err != nil {
		return false
	}
	return ok && rest != "" && strings.Trim(rest, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789$._-") == ""
}

// symbol returns a name as MLIR writes it after @ and as a key.
func symbol(name string) string {
	if strings.Trim(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_$.") == "" &&
		!strings.ContainsAny(name[:1], "0123456789$.") {
		return name
	}
	return quoted(name)
}

// quoted returns a string literal of MLIR.
func quoted(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, c := range []byte(s) {
		if c < ' ' || c > '~' || c == '"' || c == '\\' {
			fmt.Fprintf(&b, `\%02X`, c)
		} else {
			b.WriteByte(c)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// dictionaryText returns a struct or map as a dictionary.
func dictionaryText(v reflect.Value) (string, error) {
	for v.Kind() == reflect.Pointer || v.Kind() == reflect.Interface {
		v = v.Elem()
	}
	entries := make(map[string]reflect.Value)
	switch {
	case !v.IsValid():
	case v.Kind() == reflect.Struct:
		if err := fieldEntries(v, entries); err != nil {
			return "", err
		}
	case v.Type() == restType:
		for _, key := range v.MapKeys() {
			entries[key.String()] = v.MapIndex(key)
		}
	default:
		return "", pjrt.ErrInvalidArgument.Errorf("%v is not a dictionary: use a struct or a map[string]any", v.Type())
	}
	var list []string
	for _, name := range slices.Sorted(maps.Keys(entries)) {
		if name == "" {
			return "", pjrt.ErrInvalidArgument.Errorf("an attribute has no name")
		}
		text, err := attributeText(entries[name])
		if err != nil {
			_, why := raw.ErrorParts(err)
			return "", pjrt.ErrInvalidArgument.Errorf("%s: %s", name, why)
		}
		list = append(list, symbol(name)+" = "+text)
	}
	return "{" + strings.Join(list, ", ") + "}", nil
}

// fieldEntries adds the attributes of a struct to entries, by name.
func fieldEntries(v reflect.Value, entries map[string]reflect.Value) error {
	t := v.Type()
	for i := range t.NumField() {
		f := t.Field(i)
		if o, _ := operandOf(f.Type); o != nil {
			continue
		}
		var d dictionary
		if err := d.add(f); err != nil {
			return err
		}
		value := v.Field(i)
		if d.rest == nil {
			if !d.fields[0].optional || !value.IsZero() {
				entries[d.fields[0].name] = value
			}
			continue
		}
		for _, key := range value.MapKeys() {
			entries[key.String()] = value.MapIndex(key)
		}
	}
	return nil
}

// attributeText returns a value as an attribute.
func attributeText(v reflect.Value) (string, error) {
	for v.Kind() == reflect.Pointer || v.Kind() == reflect.Interface {
		v = v.Elem()
	}
	switch v.Kind() {
	case reflect.Struct, reflect.Map:
		return dictionaryText(v)
	case reflect.String:
		return quoted(v.String()), nil
	case reflect.Bool:
		return strconv.FormatBool(v.Bool()), nil
	case reflect.Slice:
		kind, ok := mlirType(v.Type().Elem())
		if !ok || strings.HasPrefix(kind, "ui") || kind == "i1" {
			return "", pjrt.ErrInvalidArgument.Errorf("XLA has no arrays of %v: use those of signed integers or floats", v.Type().Elem())
		}
		list := make([]string, v.Len())
		for i := range list {
			list[i] = number(v.Index(i))
		}
		if len(list) == 0 {
			return "array<" + kind + ">", nil
		}
		return "array<" + kind + ": " + strings.Join(list, ", ") + ">", nil
	case reflect.Invalid:
		return "", pjrt.ErrInvalidArgument.Errorf("is nil")
	}
	kind, ok := mlirType(v.Type())
	if !ok {
		return "", pjrt.ErrInvalidArgument.Errorf("%v has no form as an attribute", v.Type())
	}
	return number(v) + " : " + kind, nil
}

// mlirType returns MLIR's name for the type of a number.
func mlirType(t reflect.Type) (string, bool) {
	switch t.Kind() {
	case reflect.Bool:
		return "i1", true
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return fmt.Sprintf("i%d", max(t.Bits(), 8)), true
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return fmt.Sprintf("ui%d", t.Bits()), true
	case reflect.Float32, reflect.Float64:
		return fmt.Sprintf("f%d", t.Bits()), true
	}
	return "", false
}

// number returns a number as MLIR writes it.
func number(v reflect.Value) string {
	switch {
	case v.CanInt():
		return strconv.FormatInt(v.Int(), 10)
	case v.CanUint():
		return strconv.FormatUint(v.Uint(), 10)
	}
	f, bits := v.Float(), v.Type().Bits()
	if math.IsNaN(f) || math.IsInf(f, 0) {
		if bits == 32 {
			return fmt.Sprintf("0x%08X", math.Float32bits(float32(f)))
		}
		return fmt.Sprintf("0x%016X", math.Float64bits(f))
	}
	text := strconv.FormatFloat(f, 'e', -1, bits)
	// MLIR requires a decimal point.
	if mantissa, exponent, _ := strings.Cut(text, "e"); !strings.Contains(mantissa, ".") {
		text = mantissa + ".0e" + exponent
	}
	return text
}
