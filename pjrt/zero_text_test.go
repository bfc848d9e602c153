// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt_test

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/array"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
	"github.com/purepjrt/purepjrt/pjrt/pjrttest"
	"github.com/purepjrt/purepjrt/pjrt/plugins"
	"github.com/purepjrt/purepjrt/pjrt/raw"
	"github.com/purepjrt/purepjrt/pjrt/sharding"
	"github.com/purepjrt/purepjrt/pjrt/stablehlo"
	"github.com/purepjrt/purepjrt/pjrt/transfer"
)

// broken reports whether fmt could not print a part of a text.
func broken(text string) bool { return strings.Contains(text, "%!") || strings.Contains(text, "PANIC") }

// readable lists a value of each exported type outside objects that has a text.
var readable = []any{
	pjrt.Shape{}, pjrt.HostArray{}, pjrt.Sharding{}, pjrt.ShapeLayout{}, pjrt.DeviceLayout{}, new(pjrt.Error),
	pjrt.OnlyDuringCall,
	pjrt.Program{}, pjrt.Attribute{}, pjrt.CompileOptions{}, pjrt.ExecuteOptions{}, pjrt.BufferOptions{}, pjrt.ViewOptions{},
	dtype.Type(0), dtype.Type(-1), dtype.Type(99), dtype.BFloat16(0), dtype.Int4(0), new(array.Array),
	sharding.Kind(0), sharding.Kind(99),
	sharding.Spec{}, stablehlo.Version{}, new(plugins.SearchError), new(plugins.HashError), plugins.Candidate{},
	new(pjrttest.Launch), new(pjrttest.Operation),
}

func TestTextsOfNilAndZeroValuesAreReadable(t *testing.T) {
	t.Parallel()
	var values []any
	for _, o := range append(slices.Clone(objects), readable...) {
		typ := reflect.TypeOf(o)
		values = append(values, o)
		if typ.Kind() == reflect.Pointer {
			values = append(values, reflect.Zero(typ).Interface(), reflect.New(typ.Elem()).Interface(),
				reflect.Zero(typ.Elem()).Interface())
		} else {
			p := reflect.New(typ)
			p.Elem().Set(reflect.ValueOf(o))
			values = append(values, p.Interface())
		}
	}
	for _, v := range values {
		for _, verb := range []string{"%v", "%+v", "%s"} {
			text := fmt.Sprintf(verb, v)
			assert.NotContains(t, text, "PANIC", "%s of a %T", verb, v)
		}
		if v := reflect.ValueOf(v); v.Kind() == reflect.Pointer && v.IsNil() {
			continue // TestMethodsOnNilAndZeroReceiversDoNotPanic calls their methods
		}
		for name, method := range map[string]func() string{
			"String": stringOf(v), "Error": errorOf(v), "DebugString": debugStringOf(v),
		} {
			assert.NotPanics(t, func() { assert.False(t, broken(method()), "%s of a %T", name, v) }, "%s of a %T", name, v)
		}
	}
}

func stringOf(v any) func() string {
	if s, ok := v.(fmt.Stringer); ok {
		return s.String
	}
	return func() string { return "" }
}

func errorOf(v any) func() string {
	if e, ok := v.(error); ok {
		return e.Error
	}
	return func() string { return "" }
}

func debugStringOf(v any) func() string {
	if s, ok := v.(interface{ DebugString() string }); ok {
		return s.DebugString
	}
	return func() string { return "" }
}

// zeroOf returns a value of the type in which every object of this package is the zero
// object, and every list has one element.
func zeroOf(typ reflect.Type, depth int) reflect.Value {
	v := reflect.New(typ).Elem()
	if depth > 6 {
		return v
	}
	switch typ.Kind() {
	case reflect.Pointer:
		if typ.Elem().Kind() == reflect.Struct {
			v.Set(reflect.New(typ.Elem()))
			if !slices.ContainsFunc(objects, func(o any) bool { return reflect.TypeOf(o) == typ }) {
				v.Elem().Set(zeroOf(typ.Elem(), depth+1))
			}
		}
	case reflect.Slice:
		if k := typ.Elem().Kind(); k == reflect.Pointer || k == reflect.Slice || k == reflect.Struct {
			v.Set(reflect.Append(v, zeroOf(typ.Elem(), depth+1)))
		}
	case reflect.Struct:
		for i := range typ.NumField() {
			if f := typ.Field(i); f.IsExported() {
				v.Field(i).Set(zeroOf(f.Type, depth+1))
			}
		}
	case reflect.Interface, reflect.Func:
		return argumentOf(typ)
	}
	return v
}

// ending are methods that end the object itself, or wait until something else does.
var ending = []string{"Close", "Delete", "Abort", "Donate"}

// Methods of good objects are given zero objects, alone, in lists and in options.
func TestErrorsAboutZeroObjectsAreReadable(t *testing.T) {
	ctx := context.Background()
	client := newClient(t)
	exe := compile(t, client, add)
	topology, err := client.Topology()
	require.NoError(t, err)
	bufferOf := func() *pjrt.Buffer { return upload(t, client, matrix(1, 2, 3, 4)) }
	for _, object := range []any{
		client, exe, exe.Executable, topology, client.Plugin(), client.Devices()[0], client.Devices()[0].Description(),
		client.Memories()[0], bufferOf(),
	} {
		typ := reflect.TypeOf(object)
		for i := range typ.NumMethod() {
			m := typ.Method(i)
			if slices.Contains(ending, m.Name) || m.Type.NumIn() == 1 {
				continue
			}
			for only := -1; only < 12; only++ {
				receiver := reflect.ValueOf(object)
				if typ == reflect.TypeFor[*pjrt.Buffer]() {
					receiver = reflect.ValueOf(bufferOf())
				}
				checkTexts(t, m, receiver, only)
			}
		}
	}
	device, memory := new(pjrt.Device), new(pjrt.Memory)
	shape := pjrt.Shape{Type: dtype.F32, Dims: []int64{2}}
	for name, call := range map[string]func() error{
		"mesh": func() error {
			_, err := sharding.NewMesh([]*pjrt.Device{device, device}, sharding.Axis{Name: "x", Size: 2})
			return err
		},
		"manager on a device": func() error {
			_, err := transfer.NewManager(ctx, client, []pjrt.Shape{shape}, &transfer.ManagerOptions{Device: device})
			return err
		},
		"manager in a memory": func() error {
			_, err := transfer.NewManager(ctx, client, []pjrt.Shape{shape}, &transfer.ManagerOptions{Memory: memory})
			return err
		},
		"alias on a device": func() error {
			_, _, err := transfer.NewAlias(ctx, client, shape, &pjrt.BufferOptions{Device: device})
			return err
		},
		"alias in a memory": func() error {
			_, _, err := transfer.NewAlias(ctx, client, shape, &pjrt.BufferOptions{Memory: memory})
			return err
		},
		"view on a device": func() error {
			_, err := raw.ViewOfDeviceMemory(ctx, client, pjrt.HostAlignment, shape, &pjrt.ViewOptions{Device: device})
			return err
		},
		"program for a topology": func() error {
			o := &pjrt.CompileOptions{Devices: [][]*pjrt.Device{{device}}}
			_, err := client.Plugin().CompileFor(ctx, topology, pjrt.Program{Code: []byte(add)}, o)
			return err
		},
		"program": func() error {
			_, err := client.Compile(ctx, pjrt.Program{Code: []byte(add)}, &pjrt.CompileOptions{Devices: [][]*pjrt.Device{{device}}})
			return err
		},
	} {
		err := call()
		require.Error(t, err, name)
		assert.False(t, broken(err.Error()), "%s: %v", name, err)
	}
}

// checkTexts calls the method with zero objects. Of the fields of options, it sets the one
// whose number is only, or all of them if only is -1.
func checkTexts(t *testing.T, m reflect.Method, receiver reflect.Value, only int) {
	t.Helper()
	args := []reflect.Value{receiver}
	for i := 1; i < m.Type.NumIn(); i++ {
		in := m.Type.In(i)
		if in == reflect.TypeFor[context.Context]() {
			args = append(args, argumentOf(in))
			continue
		}
		v := zeroOf(in, 0)
		if only >= 0 && in.Kind() == reflect.Pointer && !v.IsNil() && v.Elem().NumField() > only && in.Elem().Field(only).IsExported() {
			whole := v.Elem().Field(only)
			v = reflect.New(in.Elem())
			v.Elem().Field(only).Set(whole)
		}
		args = append(args, v)
	}
	call := m.Func.Call
	if m.Type.IsVariadic() {
		call = m.Func.CallSlice
	}
	var results []reflect.Value
	require.NotPanics(t, func() { results = call(args) }, "%v.%s", receiver.Type(), m.Name)
	for _, r := range results {
		if err, ok := r.Interface().(error); ok {
			assert.False(t, broken(err.Error()), "%v.%s: %v", receiver.Type(), m.Name, err)
		} else if c, ok := r.Interface().(interface{ Close() error }); ok && !r.IsNil() {
			assert.NoError(t, c.Close())
		}
	}
}
