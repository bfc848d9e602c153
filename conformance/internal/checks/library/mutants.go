// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package library

import (
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/capi/serve"
	"github.com/purepjrt/purepjrt/conformance/internal/check"
	"github.com/purepjrt/purepjrt/conformance/internal/mutant"
)

// table makes a mutant whose fault is in the table itself.
func table(name, fault string, change func(api *capi.API)) mutant.Mutant {
	return mutant.Mutant{Check: name, Fault: fault, Wrap: func(base *capi.Table) (*serve.Table, error) {
		// Any hook makes the wrapped table a copy, which can be changed.
		t, err := serve.Wrap(base, serve.Around(func(c *serve.Invocation, _ *capi.PluginInitializeArgs) { c.Forward() }))
		if err == nil {
			change(t.API())
		}
		return t, err
	}}
}

// tableAfter makes a mutant that changes its table in each call of the function that takes A.
func tableAfter[A any](name, fault string, change func(api *capi.API)) mutant.Mutant {
	return mutant.Mutant{Check: name, Fault: fault, Wrap: func(base *capi.Table) (t *serve.Table, err error) {
		t, err = serve.Wrap(base, serve.Around(func(c *serve.Invocation, _ *A) {
			c.Forward()
			change(t.API())
		}))
		return t, err
	}}
}

// fillSlot changes the slot of a function that nothing calls.
func fillSlot(api *capi.API) { setSlot(api, check.FunctionOf[capi.ClientDMAMapArgs]().Offset, 1) }

// every makes a mutant with one hook on all functions.
func every(name, fault string, f func(c *serve.Invocation)) mutant.Mutant {
	return mutant.Hooked(name, fault, func() []serve.Hook { return []serve.Hook{serve.AroundAll(f)} })
}

func tableMutants() []mutant.Mutant {
	return []mutant.Mutant{
		table("LOAD-04", "the table ends before the last functions of its version", func(api *capi.API) { api.StructSize -= 16 }),
		table("LOAD-05", "struct_size is no multiple of a pointer's", func(api *capi.API) { api.StructSize += 4 }),
		table("LOAD-05", "struct_size is that of a pointer", func(api *capi.API) { api.StructSize = 8 }),
		table("LOAD-06", "major and minor are swapped", func(api *capi.API) {
			v := &api.PJRTAPIVersion
			v.MajorVersion, v.MinorVersion = v.MinorVersion, v.MajorVersion
		}),
		table("LOAD-06", "the minor is an old one's, written down by hand", func(api *capi.API) { api.PJRTAPIVersion.MinorVersion = 60 }),
		table("LOAD-07", "the version's extension is a circle", func(api *capi.API) {
			x := &capi.ExtensionBase{StructSize: capi.ExtensionBaseSize}
			x.Next = x
			api.PJRTAPIVersion.ExtensionStart = x
		}),
		table("LOAD-08", "the slot of an unimplemented function is null", func(api *capi.API) {
			setSlot(api, check.FunctionOf[capi.ClientDMAUnmapArgs]().Offset, 0)
		}).ReportedAs("tt-xla#4970"),
		mutant.Answers[capi.DeviceMemoryStatsArgs]("LOAD-09", "says INTERNAL of what it lacks", capi.ErrorCodeInternal),
		tableAfter[capi.ClientCreateArgs]("LOAD-10", "fills in slots when the first client is made", fillSlot),
		tableAfter[capi.PluginInitializeArgs]("LOAD-10", "fills in slots when it is initialized", fillSlot),
	}
}

// skewMutants returns mutants for each family of functions.
func skewMutants() []mutant.Mutant {
	all := []mutant.Mutant{
		mutant.Of("SKEW-05", "falls over the size before kv_try_get_callback", func(c *serve.Invocation, _ *capi.ClientCreateArgs) {
			mutant.FailIf(c, c.Size() < capi.ClientCreateArgsSize, capi.ErrorCodeInternal, "garbage for a callback")
		}),
		mutant.Of("SKEW-05", "leaves the client without devices when the struct is the old one",
			func(c *serve.Invocation, _ *capi.ClientCreateArgs) {
				c.Forward()
				if c.Size() < capi.ClientCreateArgsSize {
					mutant.Die()
				}
			}),
		every("SKEW-06", "does not look at the size of a view's struct", lengthen).InMemory(),
		mutant.Of("SKEW-07", "reads options that an older caller does not have",
			func(c *serve.Invocation, _ *capi.ExecutableDeserializeAndLoadArgs) {
				mutant.FailIf(c, c.Size() < 64, capi.ErrorCodeInternal, "garbage for options")
			}),
		every("SKEW-08", "writes all fields into the structs of older callers", overrun).InMemory(),
		mutant.Fails("SKEW-12", "follows pointers behind the options of an older caller", func(a *capi.LoadedExecutableExecuteArgs) bool { return a.Options.StructSize < 80 }),
		mutant.Before("SKEW-13/struct=program", "does not look at the size of a program", func(a *capi.ClientCompileArgs) { a.Program.StructSize = capi.ProgramSize }),
		mutant.Before("SKEW-13/struct=execute_options", "does not look at the size of options", func(a *capi.LoadedExecutableExecuteArgs) {
			if a.Options.StructSize == 0 {
				a.Options.StructSize = 112
			}
		}),
		mutant.Before("SKEW-13/struct=memory_layout", "does not look at the size of layouts", func(a *capi.ClientBufferFromHostBufferArgs) {
			if a.DeviceLayout != nil {
				a.DeviceLayout.StructSize, a.DeviceLayout.Tiled().StructSize = capi.BufferMemoryLayoutSize,
					capi.BufferMemoryLayoutTiledSize
			}
		}).InMemory(),
		mutant.Before("SKEW-13/struct=shape_spec", "does not look at the size of shape specs",
			func(a *capi.ClientCreateBuffersForAsyncHostToDeviceArgs) {
				a.ShapeSpecs.StructSize = capi.ShapeSpecSize
			}).InMemory(),
		mutant.Before("SKEW-13/struct=named_value", "does not look at the size of named values", func(a *capi.ClientCreateArgs) {
			if a.CreateOptions != nil {
				a.CreateOptions.StructSize = capi.NamedValueSize
			}
		}).InMemory(),
		mutant.Of("SKEW-14", "leaves the struct_size of callback args as it is", func(c *serve.Invocation, a *capi.ClientCreateArgs) {
			askStore(c, a, capi.KeyValueGetCallbackArgs{CallbackError: errorMaker(true)})
			c.Forward()
		}).InMemory(),
		mutant.Refuses("SKEW-15", "takes named values of its own size only", capi.ErrorCodeInvalidArgument,
			func(a *capi.ClientCreateArgs) bool {
				return a.NumOptions > 0 && a.CreateOptions.StructSize != capi.NamedValueSize
			}),
		attributesChanged("SKEW-16", "leaves struct_size of its attributes 0", func(list []capi.NamedValue) {
			for i := range list {
				list[i].StructSize = 0
			}
		}),
		mutant.Dies("SKEW-18/enum=buffer_type", "crashes on unknown element types",
			func(a *capi.ClientBufferFromHostBufferArgs) bool { return a.Type < 0 || a.Type > 100 }).InMemory(),
		mutant.Before("SKEW-18/enum=host_buffer_semantics", "takes unknown semantics", func(a *capi.ClientBufferFromHostBufferArgs) {
			a.HostBufferSemantics = capi.HostBufferSemanticsImmutableOnlyDuringCall
		}).InMemory(),
		mutant.Before("SKEW-18/enum=memory_layout_type", "takes unknown layouts for tiled ones",
			func(a *capi.ClientBufferFromHostBufferArgs) {
				if a.DeviceLayout != nil {
					a.DeviceLayout.Type = capi.BufferMemoryLayoutTypeTiled
				}
			}),
		mutant.Dies("SKEW-18/enum=named_value_type", "ends the process on unknown types of options",
			func(a *capi.ClientCreateArgs) bool {
				return a.NumOptions > 0 && (a.CreateOptions.Type < 0 || a.CreateOptions.Type > 100)
			}).InMemory(),
		mutant.Before("SKEW-18/enum=error_code", "takes unknown error codes", func(a *capi.AsyncHostToDeviceTransferManagerSetBufferErrorArgs) { a.ErrorCode = capi.ErrorCodeInternal }).InMemory(),
		mutant.Of("SKEW-19", "says nothing about sizes but that they are wrong", func(c *serve.Invocation, _ *capi.PluginAttributesArgs) {
			mutant.FailIf(c, c.Size() < capi.PluginAttributesArgsSize, capi.ErrorCodeInvalidArgument, "invalid argument")
		}),
		table("SKEW-20", "the table is longer than its version's", func(api *capi.API) { api.StructSize += 8 }),
	}
	for _, f := range families {
		variant := "/functions=" + f.name
		base := func(m mutant.Mutant) mutant.Mutant { return m }
		if f.name == "executable" {
			base = mutant.Mutant.InMemory // the CPU plugin has such faults itself
		}
		all = append(all,
			every("SKEW-01"+variant, "takes structs of its own size only", func(c *serve.Invocation) {
				mutant.FailIf(c, c.Function().Size != 0 && c.Size() > c.Function().Size, capi.ErrorCodeInvalidArgument,
					"a struct of %d bytes", c.Size())
			}).ReportedAs("aws-neuron-sdk#1095"),
			base(every("SKEW-02"+variant, "writes a field that its caller does not have", overrun)),
			base(every("SKEW-03"+variant, "does not look at struct_size", lengthen)),
			base(every("SKEW-03/memory=guarded,functions="+f.name, "reads fields before it looks at struct_size", peek)),
			every("SKEW-17"+variant, "refuses calls with an extension", func(c *serve.Invocation) {
				mutant.FailIf(c, extended(c), capi.ErrorCodeInvalidArgument, "an extension")
			}),
			every("SKEW-22"+variant, "takes struct_size for a length", func(c *serve.Invocation) {
				mutant.FailIf(c, c.Size() > 1<<40, capi.ErrorCodeResourceExhausted, "%d bytes", c.Size())
			}),
		)
	}
	return all
}

// oneMessage makes a plugin that writes messages into a few places in turn. A second call
// for an error's message returns the same place, which another message may have taken.
func oneMessage(name, fault string, places int) mutant.Mutant {
	return mutant.Hooked(name, fault, func() []serve.Hook {
		const size = 1 << 14
		shared, at, n := make([]byte, places*size), make(map[*capi.ErrorHandle]int), 0
		return []serve.Hook{
			serve.Around(func(c *serve.Invocation, a *capi.ErrorMessageArgs) {
				c.Forward()
				place, known := at[a.Error]
				if !known {
					place, n = n%places, n+1
					at[a.Error] = place
				}
				to := shared[place*size : (place+1)*size]
				length := copy(to[:size-1], capi.Bytes(a.Message, a.MessageSize))
				to[length] = 0
				a.Message, a.MessageSize = &to[0], uintptr(length)
			}),
			serve.Around(func(c *serve.Invocation, a *capi.ErrorDestroyArgs) { delete(at, a.Error); c.Forward() }),
		}
	})
}

func errorMutants() []mutant.Mutant {
	return []mutant.Mutant{
		mutant.Dies("ERR-01", "follows a null error", func(a *capi.ErrorDestroyArgs) bool { return a.Error == nil }),
		mutant.Hooked("ERR-02", "uses one buffer for all messages", func() []serve.Hook {
			shared, n := make([]byte, 32), 0
			return []serve.Hook{serve.Around(func(c *serve.Invocation, a *capi.ErrorMessageArgs) {
				c.Forward()
				n++
				copy(shared, fmt.Sprintf("message %024d", n))
				a.Message, a.MessageSize = &shared[0], uintptr(len(shared))
			})}
		}),
		mutant.After("ERR-02", "has a message of almost all memory there is", func(a *capi.ErrorMessageArgs) { a.MessageSize = 1 << 62 }),
		mutant.After("ERR-02", "says how long a message is that it does not give", func(a *capi.ErrorMessageArgs) {
			a.Message, a.MessageSize = nil, 5
		}),
		oneMessage("ERR-02/of several errors", "has one place for the messages of all errors", 1),
		oneMessage("ERR-02/of several errors", "has two places for messages, in turns", 2),
		oneMessage("ERR-08", "has four places for messages, in turns", 4),
		mutant.After("ERR-03", "counts the terminator", func(a *capi.ErrorMessageArgs) { a.MessageSize++ }),
		mutant.After("ERR-04", "does not terminate messages", func(a *capi.ErrorMessageArgs) {
			a.Message, a.MessageSize = capi.CString("a message and more"), 9
		}),
		mutant.After("ERR-04", "has no messages", func(a *capi.ErrorMessageArgs) { a.MessageSize = 0 }),
		mutant.After("ERR-05", "says OK of an error", func(a *capi.ErrorGetCodeArgs) { a.Code = capi.ErrorCodeOK }),
		mutant.After("ERR-05", "has codes of its own", func(a *capi.ErrorGetCodeArgs) { a.Code = 77 }),
		mutant.Of("ERR-06", "makes an error of each look at a code", func(c *serve.Invocation, _ *capi.ErrorGetCodeArgs) {
			c.Forward()
			c.Fail(capi.ErrorCodeInternal, "an error about an error")
		}),
		mutant.AfterEach("ERR-07", "forgets the code once it was read", func(a *capi.ErrorGetCodeArgs, n int64) {
			if n%2 == 0 {
				a.Code = capi.ErrorCodeUnknown
			}
		}),
		mutant.Hooked("ERR-08", "has one error object for all calls", func() []serve.Hook {
			shared := serve.NewError(&capi.Error{Code: capi.ErrorCodeInvalidArgument, Message: "shared"})
			return []serve.Hook{
				serve.Around(func(c *serve.Invocation, _ *capi.ClientLookupDeviceArgs) {
					c.FailWith(nil)
					c.SetErr(shared)
				}),
				serve.Around(func(c *serve.Invocation, a *capi.ErrorDestroyArgs) {
					if a.Error != shared {
						c.Forward()
					}
				}),
			}
		}),
		mutant.OnceAfter[capi.ClientDestroyArgs]("ERR-09", "keeps messages in the client", func(a *capi.ErrorMessageArgs) {
			a.MessageSize = 0
		}),
		afterError("ERR-17", "returns an error and an object", func(a *capi.ClientCompileArgs) { a.Executable = check.Retain(stranger()) }),
		mutant.Of("ERR-18", "keeps the pointer to the message of a callback's error",
			func(c *serve.Invocation, a *capi.ClientCreateArgs) {
				text := askStore(c, a, capi.KeyValueGetCallbackArgs{StructSize: capi.KeyValueGetCallbackArgsSize,
					CallbackError: errorMaker(false)})
				mutant.FailIf(c, text != "", capi.ErrorCodeAborted, "%s", text)
			}).InMemory(),
		mutant.AfterEach("ERR-19", "takes the code from memory that was never set", func(a *capi.ErrorGetCodeArgs, n int64) {
			a.Code = capi.ErrorCode(1 + n%16)
		}),
	}
}

// attributesChanged makes a mutant whose attributes are a changed copy of the
// plugin's.
func attributesChanged(name, fault string, change func(list []capi.NamedValue)) mutant.Mutant {
	return mutant.Hooked(name, fault, func() []serve.Hook {
		var list []capi.NamedValue
		return []serve.Hook{serve.Around(func(c *serve.Invocation, a *capi.PluginAttributesArgs) {
			c.Forward()
			if c.Err() != nil {
				return
			}
			if list == nil {
				list = check.Retain(capi.Slice(a.Attributes, a.NumAttributes))
				change(list)
			}
			a.Attributes, a.NumAttributes = check.First(list)
		})}
	})
}

// named returns the first value in the list with that name.
func named(list []capi.NamedValue, name string) *capi.NamedValue {
	for i := range list {
		if capi.String(list[i].Name, list[i].NameSize) == name {
			return &list[i]
		}
	}
	panic("there is no attribute " + name)
}

// initialization makes a mutant of PJRT_Plugin_Initialize, whose calls are
// counted.
func initialization(name, fault string, f func(c *serve.Invocation, n int64)) mutant.Mutant {
	return mutant.OfEach(name, fault, func(c *serve.Invocation, _ *capi.PluginInitializeArgs, n int64) {
		c.Forward()
		f(c, n)
	})
}

func attributeMutants() []mutant.Mutant {
	return []mutant.Mutant{
		mutant.Answers[capi.PluginInitializeArgs]("ATTR-01", "needs a client first", capi.ErrorCodeInternal),
		initialization("ATTR-01", "is ready for the second initialization only", func(c *serve.Invocation, n int64) {
			if n == 1 {
				c.Fail(capi.ErrorCodeUnavailable, "not yet")
			}
		}),
		initialization("ATTR-01", "is initialized already", func(c *serve.Invocation, _ int64) {
			c.Fail(capi.ErrorCodeFailedPrecondition, "initialized already")
		}),
		initialization("ATTR-02", "falls over a second initialization", func(c *serve.Invocation, n int64) {
			if n > 1 {
				c.Fail(capi.ErrorCodeInternal, "initialized twice")
			}
		}),
		mutant.Hooked("ATTR-02", "has no devices once it was initialized twice", func() []serve.Hook {
			var n atomic.Int64
			return []serve.Hook{
				serve.Around(func(c *serve.Invocation, _ *capi.PluginInitializeArgs) { c.Forward(); n.Add(1) }),
				serve.Around(func(c *serve.Invocation, _ *capi.ClientCreateArgs) {
					mutant.FailIf(c, n.Load() == 2, capi.ErrorCodeInternal, "two registries")
				}),
			}
		}),
		mutant.Hooked("ATTR-03", "is not made for two first initializations at once", func() []serve.Hook {
			var inside, done atomic.Int64
			return []serve.Hook{serve.Around(func(c *serve.Invocation, _ *capi.PluginInitializeArgs) {
				defer inside.Add(-1)
				if inside.Add(1) > 1 && done.Load() == 0 {
					c.Fail(capi.ErrorCodeInternal, "a race")
					return
				}
				time.Sleep(100 * time.Millisecond)
				c.Forward()
				done.Add(1)
			})}
		}),
		mutant.Hooked("ATTR-04", "crashes when it was not initialized", func() []serve.Hook {
			var n atomic.Int64
			return []serve.Hook{
				serve.Around(func(c *serve.Invocation, _ *capi.PluginInitializeArgs) { c.Forward(); n.Add(1) }),
				serve.Around(func(c *serve.Invocation, _ *capi.ClientCreateArgs) {
					if n.Load() == 0 {
						mutant.Die()
					}
					c.Forward()
				}),
			}
		}),
		mutant.Answers[capi.PluginAttributesArgs]("ATTR-05", "has no attributes", capi.ErrorCodeUnimplemented).ReportedAs("iree#19223"),
		mutant.Of("ATTR-06", "counts attributes in a null array", func(_ *serve.Invocation, a *capi.PluginAttributesArgs) {
			a.Attributes, a.NumAttributes = nil, 3
		}),
		mutant.Hooked("ATTR-07", "frees its attributes with the client", func() []serve.Hook {
			var list []capi.NamedValue
			return []serve.Hook{
				serve.Around(func(c *serve.Invocation, a *capi.PluginAttributesArgs) {
					c.Forward()
					list = check.Retain(capi.Slice(a.Attributes, a.NumAttributes))
					a.Attributes, a.NumAttributes = check.First(list)
				}),
				serve.Around(func(c *serve.Invocation, _ *capi.ClientDestroyArgs) {
					c.Forward()
					for i := range list {
						list[i].Type, list[i].NameSize = 99, 1
					}
				}),
			}
		}),
		attributesChanged("ATTR-08", "has an attribute twice", func(list []capi.NamedValue) { list[1] = list[0] }),
		attributesChanged("ATTR-08", "has an attribute without a name", func(list []capi.NamedValue) {
			list[0].NameSize = 0
		}),
		attributesChanged("ATTR-09", "states a version as a text", func(list []capi.NamedValue) {
			v := named(list, "stablehlo_current_version")
			v.Type, v.ValueSize = capi.NamedValueString, 6
			text := check.Retain(capi.CString("1.13.3"))
			v.SetStringValue(text)
		}),
		attributesChanged("ATTR-10", "does not state xla_version", func(list []capi.NamedValue) {
			v := named(list, "xla_version")
			v.NameSize--
		}),
		mutant.Refuses("ATTR-11", "claims versions that it does not read", capi.ErrorCodeInvalidArgument,
			func(a *capi.ClientCompileArgs) bool {
				return strings.Contains(capi.String(a.Program.Code, min(a.Program.CodeSize, 64)), "StableHLO_v1.13")
			}),
		attributesChanged("ATTR-12", "says that scalars have no element", func(list []capi.NamedValue) {
			named(list, "xla_version").ValueSize = 0
		}),
		attributesChanged("ATTR-13", "has types of its own", func(list []capi.NamedValue) {
			list[0].Type = 17
		}),
		attributesChanged("ATTR-14", "counts the terminators of names", func(list []capi.NamedValue) {
			text := check.Retain(capi.CString("name"))
			list[0].Name, list[0].NameSize = text, 5
		}),
	}
}

// second returns the second node of a chain.
func second(api *capi.API) *capi.ExtensionBase { return api.ExtensionStart.Next }

// firstNode returns the first extension of a type.
func firstNode(api *capi.API, kind capi.ExtensionType) *capi.ExtensionBase {
	for x := api.ExtensionStart; x != nil; x = x.Next {
		if x.Type == kind {
			return x
		}
	}
	panic(fmt.Sprintf("there is no extension %v", kind))
}

func chainMutants() []mutant.Mutant {
	return []mutant.Mutant{
		table("XCH-01", "the chain is a circle", func(api *capi.API) { second(api).Next = api.ExtensionStart }),
		table("XCH-01", "a node is shorter than its head", func(api *capi.API) { second(api).StructSize = 16 }),
		table("XCH-02", "two extensions have one type", func(api *capi.API) { second(api).Type = api.ExtensionStart.Type }),
		table("XCH-03", "a node has its head's size", func(api *capi.API) {
			firstNode(api, capi.ExtensionTypeLayouts).StructSize = capi.ExtensionBaseSize
		}),
		table("XCH-03", "a function of an extension is null", func(api *capi.API) {
			setNode(firstNode(api, capi.ExtensionTypeLayouts), check.FunctionOf[capi.LayoutsBufferMemoryLayoutArgs]().Offset, 0)
		}),
		table("XCH-04", "an extension has a number of the future", func(api *capi.API) { second(api).Type = 40 }),
		tableAfter[capi.ClientDestroyArgs]("XCH-05", "extensions go with the client", func(api *capi.API) { api.ExtensionStart.Next = nil }),
		ownSizeOnly[capi.LayoutsBufferMemoryLayoutArgs]("XCH-06", "takes structs of its own size only"),
	}
}
