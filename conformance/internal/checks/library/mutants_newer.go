// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package library

import (
	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/capi/serve"
	"github.com/purepjrt/purepjrt/conformance/internal/check"
	"github.com/purepjrt/purepjrt/conformance/internal/mutant"
)

// refusesSize makes a mutant that accepts only structs of its own size.
func refusesSize[A any](name, fault string) mutant.Mutant {
	return mutant.Of(name, fault, func(c *serve.Invocation, _ *A) {
		mutant.FailIf(c, c.Size() < c.Function().Size, capi.ErrorCodeInvalidArgument, "a struct of %d bytes", c.Size())
	}).InMemory()
}

// visited makes a mutant of PJRT_Error_ForEachPayload.
func visited(name, fault string, f func(c *serve.Invocation, a *capi.ErrorForEachPayloadArgs)) mutant.Mutant {
	return mutant.Of(name, fault, f).InMemory()
}

// errorTable makes a mutant that replaces the function table of each error.
func errorTable(name, fault string, change func(v *capi.ErrorFunctionTable) *capi.ErrorFunctionTable) mutant.Mutant {
	return every(name, fault, func(c *serve.Invocation) {
		c.Forward()
		if h := c.Err(); h != nil && h.Vtable != nil {
			v := *h.Vtable
			h.Vtable = check.Retain(change(&v))
		}
	}).InMemory()
}

// later makes a mutant of a plugin whose API is newer than any that the suite
// knows.
func later(name, fault string, change func(api *capi.API)) mutant.Mutant {
	m := table(name, fault, func(api *capi.API) {
		api.PJRTAPIVersion.MinorVersion = capi.APIMinor + 1
		change(api)
	})
	return m.InMemory().On(newer)
}

// newer is a plugin whose API is newer than any that the suite knows.
func newer(base *capi.Table, faults ...serve.Hook) (*serve.Table, error) {
	// Any hook makes the wrapped table a copy, which can be changed.
	any := serve.Around(func(c *serve.Invocation, _ *capi.PluginInitializeArgs) { c.Forward() })
	t, err := serve.Wrap(base, append(faults, any)...)
	if err == nil {
		t.API().PJRTAPIVersion.MinorVersion = capi.APIMinor + 1
	}
	return t, err
}

func newerMutants() []mutant.Mutant {
	return []mutant.Mutant{
		later("SKEW-21", "changes the order of functions", func(api *capi.API) {
			first, second := check.FunctionOf[capi.BufferElementTypeArgs]().Offset, check.FunctionOf[capi.DeviceIsAddressableArgs]().Offset
			a, b := slotOf(api, first), slotOf(api, second)
			setSlot(api, first, b)
			setSlot(api, second, a)
		}),
		mutant.Of("SKEW-21", "needs the structs of its own version", func(c *serve.Invocation, _ *capi.ClientCompileArgs) {
			c.Fail(capi.ErrorCodeInvalidArgument, "a struct of %d bytes of another version", c.Size())
		}).InMemory().On(newer),
		every("SKEW-04", "needs a new field at once", func(c *serve.Invocation) {
			mutant.FailIf(c, len(promised(c.Function().Name, capi.APIMinor)) > 0 && c.Size() < c.Function().Size,
				capi.ErrorCodeInvalidArgument,
				"a struct of %d bytes", c.Size())
		}).InMemory(),
		refusesSize[capi.DeviceMemoryStatsArgs]("SKEW-09", "needs peak_allocated_bytes"),
		refusesSize[capi.DevicePoisonExecutionArgs]("SKEW-10", "needs the payload"),
		refusesSize[capi.ClientCreateErrorBufferArgs]("SKEW-11", "needs the layout"),
		mutant.Of("SKEW-11", "needs the payload", func(c *serve.Invocation, _ *capi.ClientCreateErrorBufferArgs) {
			mutant.FailIf(c, c.Size() == grown["PJRT_Client_CreateErrorBuffer"][0].size, capi.ErrorCodeInvalidArgument,
				"a struct of %d bytes", c.Size())
		}).InMemory(),
		visited("ERR-11", "drops payloads", func(*serve.Invocation, *capi.ErrorForEachPayloadArgs) {}),
		visited("ERR-12", "calls the visitor with nulls", func(_ *serve.Invocation, a *capi.ErrorForEachPayloadArgs) {
			a.Visitor.Call(nil, 0, nil, 0, a.UserArg)
		}),
		visited("ERR-13", "calls a null visitor", func(c *serve.Invocation, a *capi.ErrorForEachPayloadArgs) {
			if a.Visitor == 0 {
				mutant.Die()
			}
			c.Forward()
		}),
		visited("ERR-14", "takes values for C strings", func(_ *serve.Invocation, a *capi.ErrorForEachPayloadArgs) {
			key, keySize := capi.StringData("zeros")
			a.Visitor.Call(key, keySize, key, 0, a.UserArg)
		}),
		errorTable("ERR-15", "states too short a function table", func(v *capi.ErrorFunctionTable) *capi.ErrorFunctionTable {
			v.StructSize = 24
			return v
		}),
		errorTable("ERR-15", "leaves out a function of the table", func(v *capi.ErrorFunctionTable) *capi.ErrorFunctionTable {
			v.ForEachPayload = 0
			return v
		}),
		mutant.After("ERR-16", "the function and the table know different codes", func(a *capi.ErrorGetCodeArgs) { a.Code = capi.ErrorCodeDataLoss }).InMemory(),
		mutant.After("ERR-16", "the function and the table have different messages", func(a *capi.ErrorMessageArgs) { a.MessageSize-- }).InMemory(),
	}
}
