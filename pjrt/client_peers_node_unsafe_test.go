// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt_test

import (
	"runtime"
	"sync"
	"testing"
	"unsafe"

	"github.com/ebitengine/purego"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/raw"
)

// node is a client of the node plugin, a plugin in Go memory whose clients have
// no devices and only talk to those of other processes. Its methods call the store as C
// does, on threads that Go did not make.
type node struct {
	options                   map[string]any
	get                       capi.KeyValueGetCallback
	put                       capi.KeyValuePutCallback
	tryGet                    capi.KeyValueTryGetCallback
	getArg, putArg, tryGetArg uintptr
}

// nodeError is an error of the node plugin.
type nodeError struct {
	code    capi.ErrorCode
	message string
}

// nodes is the state of the node plugin. It keeps what only C refers to.
var nodes struct {
	mu      sync.Mutex
	create  func(n *node) *nodeError // guarded by mu; what Client_Create does
	destroy func(n *node)            // guarded by mu; what Client_Destroy does
	clients map[*node]bool           // guarded by mu
	errors  map[*nodeError]bool      // guarded by mu
	plugins map[int]*pjrt.Plugin     // guarded by mu; by API minor
	pins    runtime.Pinner           // guarded by mu; pins the tables and never unpins them
}

// openNodes returns the node plugin of the given API minor. create is what its clients do
// when they are made.
func openNodes(t *testing.T, minor int, create func(n *node) *nodeError) *pjrt.Plugin {
	t.Helper()
	nodes.mu.Lock()
	defer nodes.mu.Unlock()
	nodes.create, nodes.destroy = create, nil
	if nodes.clients == nil {
		nodes.clients, nodes.errors, nodes.plugins = map[*node]bool{}, map[*nodeError]bool{}, map[int]*pjrt.Plugin{}
	}
	t.Cleanup(func() {
		nodes.mu.Lock()
		defer nodes.mu.Unlock()
		if len(nodes.clients) != 0 || len(nodes.errors) != 0 {
			t.Errorf("%d clients and %d errors were not destroyed", len(nodes.clients), len(nodes.errors))
		}
	})
	if p := nodes.plugins[minor]; p != nil {
		return p
	}
	api := new(capi.API)
	nodes.pins.Pin(api)
	api.StructSize = unsafe.Sizeof(*api)
	api.PJRTAPIVersion = capi.APIVersion{StructSize: capi.APIVersionSize, MajorVersion: capi.APIMajor, MinorVersion: int32(minor)}
	for fn, code := range nodeFunctions() {
		*(*uintptr)(unsafe.Add(unsafe.Pointer(api), fn.Offset)) = code
	}
	table, err := capi.NewTable(api, capi.Reentrant())
	require.NoError(t, err)
	p, err := raw.Plugin(table)
	require.NoError(t, err)
	nodes.plugins[minor] = p
	return p
}

// nodeFunctions are the functions of the node plugin, as C functions.
var nodeFunctions = sync.OnceValue(func() map[*capi.Function]uintptr {
	codes := make(map[*capi.Function]uintptr)
	nodeFunction(codes, func(a *capi.ErrorDestroyArgs) *nodeError {
		nodes.mu.Lock()
		defer nodes.mu.Unlock()
		delete(nodes.errors, (*nodeError)(unsafe.Pointer(a.Error)))
		return nil
	})
	nodeFunction(codes, func(a *capi.ErrorMessageArgs) *nodeError {
		a.Message, a.MessageSize = capi.StringData((*nodeError)(unsafe.Pointer(a.Error)).message)
		return nil
	})
	nodeFunction(codes, func(a *capi.ErrorGetCodeArgs) *nodeError {
		a.Code = (*nodeError)(unsafe.Pointer(a.Error)).code
		return nil
	})
	nodeFunction(codes, func(a *capi.ClientCreateArgs) *nodeError {
		n := &node{
			options: map[string]any{},
			get:     a.KVGetCallback, put: a.KVPutCallback, tryGet: a.KVTryGetCallback,
			getArg: a.KVGetUserArg, putArg: a.KVPutUserArg, tryGetArg: a.KVTryGetUserArg,
		}
		for _, o := range capi.Attributes(a.CreateOptions, a.NumOptions) {
			n.options[o.Name] = o.Value
		}
		nodes.mu.Lock()
		create := nodes.create
		nodes.mu.Unlock()
		if err := create(n); err != nil {
			return err
		}
		nodes.mu.Lock()
		defer nodes.mu.Unlock()
		nodes.clients[n] = true
		a.Client = (*capi.Client)(unsafe.Pointer(n))
		return nil
	})
	nodeFunction(codes, func(a *capi.ClientDestroyArgs) *nodeError {
		n := (*node)(unsafe.Pointer(a.Client))
		nodes.mu.Lock()
		destroy := nodes.destroy
		nodes.mu.Unlock()
		if destroy != nil {
			destroy(n)
		}
		nodes.mu.Lock()
		defer nodes.mu.Unlock()
		delete(nodes.clients, n)
		return nil
	})
	nodeFunction(codes, func(a *capi.ClientPlatformNameArgs) *nodeError {
		a.PlatformName, a.PlatformNameSize = capi.StringData("node")
		return nil
	})
	nodeFunction(codes, func(a *capi.ClientPlatformVersionArgs) *nodeError {
		a.PlatformVersion, a.PlatformVersionSize = capi.StringData("1")
		return nil
	})
	nodeFunction(codes, func(a *capi.ClientProcessIndexArgs) *nodeError {
		if id, ok := (*node)(unsafe.Pointer(a.Client)).options["node_id"].(int64); ok {
			a.ProcessIndex = int32(id)
		}
		return nil
	})
	nodeFunction(codes, func(*capi.ClientDevicesArgs) *nodeError { return nil })
	nodeFunction(codes, func(*capi.ClientAddressableDevicesArgs) *nodeError { return nil })
	nodeFunction(codes, func(*capi.ClientAddressableMemoriesArgs) *nodeError { return nil })
	return codes
})

func nodeFunction[A any](codes map[*capi.Function]uintptr, fn func(a *A) *nodeError) {
	codes[new(capi.Call[A]).Function()] = purego.NewCallback(func(a *A) uintptr {
		return uintptr(unsafe.Pointer(fn(a)))
	})
}

// makeNodeError is the PJRT_CallbackError that the node plugin hands to
// callbacks.
var makeNodeError = sync.OnceValue(func() *capi.CallbackError {
	f := capi.CallbackError(purego.NewCallback(func(code int32, message *byte, size uintptr) uintptr {
		e := &nodeError{capi.ErrorCode(code), capi.String(message, size)}
		nodes.mu.Lock()
		defer nodes.mu.Unlock()
		nodes.errors[e] = true
		return uintptr(unsafe.Pointer(e))
	}))
	return &f
})

// drop destroys an error that the plugin got from a callback and keeps to
// itself.
func (e *nodeError) drop() {
	nodes.mu.Lock()
	defer nodes.mu.Unlock()
	delete(nodes.errors, e)
}

// Get calls the store with a timeout in milliseconds.
func (n *node) Get(key string, timeout int32) (string, *nodeError) {
	a := &capi.KeyValueGetCallbackArgs{TimeoutInMs: timeout, CallbackError: makeNodeError(), UserArg: n.getArg}
	a.Key, a.KeySize = capi.StringData(key)
	if e := callNode(uintptr(n.get), a); e != nil {
		return "", e
	}
	return takeValue(a.Value, a.ValueSize, uintptr(a.ValueDeleterCallback)), nil
}

// TryGet calls the store.
func (n *node) TryGet(key string) (string, *nodeError) {
	a := &capi.KeyValueTryGetCallbackArgs{CallbackError: makeNodeError(), UserArg: n.tryGetArg}
	a.Key, a.KeySize = capi.StringData(key)
	if e := callNode(uintptr(n.tryGet), a); e != nil {
		return "", e
	}
	return takeValue(a.Value, a.ValueSize, uintptr(a.ValueDeleterCallback)), nil
}

// Put calls the store.
func (n *node) Put(key, value string) *nodeError {
	a := &capi.KeyValuePutCallbackArgs{CallbackError: makeNodeError(), UserArg: n.putArg}
	a.Key, a.KeySize = capi.StringData(key)
	a.Value, a.ValueSize = capi.StringData(value)
	return callNode(uintptr(n.put), a)
}

func callNode[A any](code uintptr, a *A) *nodeError {
	r := callOnForeignThread(code, unsafe.Pointer(a))
	return *(**nodeError)(unsafe.Pointer(&r))
}

// takeValue copies a value that a callback returned, and has it deleted.
func takeValue(p *byte, n, deleter uintptr) string {
	runtime.GC() // only the package keeps the value alive
	v := capi.String(p, n)
	callOnForeignThread(deleter, unsafe.Pointer(p))
	return v
}
