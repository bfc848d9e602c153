// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package library

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/conformance/internal/check"
)

var payloadChecks = []check.Check{
	{Rule: "ERR-11", Run: func(t *check.T) {
		want := []capi.Attribute{{Name: "first", Value: "one"}, {Name: "second", Value: "two"}, {Name: "third", Value: "three"}}
		h := errorWithPayloads(t, want)
		defer destroyError(t, h)
		checkPayloads(t, want, payloads(t, h))
		// Several errors at a time, each with payloads of its own.
		var lists [][]capi.Attribute
		var errs []*capi.ErrorHandle
		for i, n := range []int{2, 5, 17} {
			var list []capi.Attribute
			for j := range n {
				list = append(list, capi.Attribute{Name: "suite/" + check.Words(1+7*j, 10*i+j), Value: check.Words(1+31*j, 10*i+j+5)})
			}
			lists, errs = append(lists, list), append(errs, errorWithPayloads(t, list))
		}
		for _, i := range []int{1, 0, 2, 1, 0} {
			checkPayloads(t, lists[i], payloads(t, errs[i]))
		}
		destroyError(t, errs[0])
		checkPayloads(t, lists[1], payloads(t, errs[1]))
		destroyError(t, errs[2])
		checkPayloads(t, lists[1], payloads(t, errs[1]))
		destroyError(t, errs[1])
	}},
	{Rule: "ERR-12", Library: true, Run: func(t *check.T) {
		t.Require(check.FunctionOf[capi.ErrorForEachPayloadArgs]())
		h := failure(t)
		defer destroyError(t, h)
		for _, p := range payloads(t, h) {
			if p.Name == "" {
				t.Errorf("an error without payloads: the visitor was called with an empty key and the value %q", p.Value)
			} else {
				t.Notef("the error carries the payload %q", p.Name)
			}
		}
	}},
	{Rule: "ERR-13", Library: true, Hostile: true, Run: func(t *check.T) {
		t.Require(check.FunctionOf[capi.ErrorForEachPayloadArgs]())
		h := failure(t)
		defer destroyError(t, h)
		_, err := check.Try(t, capi.ErrorForEachPayloadArgs{Error: h})
		t.ErrorCode(err, "PJRT_Error_ForEachPayload with a null visitor", capi.ErrorCodeInvalidArgument)
	}},
	{Rule: "ERR-14", Run: func(t *check.T) {
		want := []capi.Attribute{{Name: "zeros", Value: "\x00\x01\x00\x00"}}
		h := errorWithPayloads(t, want)
		defer destroyError(t, h)
		checkPayloads(t, want, payloads(t, h))
	}},
	{Rule: "ERR-18", Timeout: 20 * time.Second, Library: true, Hostile: true, Run: func(t *check.T) {
		const text = "a message that is overwritten right after callback_error returned"
		store := check.NewStore(t)
		store.Fail("", capi.ErrorCodeAborted, text)
		client, err := store.CreateClient(0, 2)
		if !store.Called() {
			t.SkipEnvf("the plugin did not use the key-value store, so it got no error (Client_Create: %v)", err)
		}
		if err == nil {
			check.Own(t, client)
			t.SkipEnvf("the plugin made a client although the store failed, so the error's message cannot be seen")
		}
		if strings.Contains(err.Error(), check.Overwritten) {
			t.Errorf("expected the message %q of callback_error, got one that was read after the call: %v", text, err)
		}
		if !strings.Contains(err.Error(), text) {
			t.Errorf("expected an error with %q, got %v", text, err)
		}
	}},
}

// errorWithPayloads returns the error of an error buffer made with these payloads.
func errorWithPayloads(t *check.T, list []capi.Attribute) *capi.ErrorHandle {
	const since = 103
	t.Require(check.FunctionOf[capi.ErrorForEachPayloadArgs](), check.FunctionOf[capi.ClientCreateErrorBufferArgs]())
	if t.Minor() < since {
		t.SkipAbsentf("error buffers take payloads since API 0.%d, but the plugin has 0.%d", since, t.Minor())
	}
	c := t.Client()
	args := capi.ClientCreateErrorBufferArgs{Client: c.Handle, Memory: t.DefaultMemory(c), ErrorCode: capi.ErrorCodeAborted,
		ShapeElementType: capi.BufferTypeF32}
	args.ErrorMessage, args.ErrorMessageSize = capi.StringData("an error with payloads")
	args.ShapeDims, args.ShapeNumDims = check.First([]int64{4})
	args.Payload, args.NumPayload = t.NamedValues(list...)
	buffer := check.Own(t, check.Optional(t, args).Buffer)
	event := t.Ready(buffer)
	h := rawError(t, capi.EventAwaitArgs{Event: event})
	check.Destroy(t, event) // an error outlives what it is about
	check.Destroy(t, buffer)
	if h == nil {
		t.Fatalf("ready event of an error buffer: expected its error, got success")
	}
	return h
}

// payloads visits an error and returns its payloads.
func payloads(t *check.T, h *capi.ErrorHandle) []capi.Attribute {
	var list []capi.Attribute
	visitor, handle := capi.NewErrorPayloadVisitor(func(key string, value []byte) {
		list = append(list, capi.Attribute{Name: key, Value: string(value)})
	})
	defer handle.Delete()
	check.Call(t, capi.ErrorForEachPayloadArgs{Error: h, Visitor: visitor, UserArg: uintptr(handle)})
	return list
}

func checkPayloads(t *check.T, want, got []capi.Attribute) {
	order := func(a, b capi.Attribute) int { return strings.Compare(a.Name, b.Name) }
	slices.SortFunc(got, order)
	slices.SortFunc(want, order)
	check.Equal(t, fmt.Sprintf("%q", want), fmt.Sprintf("%q", got), "the payloads that the visitor was called with")
}
