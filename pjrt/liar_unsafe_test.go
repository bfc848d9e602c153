// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt_test

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"sync"
	"unsafe"

	"github.com/purepjrt/purepjrt/capi"
	structs "github.com/purepjrt/purepjrt/capi/describe"
	"github.com/purepjrt/purepjrt/capi/serve"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/pjrttest"
	"github.com/purepjrt/purepjrt/pjrt/raw"
)

// lies are the ways in which a function reports success without what it owes. tell handles a
// call, and can reports whether the function has anything to lie about in this way.
var lies = []struct {
	name string
	tell func(c *serve.Invocation, f *structs.Function)
	can  func(f *structs.Function) bool
}{
	// All results are zero, and nothing was done.
	{"nothing", func(c *serve.Invocation, f *structs.Function) {}, func(*structs.Function) bool { return true }},
	// The counts are there, but the values are not.
	{"null", tellNull, func(f *structs.Function) bool { return any1(f, isCounted) }},
	// The lists are there, but their elements are null, or numbers that are too large.
	{"holes", tellHoles, func(f *structs.Function) bool {
		return any1(f, func(m *structs.Field) bool { return isCounted(m) && m.Depth > 0 })
	}},
	// The numbers are as large as they can be.
	{"absurd", tellNumbers(-1, 1), func(f *structs.Function) bool { return any1(f, isNumber) }},
	{"negative", tellNumbers(-1, 0), func(f *structs.Function) bool { return any1(f, isNumber) }},
}

// outFields visits the fields that a function fills, including those in structs of the
// caller.
func outFields(s *structs.Struct, visit func(base []uintptr, f *structs.Field)) {
	for i := range s.Fields {
		f := &s.Fields[i]
		switch {
		case f.Dir == structs.Out && f.Kind == structs.Record && f.Depth == 0:
			for j := range f.Struct.Fields {
				inner := &f.Struct.Fields[j]
				visit([]uintptr{f.Offset}, inner)
				for k := range inner.Members {
					m := &inner.Members[k]
					if m.Kind == structs.Record {
						for l := range m.Struct.Fields {
							visit([]uintptr{f.Offset + m.Offset}, &m.Struct.Fields[l])
						}
					}
				}
			}
		case f.Dir == structs.InOut && f.Kind == structs.Record && f.Depth == 1:
			for j := range f.Struct.Fields {
				visit([]uintptr{f.Offset, 0}, &f.Struct.Fields[j])
			}
		case f.Dir == structs.Out:
			visit([]uintptr{0}, f)
		}
	}
}

func any1(f *structs.Function, is func(*structs.Field) bool) (yes bool) {
	outFields(f.Args, func(_ []uintptr, m *structs.Field) { yes = yes || is(m) })
	return yes
}

func isCounted(f *structs.Field) bool {
	switch f.Kind {
	case structs.Callback, structs.Union:
		return false
	}
	return len(f.Counts) == 1 && f.Counts[0] != ""
}

func isNumber(f *structs.Field) bool {
	switch f.Kind {
	case structs.Int, structs.Uint, structs.Enumerator:
		return f.Depth == 0
	}
	return false
}

// structAt returns the struct in which a field lies.
func structAt(c *serve.Invocation, base []uintptr) unsafe.Pointer {
	p := unsafe.Add(c.Args(), base[0])
	if len(base) == 2 {
		p = *(*unsafe.Pointer)(p)
	}
	return p
}

// countOf returns the address of the count of a list.
func countOf(base unsafe.Pointer, s *structs.Struct, f *structs.Field) *uintptr {
	return (*uintptr)(unsafe.Add(base, s.Field(f.Counts[0]).Offset))
}

// structOf returns the description of the struct that has the field.
func structOf(f *structs.Function, field *structs.Field) (s *structs.Struct) {
	has := func(in *structs.Struct) bool {
		return slices.ContainsFunc(in.Fields, func(m structs.Field) bool { return m.Name == field.Name && m.Offset == field.Offset })
	}
	if has(f.Args) {
		return f.Args
	}
	for i := range f.Args.Fields {
		m := &f.Args.Fields[i]
		if m.Struct == nil {
			continue
		}
		if has(m.Struct) {
			return m.Struct
		}
		for j := range m.Struct.Fields {
			for _, member := range m.Struct.Fields[j].Members {
				if member.Struct != nil && has(member.Struct) {
					return member.Struct
				}
			}
		}
	}
	panic("no struct has the field " + field.Name)
}

func tellNull(c *serve.Invocation, f *structs.Function) {
	c.Forward()
	if c.Err() != nil {
		return
	}
	outFields(f.Args, func(base []uintptr, m *structs.Field) {
		at := structAt(c, base)
		if !isCounted(m) || at == nil {
			return
		}
		*(*uintptr)(unsafe.Add(at, m.Offset)) = 0
		if n := countOf(at, structOf(f, m), m); *n == 0 {
			*n = 3
		}
	})
}

// garbage has the elements of the lists that lies point to.
var garbage = make(map[string][]uintptr)

func tellHoles(c *serve.Invocation, f *structs.Function) {
	c.Forward()
	if c.Err() != nil {
		return
	}
	outFields(f.Args, func(base []uintptr, m *structs.Field) {
		at := structAt(c, base)
		if !isCounted(m) || m.Depth == 0 || at == nil {
			return
		}
		n := countOf(at, structOf(f, m), m)
		if *n == 0 {
			*n = 3
		}
		words := garbage[c.Function().Name+m.Name]
		if size := int(*n * max(m.Elem, 8) / 8); len(words) < size {
			words = make([]uintptr, size)
			switch m.Kind {
			case structs.Handle, structs.Text:
			case structs.Record: // a correct size, then text without an address, and values without a type
				for i := range words {
					words[i] = 3
					if i*8%int(m.Elem) == 16 || i*8%int(m.Elem) == 40 {
						words[i] = 0
					}
				}
			default:
				for i := range words {
					words[i] = math.MaxInt64
				}
			}
			garbage[c.Function().Name+m.Name] = words
		}
		*(**uintptr)(unsafe.Add(at, m.Offset)) = unsafe.SliceData(words)
	})
}

// tellNumbers returns a lie that sets numbers to bits, shifted right by shift.
func tellNumbers(bits int64, shift int) func(c *serve.Invocation, f *structs.Function) {
	return func(c *serve.Invocation, f *structs.Function) {
		c.Forward()
		if c.Err() != nil {
			return
		}
		outFields(f.Args, func(base []uintptr, m *structs.Field) {
			at := structAt(c, base)
			if !isNumber(m) || at == nil {
				return
			}
			switch p := unsafe.Add(at, m.Offset); m.Size {
			case 8:
				*(*uint64)(p) = uint64(bits) >> shift
			case 4:
				*(*uint32)(p) = uint32(bits) >> shift
			}
		})
	}
}

// liar returns the table of a plugin in which one function lies.
func liar(real *capi.Table, f *capi.Function, lie int) (*serve.Table, error) {
	described := structs.Of(f)
	return serve.Wrap(real, serve.AroundFunction(f, func(c *serve.Invocation) { lies[lie].tell(c, described) }))
}

// callsBack has the functions whose success promises a later call of the caller's function,
// which hollow extensions do not make.
var callsBack = map[string]bool{
	"PJRT_Transfers_PJRT_Client_MakeCrossHostReceiveBuffers": true,
	"PJRT_Transfers_PJRT_Buffer_CopyToRemoteDevice":          true,
}

// wholeStandIn starts a plugin in memory that has all functions: those that the
// stand-in does not have itself succeed without doing anything.
func wholeStandIn() (*pjrttest.Plugin, error) {
	hollow := new(serve.Plugin)
	v := reflect.ValueOf(hollow).Elem()
	for i := range v.NumField() {
		f := v.Field(i)
		if f.Kind() != reflect.Pointer || !strings.HasSuffix(f.Type().Elem().Name(), "Extension") {
			continue
		}
		f.Set(reflect.New(f.Type().Elem()))
		for j := range f.Elem().NumField() {
			if fn := f.Elem().Field(j); fn.Kind() == reflect.Func && fn.CanSet() {
				fn.Set(reflect.MakeFunc(fn.Type(), func([]reflect.Value) (out []reflect.Value) {
					for k := range fn.Type().NumOut() {
						out = append(out, reflect.Zero(fn.Type().Out(k)))
					}
					return out
				}))
			}
		}
	}
	served, err := hollow.Serve()
	if err != nil {
		return nil, err
	}
	plain, err := pjrttest.Start(pjrttest.Options{})
	if err != nil {
		return nil, err
	}
	defer plain.Close()
	opts := pjrttest.Options{Devices: 2}
	for _, x := range served.Capi().Extensions() {
		if plain.Table().Extension(x.Type) != nil {
			continue
		}
		words := make([]uintptr, (x.Size+7)/8)
		node := (*capi.ExtensionBase)(unsafe.Pointer(unsafe.SliceData(words)))
		copy(unsafe.Slice((*byte)(unsafe.Pointer(node)), x.Size), unsafe.Slice((*byte)(unsafe.Pointer(x.Node)), x.Size))
		for _, f := range capi.Functions(capi.SectionExtension(x.Type)) {
			if callsBack[f.Name] {
				*(*uintptr)(unsafe.Add(unsafe.Pointer(node), f.Offset)) = 0
			}
		}
		opts.Nodes = append(opts.Nodes, node)
	}
	p, err := pjrttest.Start(opts)
	if err != nil {
		return nil, err
	}
	p.Program("add", pjrttest.Signature{}, pjrttest.Elementwise(func(x ...float32) float32 { return x[0] + x[1] }))
	return p, nil
}

// wrappable returns the functions that a plugin has, in the order of its tables.
func wrappable(table *capi.Table) (list []*capi.Function) {
	for _, s := range capi.Sections() {
		for _, f := range capi.Functions(s) {
			if table.Has(f) {
				list = append(list, f)
			}
		}
	}
	return list
}

// honestTable returns the table of the plugin that liars are made of: the plugin at a
// path, or the stand-in for the path "".
func honestTable(path string) (*capi.Table, error) {
	if path == "" {
		p, err := wholeStandIn()
		if err != nil {
			return nil, fmt.Errorf("the stand-in: %w", err)
		}
		return p.Table(), nil
	}
	p, err := pjrt.Open(path)
	if err != nil {
		return nil, err
	}
	return raw.Table(p), nil
}

// counted returns a table that reports to called which functions are called. No event is ready when
// it is first asked: else the time that the machine takes would decide whether others are called.
func counted(real *capi.Table, called func(*capi.Function)) (*serve.Table, error) {
	var mu sync.Mutex
	asked := make(map[*capi.Event]bool)
	return serve.Wrap(real, serve.AroundAll(func(c *serve.Invocation) {
		mu.Lock()
		called(c.Function())
		mu.Unlock()
		c.Forward()
		if c.Function() == (*capi.EventIsReadyArgs)(nil).Function() && c.Err() == nil {
			a := (*capi.EventIsReadyArgs)(c.Args())
			mu.Lock()
			a.IsReady = a.IsReady && asked[a.Event]
			asked[a.Event] = true
			mu.Unlock()
		}
	}))
}

// without returns the table of a plugin whose slot for the function is empty.
func without(real *capi.Table, f *capi.Function) (table *capi.Table, end func() error, err error) {
	end = func() error { return nil }
	node := func(size uintptr, from unsafe.Pointer) unsafe.Pointer {
		// capi.API may be longer than the table of an older plugin.
		words := make([]uintptr, max((size+7)/8, unsafe.Sizeof(capi.API{})/8))
		p := unsafe.Pointer(unsafe.SliceData(words))
		copy(unsafe.Slice((*byte)(p), size), unsafe.Slice((*byte)(from), size))
		return p
	}
	api := (*capi.API)(node(real.API().StructSize, unsafe.Pointer(real.API())))
	if f.Section == capi.SectionCore {
		*(*uintptr)(unsafe.Add(unsafe.Pointer(api), f.Offset)) = 0
		table, err = capi.NewTable(api, capi.Reentrant())
		return table, end, err
	}
	at := &api.ExtensionStart
	for _, x := range real.Extensions() {
		copied := (*capi.ExtensionBase)(node(x.Size, unsafe.Pointer(x.Node)))
		if capi.SectionExtension(x.Type) == f.Section {
			*(*uintptr)(unsafe.Add(unsafe.Pointer(copied), f.Offset)) = 0
		}
		*at = copied
		at = &copied.Next
	}
	table, err = capi.NewTable(api, capi.Reentrant())
	return table, end, err
}

// unimplemented returns the table of a plugin whose function returns UNIMPLEMENTED. A
// void function does nothing.
func unimplemented(real *capi.Table, f *capi.Function) (table *capi.Table, end func() error, err error) {
	wrapped, err := serve.Wrap(real, serve.AroundFunction(f, func(c *serve.Invocation) {
		c.Fail(capi.ErrorCodeUnimplemented, "not implemented")
	}))
	if err != nil {
		return nil, nil, err
	}
	return wrapped.Capi(), wrapped.Close, nil
}
