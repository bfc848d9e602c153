// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package library

import (
	"slices"
	"strings"
	"sync/atomic"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/capi/serve"
	"github.com/purepjrt/purepjrt/conformance/internal/check"
	"github.com/purepjrt/purepjrt/conformance/internal/mutant"
)

// keepsWith makes a mutant that loses the messages of Fails's errors once Destroys has
// destroyed what they are about.
func keepsWith[Fails, Destroys any](name, fault string) mutant.Mutant {
	return mutant.Hooked(name, fault, func() []serve.Hook {
		kept := map[*capi.ErrorHandle]bool{}
		var gone atomic.Bool
		return []serve.Hook{
			serve.Around(func(c *serve.Invocation, _ *Fails) {
				c.Forward()
				if h := c.Err(); h != nil {
					kept[h] = true
				}
			}),
			serve.Around(func(c *serve.Invocation, _ *Destroys) { c.Forward(); gone.Store(true) }),
			serve.Around(func(c *serve.Invocation, a *capi.ErrorMessageArgs) {
				c.Forward()
				if gone.Load() && kept[a.Error] {
					a.MessageSize = 0
				}
			}),
		}
	})
}

// afterError makes a mutant that changes what a failed call returned.
func afterError[A any](name, fault string, change func(a *A)) mutant.Mutant {
	return mutant.Of(name, fault, func(c *serve.Invocation, a *A) {
		if c.Forward(); c.Err() != nil {
			change(a)
		}
	})
}

// ownSizeOnly makes a mutant that refuses structs longer or shorter than its own.
func ownSizeOnly[A any](name, fault string) mutant.Mutant {
	return mutant.Of(name, fault, func(c *serve.Invocation, _ *A) {
		mutant.FailIf(c, c.Size() != c.Function().Size, capi.ErrorCodeInvalidArgument, "a struct of %d bytes", c.Size())
	})
}

// changesOnly makes a mutant that changes one attribute of the plugin.
func changesOnly(name, fault, which string, change func(v *capi.NamedValue)) mutant.Mutant {
	return attributesChanged(name, fault, func(list []capi.NamedValue) {
		change(named(list, which))
	})
}

// subtleMutants are wrong for only one function, one value or one moment.
func subtleMutants() []mutant.Mutant {
	return []mutant.Mutant{
		mutant.AfterMade("ERR-07", "forgets the code once the message was read",
			mutant.Made[capi.ErrorMessageArgs, capi.ErrorHandle],
			func(a *capi.ErrorGetCodeArgs) { a.Code = capi.ErrorCodeUnknown }),
		mutant.After("ERR-04", "has messages that are no text", func(a *capi.ErrorMessageArgs) {
			a.Message, a.MessageSize = capi.CString("bad \xff\xfe"), 6
		}),
		mutant.After("ERR-04", "leaves out the last byte of messages", func(a *capi.ErrorMessageArgs) { a.MessageSize-- }),
		mutant.After("ERR-03", "has a zero byte in messages", func(a *capi.ErrorMessageArgs) {
			a.Message, a.MessageSize = capi.CString("two\x00parts"), 9
		}),
		mutant.After("ERR-05", "has codes above those of the header", func(a *capi.ErrorGetCodeArgs) { a.Code = 17 }),
		mutant.After("ERR-05", "has negative codes", func(a *capi.ErrorGetCodeArgs) { a.Code = -a.Code }),
		mutant.OnceAfter[capi.ErrorDestroyArgs]("ERR-08", "forgets all errors when one is destroyed", func(a *capi.ErrorGetCodeArgs) {
			a.Code = capi.ErrorCodeUnknown
		}),
		likeOther("ERR-08", "says the code of the oldest error that is alive", func(alive []*capi.ErrorHandle, _ int) int { return 0 }),
		likeOther("ERR-08", "says the code of the second error of all later ones", func(_ []*capi.ErrorHandle, i int) int { return min(i, 1) }),
		mutant.Hooked("ERR-08", "forgets the older errors when one is destroyed", func() []serve.Hook {
			var alive []*capi.ErrorHandle
			forgotten := make(map[*capi.ErrorHandle]bool)
			return []serve.Hook{
				mutant.Ahead(func(a *capi.ErrorMessageArgs) { alive = known(alive, a.Error) }),
				mutant.Then(func(a *capi.ErrorMessageArgs) {
					if forgotten[a.Error] {
						a.MessageSize = 0
					}
				}),
				mutant.Ahead(func(a *capi.ErrorDestroyArgs) {
					i := slices.Index(alive, a.Error)
					for _, h := range alive[:max(i, 0)] {
						forgotten[h] = true
					}
					delete(forgotten, a.Error)
					alive = slices.DeleteFunc(alive, func(h *capi.ErrorHandle) bool { return h == a.Error })
				}),
			}
		}),
		keepsWith[capi.BufferToHostBufferArgs, capi.BufferDestroyArgs]("ERR-09", "keeps messages in buffers"),
		keepsWith[capi.LoadedExecutableExecuteArgs, capi.LoadedExecutableDestroyArgs]("ERR-09", "keeps messages in executables"),
		afterError("ERR-17", "returns an error and outputs", func(a *capi.LoadedExecutableExecuteArgs) {
			if a.NumDevices > 0 {
				fillOutput(a)
			}
		}),
		afterError("ERR-17", "returns an error and a client", func(a *capi.ClientCreateArgs) { a.Client = check.Retain(strangeClient()) }).InMemory(),
		afterError("ERR-17", "returns an error and a topology", func(a *capi.TopologyDescriptionCreateArgs) {
			a.Topology = check.Retain(strangeTopology())
		}).InMemory(),
		visited("ERR-11", "drops the last payload", func(c *serve.Invocation, a *capi.ErrorForEachPayloadArgs) {
			n := 0
			visitor, handle := capi.NewErrorPayloadVisitor(func(key string, value []byte) {
				if n++; n < 3 {
					k, size := capi.StringData(key)
					v := append(value, 0)
					a.Visitor.Call(k, size, &v[0], uintptr(len(value)), a.UserArg)
				}
			})
			defer handle.Delete()
			own := *a
			own.Visitor, own.UserArg = visitor, uintptr(handle)
			mutant.Try(c.Table(), own)
		}),
		errorTable("ERR-15", "leaves out the destructor of the table", func(v *capi.ErrorFunctionTable) *capi.ErrorFunctionTable {
			v.Destroy = 0
			return v
		}),
		mutant.Answers[capi.PluginAttributesArgs]("ATTR-05", "fails at its attributes", capi.ErrorCodeInternal),
		changesOnly("ATTR-09", "states two parts of a version", "stablehlo_current_version", func(v *capi.NamedValue) { v.ValueSize = 2 }),
		attributesChanged("ATTR-09", "states a minimum above the current version", func(list []capi.NamedValue) {
			a, b := named(list, "stablehlo_current_version"), named(list, "stablehlo_minimum_version")
			a.Name, a.NameSize, b.Name, b.NameSize = b.Name, b.NameSize, a.Name, a.NameSize
		}),
		changesOnly("ATTR-10", "states xla_version as a number with a point", "xla_version", func(v *capi.NamedValue) { v.Type = capi.NamedValueFloat }),
		mutant.Refuses("ATTR-11", "does not read the oldest version that it claims", capi.ErrorCodeInvalidArgument,
			func(a *capi.ClientCompileArgs) bool {
				text := capi.String(a.Program.Code, min(a.Program.CodeSize, 64))
				return strings.Contains(text, "StableHLO_v") &&
					!strings.Contains(text, "StableHLO_v1.13")
			}),
		changesOnly("ATTR-12", "counts the bytes of scalars", "xla_version", func(v *capi.NamedValue) { v.ValueSize = 8 }),
		changesOnly("ATTR-13", "has a list at null", "stablehlo_current_version", func(v *capi.NamedValue) { v.SetInt64ArrayValue(nil) }),
		changesOnly("ATTR-13", "calls a scalar a list", "xla_version", func(v *capi.NamedValue) { v.Type = capi.NamedValueInt64List }),
		changesOnly("ATTR-13", "has bools that are neither", "xla_version", func(v *capi.NamedValue) {
			v.Type = capi.NamedValueBool
			v.SetInt64Value(0xa5)
		}),
		attributesChanged("ATTR-08", "has a name at null", func(list []capi.NamedValue) {
			list[len(list)-1].Name, list[len(list)-1].NameSize = nil, 0
		}),
		changesOnly("SKEW-16", "leaves struct_size of the last attribute as it is", "stablehlo_minimum_version", func(v *capi.NamedValue) { v.StructSize = 24 }),
		table("XCH-03", "ends a node in the middle of its first version", func(api *capi.API) {
			firstNode(api, capi.ExtensionTypeLayouts).StructSize -= 24
		}),
		table("XCH-02", "has the first extension's type again at the end", func(api *capi.API) {
			last := api.ExtensionStart
			for last.Next != nil {
				last = last.Next
			}
			last.Type = api.ExtensionStart.Type
		}),
		table("XCH-04", "has an extension of a negative type", func(api *capi.API) { second(api).Type = -1 }),
		ownSizeOnly[capi.LayoutsClientGetDefaultLayoutArgs]("XCH-06", "takes default layouts of its own size only"),
		mutant.Of("XCH-06", "takes short structs", func(c *serve.Invocation, a *capi.LayoutsBufferMemoryLayoutArgs) { lengthen(c) }),
		ownSizeOnly[capi.RawBufferCreateRawAliasOfBufferArgs]("XCH-06", "takes raw aliases of its own size only").InMemory(),
		ownSizeOnly[capi.LayoutsMemoryLayoutSerializeArgs]("XCH-06", "takes serialized layouts of its own size only"),
		ownSizeOnly[capi.FFIUserDataAddArgs]("XCH-06", "takes user data of its own size only"),
		ownSizeOnly[capi.MemoryDescriptionKindArgs]("XCH-06", "takes kinds of memory of its own size only").InMemory(),
		ownSizeOnly[capi.HostMemoryAllocatorAllocateArgs]("XCH-06", "takes allocations of its own size only").InMemory(),
		mutant.Of("XCH-06", "writes behind the struct for the layouts of results",
			func(c *serve.Invocation, _ *capi.LayoutsExecutableGetOutputLayoutsArgs) { overrun(c) }),
		mutant.Of("XCH-06", "writes behind the struct for the pointer of an alias",
			func(c *serve.Invocation, _ *capi.RawBufferGetHostPointerArgs) { overrun(c) }).InMemory(),
		mutant.Of("LOAD-09", "says UNKNOWN of what it lacks", func(c *serve.Invocation, a *capi.ClientDMAMapArgs) { c.Fail(capi.ErrorCodeUnknown, "?") }),
		mutant.LikeFormer[capi.ErrorHandle]("ERR-09", "has the code of the second error for all later ones", 3,
			func(a, former *capi.ErrorGetCodeArgs) { a.Code = former.Code }),
		mutant.Hooked("ERR-08", "has the code of the error whose message was read last", func() []serve.Hook {
			var last *capi.ErrorHandle
			return []serve.Hook{
				mutant.Ahead(func(a *capi.ErrorMessageArgs) { last = a.Error }),
				serve.Around(func(c *serve.Invocation, a *capi.ErrorGetCodeArgs) {
					mutant.Forward(c, a, func(a *capi.ErrorGetCodeArgs) {
						if last != nil {
							a.Error = last
						}
					})
				}),
				mutant.Ahead(func(a *capi.ErrorDestroyArgs) {
					if last == a.Error {
						last = nil
					}
				}),
			}
		}),
		mutant.OnceAfter[capi.EventDestroyArgs]("ERR-09", "frees messages with the event that the errors are of",
			func(a *capi.ErrorMessageArgs) { mutant.Reply(a, []byte(check.Words(int(a.MessageSize), 9))) }),
		mutant.Hooked("ERR-11", "tells the payloads of an error once", func() []serve.Hook {
			told := new(mutant.Marks)
			return []serve.Hook{
				serve.Around(func(c *serve.Invocation, a *capi.ErrorForEachPayloadArgs) {
					if !told.Again(a.Error) {
						c.Forward()
					}
				}),
				mutant.Ahead(func(a *capi.ErrorDestroyArgs) { told.Remove(a.Error) }),
			}
		}).InMemory(),
		mutant.Before("ERR-11", "keeps four payloads", func(a *capi.ClientCreateErrorBufferArgs) { a.NumPayload = min(a.NumPayload, 4) }).InMemory(),
		mutant.Hooked("ERR-11", "gives the payloads of the first error to all", func() []serve.Hook {
			var first *capi.ErrorHandle
			return []serve.Hook{serve.Around(func(c *serve.Invocation, a *capi.ErrorForEachPayloadArgs) {
				if first == nil {
					first = a.Error
				}
				mutant.Forward(c, a, func(a *capi.ErrorForEachPayloadArgs) { a.Error = first })
			}), mutant.Ahead(func(a *capi.ErrorDestroyArgs) {
				if a.Error == first {
					first = nil
				}
			})}
		}).InMemory(),
		table("LOAD-08", "the last slot is null", func(api *capi.API) { setSlot(api, api.StructSize-8, 0) }),
		table("LOAD-04", "the table ends before the last function of its version", func(api *capi.API) { api.StructSize -= 8 }),
		table("LOAD-06", "the version's struct_size is 0", func(api *capi.API) { api.PJRTAPIVersion.StructSize = 0 }),
		mutant.Of("SKEW-14", "leaves the struct_size of put's args as it is", putUnsized).InMemory(),
		mutant.Of("SKEW-19", "does not say which size it got", func(c *serve.Invocation, a *capi.PluginAttributesArgs) {
			mutant.FailIf(c, c.Size() < capi.PluginAttributesArgsSize, capi.ErrorCodeInvalidArgument,
				"PJRT_Plugin_Attributes_Args: expected 32, API 0.81")
		}),
		mutant.Fails("SKEW-12", "forgets the options of older callers' executions", func(a *capi.LoadedExecutableExecuteArgs) bool { return a.Options.StructSize == 72 }),
	}
}

// restlessMutants tell other attributes of the plugin once they are asked for again.
func restlessMutants() []mutant.Mutant {
	return mutant.Restless("ATTR-07", func(*capi.PluginAttributesArgs) any { return "the plugin" })
}

// known returns a list of errors with another one behind them, if they lack it.
func known(list []*capi.ErrorHandle, h *capi.ErrorHandle) []*capi.ErrorHandle {
	if slices.Contains(list, h) {
		return list
	}
	return append(list, h)
}

// likeOther makes a fault of codes: that of an error is another's. which returns the place of that
// one among the errors that are alive, and gets the place of the error itself.
func likeOther(name, fault string, which func(alive []*capi.ErrorHandle, i int) int) mutant.Mutant {
	return mutant.Hooked(name, fault, func() []serve.Hook {
		var alive []*capi.ErrorHandle
		return []serve.Hook{
			mutant.Ahead(func(a *capi.ErrorMessageArgs) { alive = known(alive, a.Error) }),
			serve.Around(func(c *serve.Invocation, a *capi.ErrorGetCodeArgs) {
				alive = known(alive, a.Error)
				other := alive[which(alive, slices.Index(alive, a.Error))]
				mutant.Forward(c, a, func(a *capi.ErrorGetCodeArgs) { a.Error = other })
			}),
			mutant.Ahead(func(a *capi.ErrorDestroyArgs) {
				alive = slices.DeleteFunc(alive, func(h *capi.ErrorHandle) bool { return h == a.Error })
			}),
		}
	})
}
