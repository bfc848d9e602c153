// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package library

import (
	"sync"

	"github.com/ebitengine/purego"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/capi/serve"
)

// kept is the message of the last error that a callback made.
var kept struct {
	sync.Mutex
	p *byte
	n uintptr
}

var keepMessage = sync.OnceValue(func() capi.CallbackError {
	return capi.CallbackError(purego.NewCallback(func(_ uintptr, p *byte, n uintptr) *capi.ErrorHandle {
		kept.Lock()
		defer kept.Unlock()
		kept.p, kept.n = p, n
		return nil
	}))
})

// errorMaker returns a callback_error that keeps the pointer to its message, or null if
// none is set, so that nothing is kept.
func errorMaker(none bool) *capi.CallbackError {
	if none {
		return nil
	}
	f := keepMessage()
	return &f
}

// askStore calls kv_get_callback like a plugin that needs a key, and returns the
// message that callback_error kept, read after the call.
func askStore(_ *serve.Invocation, a *capi.ClientCreateArgs, args capi.KeyValueGetCallbackArgs) string {
	if a.KVGetCallback == 0 {
		return ""
	}
	key := []byte("a key")
	args.Key, args.KeySize = capi.BytesData(key)
	args.TimeoutInMs, args.UserArg = 10, a.KVGetUserArg
	a.KVGetCallback.Call(&args)
	kept.Lock()
	defer kept.Unlock()
	return capi.String(kept.p, kept.n)
}

// putUnsized calls kv_put_callback without a struct_size, after asking the store
// correctly.
func putUnsized(c *serve.Invocation, a *capi.ClientCreateArgs) {
	askStore(c, a, capi.KeyValueGetCallbackArgs{StructSize: capi.KeyValueGetCallbackArgsSize, CallbackError: errorMaker(true)})
	if a.KVPutCallback != 0 {
		args := &capi.KeyValuePutCallbackArgs{CallbackError: errorMaker(true), UserArg: a.KVPutUserArg}
		args.Key, args.KeySize = capi.StringData("a key")
		args.Value, args.ValueSize = capi.StringData("a value")
		a.KVPutCallback.Call(args)
	}
	c.Forward()
}
