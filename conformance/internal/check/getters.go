// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package check

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/purepjrt/purepjrt/capi"
)

// Many functions tell something about an object, in memory that the plugin owns: a text, or a
// list of objects. Whatever they tell, they obey the same rules: it is there, it stays where it
// is, and what they tell about one object has memory of its own. A group has a row in its list
// of checks for each rule, which names the functions and what must hold:
//
//	{Rule: "MEM-05", Run: memories.TellApart(check.TextOf[capi.MemoryDebugStringArgs, capi.Memory]())},

// Array is an array that the plugin owns. A text is an array of bytes.
type Array[E any] struct {
	First *E
	N     uintptr
}

// Elements returns a copy of the elements.
func (a Array[E]) Elements() []E { return capi.Slice(a.First, a.N) }

// Answer returns the fields of args in which a function answers with an array: the first pointer
// to an E with a length behind it or, if there is none, in front of it. It panics if there is
// neither.
func Answer[A, E any](args *A) (first **E, n *uintptr) {
	v := reflect.ValueOf(args).Elem()
	for _, behind := range []bool{true, false} {
		for i := range v.NumField() - 1 {
			array, length := i, i+1
			if !behind {
				array, length = length, array
			}
			p, isArray := v.Field(array).Addr().Interface().(**E)
			if size, isLength := v.Field(length).Addr().Interface().(*uintptr); isArray && isLength {
				return p, size
			}
		}
	}
	panic(fmt.Sprintf("check: %T has no array of %v", *args, reflect.TypeFor[E]()))
}

// Ask calls the function that takes A and answers about an object with an array.
func Ask[A, E, H any](t *T, object *H) Array[E] {
	out := Call(t, About[A](object))
	first, n := Answer[A, E](&out)
	return Array[E]{*first, *n}
}

// List returns what the function that takes A lists about an object.
func List[A, E, H any](t *T, object *H) []E { return Ask[A, E](t, object).Elements() }

// Text returns what the function that takes A says about an object.
func Text[A, H any](t *T, object *H) string { return string(List[A, byte](t, object)) }

// Getter is a function that returns a text about an object.
type Getter[H any] struct {
	Name string // of the C function
	Read func(t *T, object *H) Array[byte]
}

// TextOf returns the function that takes A as a getter.
func TextOf[A, H any]() Getter[H] { return Getter[H]{FunctionOf[A]().Name, Ask[A, byte, H]} }

// Of returns the text about an object.
func (g Getter[H]) Of(t *T, object *H) string { return string(g.Read(t, object).Elements()) }

// Objects are those of one kind, about which getters tell something.
type Objects[H any] struct {
	One, Many string // such as "device" and "devices"; empty if there is only one, which needs no name
	// All returns the objects.
	All func(t *T) []*H
	// Churn makes the plugin allocate memory, so that freed memory is overwritten.
	Churn func(t *T)
}

// name says which text about which object is meant.
func (o Objects[H]) name(g Getter[H], i int) string {
	if o.One == "" {
		return g.Name
	}
	return fmt.Sprintf("%s of %s %d", g.Name, o.One, i)
}

// Stay returns a check that each text is there, and stays the same in the same place.
func (o Objects[H]) Stay(getters ...Getter[H]) func(t *T) {
	return func(t *T) {
		for i, h := range o.All(t) {
			for _, g := range getters {
				stays(t, o.name(g, i), func() Array[byte] { return g.Read(t, h) }, func() { o.Churn(t) })
			}
		}
	}
}

// stays reads a text several times, with churn in between.
func stays(t *T, what string, read func() Array[byte], churn func()) {
	first := read()
	before := string(first.Elements())
	switch {
	case first.N == 0:
		t.Errorf("%s: expected a text, got an empty one", what)
	case first.First == nil:
		t.Errorf("%s: a text of %d bytes at null", what, first.N)
	case strings.Contains(before, "\x00"):
		t.Errorf("%s: expected a text without a zero byte, got %q", what, before)
	}
	churn()
	Equal(t, before, string(first.Elements()), "%s: the bytes at the same address later", what)
	for _, call := range []string{"second", "third"} {
		again := read()
		Equal(t, before, string(again.Elements()), "%s: the text from a %s call", what, call)
		Equal(t, first.First, again.First, "%s: the address of the text from a %s call", what, call)
	}
}

// OwnMemory returns a check that a text about one object stays as it is when those about others
// are read.
func (o Objects[H]) OwnMemory(getters ...Getter[H]) func(t *T) {
	return func(t *T) {
		list := o.All(t)
		if len(list) < 2 {
			t.SkipEnvf("there is one %s, so there are no other texts", o.One)
		}
		for _, g := range getters {
			var kept Kept
			for i, h := range list {
				s := g.Read(t, h)
				kept.Add(s.First, s.N, o.name(g, i))
			}
			kept.Expect(t)
		}
	}
}

// TellApart returns a check that there is a text about each object, and no two are the same.
func (o Objects[H]) TellApart(g Getter[H]) func(t *T) {
	return func(t *T) {
		seen := make(FirstOf[string])
		for i, h := range o.All(t) {
			s := g.Of(t, h)
			if s == "" {
				t.Errorf("%s: expected a text, got none", o.name(g, i))
			}
			if first, again := seen.Add(s, i); again {
				t.Errorf("%s: %s %d and %d both have %q", g.Name, o.Many, first, i, s)
			}
		}
	}
}

// FirstOf maps what objects have to the number of the last object that has it.
type FirstOf[V comparable] map[V]int

// Add notes what object i has, and returns the object before it that has the same, if any.
func (f FirstOf[V]) Add(v V, i int) (before int, again bool) {
	before, again = f[v]
	f[v] = i
	return before, again
}

// SameList reads a list several times, which must be in the same place and have the same elements,
// and returns it. elements says what they are.
func SameList[E comparable](t *T, what, elements string, read func() Array[E]) []E {
	first := read()
	list := first.Elements()
	for range 2 {
		again := read()
		Equal(t, first.First, again.First, "the array of %s when it is asked for again", what)
		if !slices.Equal(list, again.Elements()) {
			t.Errorf("%s: expected the same %s again", what, elements)
		}
	}
	return list
}

// Steady fails the check if the function that takes A tells something else about an object when it
// is asked again: at once, and after it was asked about the others of the list, in either order.
// The first call about an object counts only if none came before: a check begins with Steady. one
// says what the objects are, and told what a call told; nil means all fields, which do for numbers
// and objects.
func Steady[A, H any](t *T, one string, list []*H, told func(out A) any) {
	if told == nil {
		told = func(out A) any { return out }
	}
	first := make([]string, len(list))
	read := func(i int) string { // of objects, the addresses
		return fmt.Sprintf("%+v", []any{told(Call(t, About[A](list[i])))})
	}
	again := func(i int, when string) {
		Equal(t, first[i], read(i), "%s of %s %d of %d, asked again %s", FunctionOf[A]().Name, one, i, len(list), when)
	}
	for i := range list {
		first[i] = read(i)
		again(i, "at once")
	}
	for i := range slices.Backward(list) {
		again(i, "after the others")
	}
	for i := range list {
		again(i, "later")
	}
}

// Listed returns the elements that a call answered with, for Steady.
func Listed[A, E any](out A) any {
	first, n := Answer[A, E](&out)
	return capi.Slice(*first, *n)
}
