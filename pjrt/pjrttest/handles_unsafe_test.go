// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrttest

import (
	"reflect"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/capi/describe"
)

// makes are the functions that take no handle.
var makes = []string{
	"PluginInitialize", "PluginAttributes", "ClientCreate", "EventCreate", "ExecuteContextCreate",
	"TopologyDescriptionCreate", "TopologyDescriptionDeserialize", "Create", "PhaseCompileGetCompiler",
	"RuntimeABIVersionFromProto", "ExecutableABIVersionFromProto", "CreateDefaultClientContext",
}

// tables returns the funcs of a plugin, including those of extensions, by name.
func tables(s any) map[string]reflect.Value {
	all := make(map[string]reflect.Value)
	v := reflect.ValueOf(s).Elem()
	for i := range v.NumField() {
		switch f := v.Field(i); {
		case f.Kind() == reflect.Func && !f.IsNil():
			all[v.Type().Field(i).Name] = f
		case f.Kind() == reflect.Pointer && !f.IsNil() && f.Elem().Kind() == reflect.Struct:
			for name, fn := range tables(f.Interface()) {
				all[name] = fn
			}
		}
	}
	return all
}

// handleField returns the first field that is a handle, by its type.
func handleField(args reflect.Type) (reflect.StructField, bool) {
	for i := range args.NumField() {
		f := args.Field(i)
		if f.Name == "ExtensionStart" || f.Type.Kind() != reflect.Pointer || f.Type.Elem().Kind() != reflect.Struct {
			continue
		}
		return f, true
	}
	return reflect.StructField{}, false
}

func TestInvalidHandlesAreErrors(t *testing.T) {
	t.Parallel()
	p := New(t, Options{Extensions: Extensions(), Network: new(Network)})
	event := makeHandle[capi.Event](p, &event{of: readyFuture(nil)}, false)
	checked := 0
	for name, fn := range tables(p.functionTable()) {
		args := fn.Type().In(0).Elem()
		field, ok := handleField(args)
		if !ok || slices.Contains(makes, name) {
			continue
		}
		if fn.Type().NumOut() == 0 {
			continue // returns nothing
		}
		checked++
		kind := kindNamed(field.Type.Elem().Name())
		destroyed := register(p, kind, 0, false, unsafe.Pointer(new(cell)))
		handles.mu.Lock()
		_, end := handles.live[destroyed].bury()
		handles.mu.Unlock()
		end()
		for what, h := range map[string]unsafe.Pointer{
			"null":             nil,
			"no handle":        unsafe.Pointer(new(cell)),
			"a destroyed one":  destroyed,
			"one of an event":  unsafe.Pointer(event),
			"another plugin's": register(&Plugin{live: map[string]int{}}, kind, 0, false, unsafe.Pointer(new(cell))),
		} {
			if kind == "PJRT_Event" && what == "one of an event" {
				continue
			}
			a := reflect.New(args)
			a.Elem().FieldByIndex(field.Index).Set(reflect.NewAt(field.Type.Elem(), h))
			err, _ := fn.Call([]reflect.Value{a})[0].Interface().(error)
			if h == nil && (strings.HasSuffix(name, "Destroy") || name == "DeleteClientContext") {
				assert.NoError(t, err, "%s with null", name)
				continue
			}
			assert.ErrorIs(t, err, capi.ErrorCodeInvalidArgument, "%s with %s", name, what)
		}
	}
	assert.Greater(t, checked, 165)
}

func TestKindsAreTheNamesOfCTypes(t *testing.T) {
	t.Parallel()
	p := New(t, Options{Extensions: Extensions(), Network: new(Network)})
	checked := 0
	for name, fn := range tables(p.functionTable()) {
		a := reflect.New(fn.Type().In(0).Elem())
		for _, f := range describe.Of(a.Interface().(capi.Arguments).Function()).Args.Fields {
			if f.Kind != describe.Handle {
				continue
			}
			for _, x := range reflect.VisibleFields(a.Elem().Type()) {
				if x.Offset == f.Offset && x.Type.Kind() == reflect.Pointer && x.Type.Elem().Kind() == reflect.Struct {
					checked++
					assert.Equal(t, f.Type, kindNamed(x.Type.Elem().Name()), "%s.%s", name, f.Name)
				}
			}
		}
	}
	assert.Greater(t, checked, 200)
}

func TestErrorsSayThatAHandleWasDestroyed(t *testing.T) {
	t.Parallel()
	p := New(t, Options{})
	e := p.newEvent(readyFuture(nil))
	require.NoError(t, p.eventDestroy(&capi.EventDestroyArgs{Event: e}))
	for range 100 {
		p.newEvent(readyFuture(nil)) // none of them reuses the address
	}
	assert.ErrorContains(t, p.eventDestroy(&capi.EventDestroyArgs{Event: e}), "was destroyed")
	_, err := find[*buffer](p, (*capi.Buffer)(unsafe.Pointer(p.newEvent(readyFuture(nil)))))
	assert.ErrorContains(t, err, "is a PJRT_Event, not a PJRT_Buffer")
}

func TestReadTakesStructsOfAllVersions(t *testing.T) {
	t.Parallel()
	o := &capi.ExecuteOptions{StructSize: firstExecuteOptions, LaunchID: 3, CallLocation: new(byte), NumTasks: 9}
	got, err := read(o, "options", firstExecuteOptions)
	require.NoError(t, err)
	assert.Equal(t, int32(3), got.LaunchID)
	assert.Zero(t, got.NumTasks, "beyond the end of the caller's struct")
	for _, size := range []uintptr{0, 8, firstExecuteOptions - 1} {
		o.StructSize = size
		_, err := read(o, "options", firstExecuteOptions)
		assert.ErrorIs(t, err, capi.ErrorCodeInvalidArgument, size)
	}
	for _, size := range []uintptr{capi.ExecuteOptionsSize + 8, ^uintptr(0)} {
		o.StructSize = size
		_, err := read(o, "options", firstExecuteOptions)
		assert.NoError(t, err, size)
	}
	_, err = read[capi.ExecuteOptions](nil, "options", firstExecuteOptions)
	assert.ErrorContains(t, err, "the options is null")
}

func TestDeletersEndTheirObjects(t *testing.T) {
	t.Parallel()
	p := New(t, Options{})
	c := p.newClient(0, []int{1})
	var a capi.TopologyDescriptionSerializeArgs
	a.Topology = c.topology.handle
	require.NoError(t, p.topologyDescriptionSerialize(&a))
	assert.Equal(t, 1, p.Live()["PJRT_SerializedTopology"])
	a.SerializedTopologyDeleter.Call(a.SerializedTopology)
	assert.Zero(t, p.Live()["PJRT_SerializedTopology"])
	a.SerializedTopologyDeleter.Call(a.SerializedTopology) // does nothing, and is logged

	var h capi.HostMemoryAllocatorAllocateArgs
	h.Client, h.Size = c.handle, 100
	require.NoError(t, p.hostMemoryAllocate(&h))
	require.Len(t, p.Live(), 2)
	h.Deleter.Call(unsafe.Pointer(h.Ptr), h.DeleterArg)
	assert.Len(t, p.Live(), 1)
	for size, code := range map[uintptr]capi.ErrorCode{0: capi.ErrorCodeInvalidArgument, 1 << 40: capi.ErrorCodeResourceExhausted} {
		h.Size = size
		assert.ErrorIs(t, p.hostMemoryAllocate(&h), code)
	}
	require.NoError(t, p.clientDestroy(&capi.ClientDestroyArgs{Client: c.handle}))
}

func TestMemoriesKeepUserData(t *testing.T) {
	t.Parallel()
	p := New(t, Options{})
	c := p.newClient(0, []int{1})
	m := c.memoryHandles[0]
	table := m.Vtable
	require.NotNil(t, table)
	var ended []string
	destructor := func(name string) (capi.MemoryFunctionTableSetUserDataDtor, uintptr) {
		d, h := capi.NewMemoryUserData(releaseFunc(func() { ended = append(ended, name) }))
		return d, uintptr(h)
	}
	assert.Zero(t, table.GetUserData.Call(m, 1))
	d1, v1 := destructor("one")
	table.SetUserData.Call(m, 1, v1, d1)
	assert.Equal(t, v1, table.GetUserData.Call(m, 1))
	assert.Zero(t, table.GetUserData.Call(m, 2), "another key")
	d2, v2 := destructor("two")
	table.SetUserData.Call(m, 1, v2, d2)
	assert.Equal(t, []string{"one"}, ended)
	require.NoError(t, p.clientDestroy(&capi.ClientDestroyArgs{Client: c.handle}))
	assert.Equal(t, []string{"one", "two"}, ended)

	older := New(t, Options{Minor: memoryTableSince - 1})
	c = older.newClient(0, []int{1})
	assert.Nil(t, c.memoryHandles[0].Vtable)
	require.NoError(t, older.clientDestroy(&capi.ClientDestroyArgs{Client: c.handle}))
}

type releaseFunc func()

func (f releaseFunc) Release() { f() }
