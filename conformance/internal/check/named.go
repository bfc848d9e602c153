// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package check

import (
	"fmt"
	"strings"

	"github.com/purepjrt/purepjrt/capi"
)

// NamedValues returns attributes as an array of named values, which stays in memory until the check
// is over.
func (t *T) NamedValues(attributes ...capi.Attribute) (*capi.NamedValue, uintptr) {
	values, err := capi.NewNamedValues(attributes)
	if err != nil {
		t.Fatalf("named values: %v", err) // a user may have written them
	}
	t.Keep(values)
	return values.Data()
}

// CreateArgs returns the arguments with which the check's environment makes a client.
func (t *T) CreateArgs() (args capi.ClientCreateArgs) {
	args.CreateOptions, args.NumOptions = t.NamedValues(t.Env().Options...)
	return args
}

// Written returns attributes as text, each with its name, its type and its value: two lists whose
// texts are equal have the same attributes in the same order.
func Written(list []capi.Attribute) string {
	texts := make([]string, len(list))
	for i, a := range list {
		texts[i] = fmt.Sprintf("%s %T %v", a.Name, a.Value, a.Value)
	}
	return "[" + strings.Join(texts, ", ") + "]"
}

// WrittenValues is Written for named values.
func WrittenValues(p *capi.NamedValue, n uintptr) string { return Written(capi.Attributes(p, n)) }

// maxNamedValue limits the size of a string or list in a named value; a larger one is
// garbage.
const maxNamedValue = 1 << 24

// NamedValueFaults describes what is wrong with a list of named values that the plugin
// returned: a null array, impossible sizes, unknown types. It reads every byte that the
// list claims to have.
func NamedValueFaults(p *capi.NamedValue, n uintptr) []string {
	if n == 0 {
		return nil
	}
	if p == nil {
		return []string{fmt.Sprintf("%d named values in a null array", n)}
	}
	var faults []string
	bad := func(i int, format string, args ...any) {
		faults = append(faults, fmt.Sprintf("named value %d: ", i)+fmt.Sprintf(format, args...))
	}
	for i := range int(n) {
		v := NamedValueAt(p, i)
		if v.StructSize < capi.NamedValueSize {
			bad(i, "expected a struct_size of at least %d, got %d", capi.NamedValueSize, v.StructSize)
		}
		if !leadsSomewhere(v.Name) || v.NameSize == 0 || v.NameSize > maxNamedValue {
			bad(i, "expected a name, got %d bytes at %v", v.NameSize, v.Name)
			continue
		}
		name := capi.String(v.Name, v.NameSize)
		switch v.Type {
		case capi.NamedValueInt64, capi.NamedValueFloat, capi.NamedValueBool:
			if v.ValueSize != 1 {
				bad(i, "%q: expected value_size 1 of a scalar, got %d", name, v.ValueSize)
			}
			if b := byte(v.Int64Value()); v.Type == capi.NamedValueBool && b > 1 {
				bad(i, "%q: expected a bool of 0 or 1, got %#02x", name, b)
			}
		case capi.NamedValueString:
			if v.ValueSize > maxNamedValue || v.ValueSize > 0 && !leadsSomewhere(v.StringValue()) {
				bad(i, "%q: a string of %d bytes at %v", name, v.ValueSize, v.StringValue())
				continue
			}
			Sum(capi.Bytes(v.StringValue(), v.ValueSize))
		case capi.NamedValueInt64List:
			if v.ValueSize > maxNamedValue || v.ValueSize > 0 && !leadsSomewhere(v.Int64ArrayValue()) {
				bad(i, "%q: a list of %d numbers at %v", name, v.ValueSize, v.Int64ArrayValue())
				continue
			}
			capi.Slice(v.Int64ArrayValue(), v.ValueSize)
		default:
			bad(i, "%q: expected a known type, got %d", name, v.Type)
		}
	}
	return faults
}

// Sum adds up bytes, so that they are read.
func Sum(b []byte) (sum int) {
	for _, x := range b {
		sum += int(x)
	}
	return sum
}

// WellFormed fails the check for every fault of a list of named values. where
// says whose list it is.
func (t *T) WellFormed(p *capi.NamedValue, n uintptr, where string) bool {
	faults := NamedValueFaults(p, n)
	for _, f := range faults {
		t.Errorf("%s: %s", where, f)
	}
	return len(faults) == 0
}
