// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package mutant

import (
	"fmt"
	"slices"
	"sync"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/capi/serve"
	"github.com/purepjrt/purepjrt/conformance/internal/check"
)

// Faults in the attributes that a plugin tells. No client can choose these, and most plugins have
// few: each fault is put in front of a plugin that adds some of each kind.

// eachKind are attributes of each kind. No kind comes only at the first or the last place.
var eachKind = []capi.Attribute{
	{Name: "added_bool", Value: true}, {Name: "added_float", Value: float32(1.5)}, {Name: "added_string", Value: "some text"},
	{Name: "added_numbers", Value: []int64{3, 1, 4}}, {Name: "added_number", Value: int64(1) << 40}, {Name: "added_switch", Value: false},
	{Name: "added_list", Value: []int64{7}}, {Name: "added_text", Value: "more"}, {Name: "added_int", Value: int64(-1)},
	{Name: "added_real", Value: float32(-2)},
}

// withEachKind returns the hooks that add eachKind to what the plugin tells of each object, in
// front of its own and behind them.
func withEachKind[A any](object func(a *A) any) []serve.Hook {
	lists := new(sync.Map) // of named values, by object
	return append(forgetting(lists), Changed(func(a *A, _ int64) {
		first, n := check.Answer[A, capi.NamedValue](a)
		list, ok := lists.Load(object(a))
		if !ok {
			added, err := capi.NewNamedValues(eachKind)
			if err != nil {
				panic(err) // the list is fixed
			}
			check.Retain(added)
			values := capi.Slice(added.Data())
			middle := len(values) / 2
			list, _ = lists.LoadOrStore(object(a), slices.Concat(values[:middle], capi.Slice(*first, *n), values[middle:]))
		}
		*first, *n = check.First(list.([]capi.NamedValue))
	}))
}

// forgetting returns hooks that forget objects which are destroyed, since their addresses are used
// again.
func forgetting(byObject *sync.Map) []serve.Hook {
	return []serve.Hook{
		Ahead(func(a *capi.ExecutableDestroyArgs) { byObject.Delete(any(a.Executable)) }),
		Ahead(func(a *capi.TopologyDescriptionDestroyArgs) { byObject.Delete(any(a.Topology)) }),
	}
}

// TellingEachKind makes a plugin that tells attributes of each kind, in answer to calls of the
// function that takes A, beside those of the base. object says what a call is about.
func TellingEachKind[A any](object func(a *A) any) Plugin {
	return func(base *capi.Table, faults ...serve.Hook) (*serve.Table, error) {
		return serve.Wrap(base, append(faults, withEachKind(object)...)...)
	}
}

// WrongValue is a fault in a list of named values, which it changes in place.
type WrongValue struct {
	Fault  string
	Change func(list []capi.NamedValue)
}

// WrongValues are faults of one value in a list: at the first place, between others and at the last
// place, and of each kind of values.
func WrongValues() []WrongValue {
	faults := []WrongValue{
		{"the first value is another", func(list []capi.NamedValue) { otherValue(&list[0]) }},
		{"the value in the middle is another", func(list []capi.NamedValue) { otherValue(&list[len(list)/2]) }},
		{"the last value is another", func(list []capi.NamedValue) { otherValue(&list[len(list)-1]) }},
		ofKind("a number has become a float", capi.NamedValueInt64, func(v *capi.NamedValue) {
			x := v.Int64Value()
			v.Type = capi.NamedValueFloat
			v.SetFloatValue(float32(x))
		}),
		ofKind("a list of numbers lacks the last", capi.NamedValueInt64List, func(v *capi.NamedValue) { v.ValueSize-- }),
		ofKind("a text lacks the last byte", capi.NamedValueString, func(v *capi.NamedValue) { v.ValueSize-- }),
	}
	for _, kind := range capi.NamedValueTypeValues() {
		faults = append(faults, ofKind(fmt.Sprintf("the last value of the type %v is another", kind), kind, otherValue))
	}
	return faults
}

// ofKind makes a fault of the last value of a kind.
func ofKind(fault string, kind capi.NamedValueType, change func(v *capi.NamedValue)) WrongValue {
	return WrongValue{fault, func(list []capi.NamedValue) {
		for i := range slices.Backward(list) {
			if list[i].Type == kind {
				change(&list[i])
				return
			}
		}
	}}
}

// otherValue changes a value to another of the same type and size: its end, if it has several
// parts.
func otherValue(v *capi.NamedValue) {
	switch v.Type {
	case capi.NamedValueString:
		b := []byte(capi.String(v.StringValue(), v.ValueSize))
		b[len(b)-1] ^= 1
		p, _ := LastingText(string(b))
		v.SetStringValue(p)
	case capi.NamedValueInt64:
		v.SetInt64Value(v.Int64Value() + 1)
	case capi.NamedValueInt64List:
		list := slices.Clone(capi.Slice(v.Int64ArrayValue(), v.ValueSize))
		list[len(list)-1]++
		p, _ := LastingArray(list)
		v.SetInt64ArrayValue(p)
	case capi.NamedValueFloat:
		v.SetFloatValue(v.FloatValue() + 1)
	case capi.NamedValueBool:
		v.SetBoolValue(!v.BoolValue())
	}
}

// Restless makes mutants that tell another value of an attribute, at the same address, when they
// are asked for the second time. object says what a call is about.
func Restless[A any](name string, object func(a *A) any) []Mutant {
	var list []Mutant
	for _, f := range WrongValues() {
		list = append(list, Hooked(name, "asked again, "+f.Fault, func() []serve.Hook {
			asked := new(sync.Map) // how often, by object
			return append(forgetting(asked), Changed(func(a *A, _ int64) {
				n := 1
				if before, ok := asked.Load(object(a)); ok {
					n += before.(int)
				}
				asked.Store(object(a), n)
				if n == 2 {
					first, size := check.Answer[A, capi.NamedValue](a)
					f.Change(View(*first, *size))
				}
			}))
		}).On(TellingEachKind(object)))
	}
	return list
}

// Differing makes mutants that tell another value of an attribute about the objects that the
// function that takes B returns than about others. object says what a call is about.
func Differing[B, A, H any](name string, objects func(b *B) []*H, object func(a *A) any) []Mutant {
	var list []Mutant
	for _, f := range WrongValues() {
		list = append(list, Hooked(name, f.Fault, func() []serve.Hook {
			m := new(Marks)
			return []serve.Hook{Marking(m, objects), Changed(func(a *A, _ int64) {
				if m.Has(object(a)) {
					first, n := check.Answer[A, capi.NamedValue](a)
					own := slices.Clone(View(*first, *n))
					f.Change(own)
					*first, *n = LastingArray(own)
				}
			})}
		}).On(TellingEachKind(object)))
	}
	return list
}
