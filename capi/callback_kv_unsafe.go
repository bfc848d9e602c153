// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package capi

import (
	"sync"
	"time"
	"unsafe"
)

// kvValues keeps alive the values that key-value callbacks have passed to plugins, until the plugin
// calls the deleter.
var kvValues struct {
	mu     sync.Mutex
	values map[uintptr][]byte // guarded by mu; by the address of the first byte
}

var kvDeleterEntry = entry(func(p uintptr) (word uintptr) {
	kvValues.mu.Lock()
	defer kvValues.mu.Unlock()
	delete(kvValues.values, p)
	return
})

// keepKVValue returns a copy of v that the plugin can read until it calls the deleter. A NUL
// follows the copy, so that the memory is never empty.
func keepKVValue(v []byte) (*byte, uintptr) {
	c := make([]byte, len(v)+1)
	copy(c, v)
	kvValues.mu.Lock()
	defer kvValues.mu.Unlock()
	if kvValues.values == nil {
		kvValues.values = make(map[uintptr][]byte)
	}
	kvValues.values[uintptr(unsafe.Pointer(&c[0]))] = c
	return &c[0], uintptr(len(v))
}

var kvGetEntry = entry(func(args *KeyValueGetCallbackArgs) *ErrorHandle {
	return args.CallbackError.deref().New(protect("PJRT_KeyValueGetCallback", args.UserArg,
		func(fn func(string, time.Duration) ([]byte, error)) error {
			v, err := fn(String(args.Key, args.KeySize), time.Duration(args.TimeoutInMs)*time.Millisecond)
			if err == nil {
				args.Value, args.ValueSize = keepKVValue(v)
				args.ValueDeleterCallback = KeyValueGetCallbackValueDeleter(kvDeleterEntry())
			}
			return err
		}))
})

// NewKeyValueGetCallback makes the kv_get_callback and kv_get_user_arg of ClientCreateArgs from fn,
// which waits for the key to have a value, for at most the timeout. After a timeout it should
// return ErrorCodeDeadlineExceeded. Delete the handle after the client is destroyed.
func NewKeyValueGetCallback(fn func(key string, timeout time.Duration) ([]byte, error)) (KeyValueGetCallback, Handle) {
	return KeyValueGetCallback(kvGetEntry()), NewHandle(fn)
}

var kvTryGetEntry = entry(func(args *KeyValueTryGetCallbackArgs) *ErrorHandle {
	return args.CallbackError.deref().New(protect("PJRT_KeyValueTryGetCallback", args.UserArg, func(fn func(string) ([]byte, error)) error {
		v, err := fn(String(args.Key, args.KeySize))
		if err == nil {
			args.Value, args.ValueSize = keepKVValue(v)
			args.ValueDeleterCallback = KeyValueTryGetCallbackValueDeleter(kvDeleterEntry())
		}
		return err
	}))
})

// NewKeyValueTryGetCallback makes the kv_try_get_callback and its user_arg of ClientCreateArgs from
// fn, which returns the current value of the key, or ErrorCodeNotFound. Delete the handle after the
// client is destroyed.
func NewKeyValueTryGetCallback(fn func(key string) ([]byte, error)) (KeyValueTryGetCallback, Handle) {
	return KeyValueTryGetCallback(kvTryGetEntry()), NewHandle(fn)
}

var kvPutEntry = entry(func(args *KeyValuePutCallbackArgs) *ErrorHandle {
	return args.CallbackError.deref().New(protect("PJRT_KeyValuePutCallback", args.UserArg, func(fn func(string, []byte) error) error {
		return fn(String(args.Key, args.KeySize), Bytes(args.Value, args.ValueSize))
	}))
})

// NewKeyValuePutCallback makes the kv_put_callback and kv_put_user_arg of ClientCreateArgs from fn,
// which owns the value it gets. Delete the handle after the client is destroyed.
func NewKeyValuePutCallback(fn func(key string, value []byte) error) (KeyValuePutCallback, Handle) {
	return KeyValuePutCallback(kvPutEntry()), NewHandle(fn)
}
