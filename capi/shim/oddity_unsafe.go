// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package shim

import (
	"bytes"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"unsafe"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/capi/describe"
	"github.com/purepjrt/purepjrt/capi/serve"
	"github.com/purepjrt/purepjrt/capi/shim/recording"
)

// Oddity is something that plugins in the field do though clients do not expect it: what the
// contract forbids, or what XLA's plugins do not do.
type Oddity string

// The oddities.
const (
	// ZeroSizes leaves the struct_size of the structs that the plugin fills in 0: the version in
	// the table, attributes and layouts.
	ZeroSizes Oddity = "zero-sizes"
	// NoCompleteEvents leaves the device_complete_events of an execution null, and refuses null
	// where a client takes it for an event.
	NoCompleteEvents Oddity = "no-complete-events"
	// NoLookup answers the functions that look up a device with success and null.
	NoLookup Oddity = "no-lookup"
	// NoFingerprints answers the functions for fingerprints with success, null and 0.
	NoFingerprints Oddity = "no-fingerprints"
	// SharedExecutables returns the same PJRT_Executable of a loaded executable each time. It lives
	// as long as that one, whoever destroys it.
	SharedExecutables Oddity = "shared-executables"
	// ZeroSizeQuery answers PJRT_Buffer_ToHostBuffer without a destination with a size of 0.
	ZeroSizeQuery Oddity = "zero-size-query"
	// FewerResults makes programs of several results lack the last.
	FewerResults Oddity = "fewer-results"
	// NoExecutableDevices leaves the list of PJRT_LoadedExecutable_AddressableDevices empty.
	NoExecutableDevices Oddity = "no-executable-devices"
	// ShortTable ends the table where that of the oldest API ends, though its minor is newer.
	ShortTable Oddity = "short-table"
	// Stdout writes a line to the standard output when a client is made.
	Stdout Oddity = "stdout"
	// OneClient returns the same client each time. It lives until it was destroyed as often.
	OneClient Oddity = "one-client"
	// ArtifactsOnly refuses programs that are text of MLIR, with INTERNAL.
	ArtifactsOnly Oddity = "artifacts-only"
	// NoOptimizedProgram leaves PJRT_Executable_OptimizedProgram unimplemented.
	NoOptimizedProgram Oddity = "no-optimized-program"
)

// Oddities returns all oddities.
func Oddities() []Oddity {
	return []Oddity{
		ZeroSizes, NoCompleteEvents, NoLookup, NoFingerprints, SharedExecutables, ZeroSizeQuery, FewerResults, NoExecutableDevices,
		ShortTable, Stdout, OneClient, ArtifactsOnly, NoOptimizedProgram,
	}
}

// parseOddities reads a list of oddities that are separated by commas.
func parseOddities(list string) ([]Oddity, error) {
	var odd []Oddity
	for _, name := range strings.FieldsFunc(list, func(r rune) bool { return r == ',' || r == ' ' }) {
		if !slices.Contains(Oddities(), Oddity(name)) {
			var names []string
			for _, o := range Oddities() {
				names = append(names, string(o))
			}
			return nil, fmt.Errorf("%q is not an oddity: use some of %s", name, strings.Join(names, ", "))
		}
		odd = append(odd, Oddity(name))
	}
	return odd, nil
}

// after makes a hook that changes the results of calls that succeed.
func after[A any](change func(*A)) serve.Hook {
	return serve.Around(func(c *serve.Invocation, a *A) {
		if c.Forward(); c.Err() == nil {
			change(a)
		}
	})
}

// hooks returns what makes a plugin odd, as far as functions do.
func (o Oddity) hooks() []serve.Hook {
	switch o {
	case ZeroSizes:
		return zeroSizes()
	case NoCompleteEvents:
		return []serve.Hook{
			serve.Around(withoutEvents),
			refuseNull(func(a *capi.EventOnReadyArgs) *capi.Event { return a.Event }),
			refuseNull(func(a *capi.EventAwaitArgs) *capi.Event { return a.Event }),
			refuseNull(func(a *capi.EventIsReadyArgs) *capi.Event { return a.Event }),
			refuseNull(func(a *capi.EventErrorArgs) *capi.Event { return a.Event }),
		}
	case NoLookup:
		return []serve.Hook{
			after(func(a *capi.ClientLookupDeviceArgs) { a.Device = nil }),
			after(func(a *capi.ClientLookupAddressableDeviceArgs) { a.AddressableDevice = nil }),
		}
	case NoFingerprints:
		return []serve.Hook{
			after(func(a *capi.ExecutableFingerprintArgs) { a.ExecutableFingerprint, a.ExecutableFingerprintSize = nil, 0 }),
			after(func(a *capi.LoadedExecutableFingerprintArgs) {
				a.ExecutableFingerprint, a.ExecutableFingerprintSize = nil, 0
			}),
		}
	case SharedExecutables:
		return shareExecutables()
	case ZeroSizeQuery:
		return []serve.Hook{serve.Around(func(c *serve.Invocation, a *capi.BufferToHostBufferArgs) {
			if c.Forward(); c.Err() == nil && a.Dst == nil {
				a.DstSize = 0
			}
		})}
	case FewerResults:
		return fewerResults()
	case NoExecutableDevices:
		return []serve.Hook{after(func(a *capi.LoadedExecutableAddressableDevicesArgs) {
			a.AddressableDevices, a.NumAddressableDevices = nil, 0
		})}
	case Stdout:
		return []serve.Hook{serve.Around(func(c *serve.Invocation, _ *capi.ClientCreateArgs) {
			fmt.Fprintln(os.Stdout, "the plugin makes a client")
			c.Forward()
		})}
	case OneClient:
		return oneClient()
	case ArtifactsOnly:
		return []serve.Hook{
			serve.Around(func(c *serve.Invocation, a *capi.ClientCompileArgs) { refuseText(c, a.Program) }),
			serve.Around(func(c *serve.Invocation, a *capi.CompileArgs) { refuseText(c, a.Program) }),
		}
	case NoOptimizedProgram:
		return []serve.Hook{serve.Around(func(c *serve.Invocation, _ *capi.ExecutableOptimizedProgramArgs) {
			c.Fail(capi.ErrorCodeUnimplemented, "%s is not implemented", c.Function().Name)
		})}
	}
	return nil
}

// alter makes the table odd, as far as functions do not. Nothing else uses it yet.
func (o Oddity) alter(t *serve.Table) {
	switch api := t.API(); o {
	case ZeroSizes:
		api.PJRTAPIVersion.StructSize = 0
	case ShortTable:
		shorten(api, tableSize(serve.OldestMinor))
	}
}

// zeroSizes makes the hooks of ZeroSizes. Lists of attributes belong to the plugin, so callers get
// copies, which stay for as long as the hooks do.
func zeroSizes() []serve.Hook {
	var mu sync.Mutex
	copies := make(map[*capi.NamedValue][]capi.NamedValue)
	without := func(list *capi.NamedValue, n uintptr) *capi.NamedValue {
		if n == 0 {
			return list
		}
		mu.Lock()
		defer mu.Unlock()
		c := copies[list]
		if uintptr(len(c)) != n {
			c = slices.Clone(unsafe.Slice(list, n))
			for i := range c {
				c[i].StructSize = 0
			}
			copies[list] = c
		}
		return &c[0]
	}
	return []serve.Hook{
		after(func(a *capi.PluginAttributesArgs) { a.Attributes = without(a.Attributes, a.NumAttributes) }),
		after(func(a *capi.DeviceDescriptionAttributesArgs) { a.Attributes = without(a.Attributes, a.NumAttributes) }),
		after(func(a *capi.BufferGetMemoryLayoutArgs) {
			if a.Layout.StructSize = 0; a.Layout.Type == capi.BufferMemoryLayoutTypeTiled {
				a.Layout.Tiled().StructSize = 0
			}
		}),
	}
}

// refuseNull makes a hook for a function of events that answers INVALID_ARGUMENT to null.
func refuseNull[A any](event func(*A) *capi.Event) serve.Hook {
	return serve.Around(func(c *serve.Invocation, a *A) {
		if event(a) == nil {
			c.Fail(capi.ErrorCodeInvalidArgument, "the event is null")
			return
		}
		c.Forward()
	})
}

// withoutEvents forwards an execution whose caller gets no complete events.
func withoutEvents(c *serve.Invocation, a *capi.LoadedExecutableExecuteArgs) {
	events := a.DeviceCompleteEvents
	a.DeviceCompleteEvents = nil
	c.Forward()
	if a.DeviceCompleteEvents = events; events != nil {
		clear(unsafe.Slice(events, a.NumDevices))
	}
}

// shareExecutables makes the hooks of SharedExecutables.
func shareExecutables() []serve.Hook {
	var mu sync.Mutex
	shared := make(map[*capi.LoadedExecutable]*capi.Executable)
	return []serve.Hook{
		serve.Around(func(c *serve.Invocation, a *capi.LoadedExecutableGetExecutableArgs) {
			mu.Lock()
			defer mu.Unlock()
			if a.Executable = shared[a.LoadedExecutable]; a.Executable != nil {
				return
			}
			if c.Forward(); c.Err() == nil {
				shared[a.LoadedExecutable] = a.Executable
			}
		}),
		serve.Around(func(c *serve.Invocation, a *capi.ExecutableDestroyArgs) {
			mu.Lock()
			defer mu.Unlock()
			for _, e := range shared {
				if e == a.Executable {
					return
				}
			}
			c.Forward()
		}),
		serve.Around(func(c *serve.Invocation, a *capi.LoadedExecutableDestroyArgs) {
			mu.Lock()
			e := shared[a.Executable]
			delete(shared, a.Executable)
			mu.Unlock()
			if e != nil {
				var destroy capi.Call[capi.ExecutableDestroyArgs]
				destroy.Args.Executable = e
				_ = destroy.Do(c.Table())
			}
			c.Forward()
		}),
	}
}

// oneClient makes the hooks of OneClient.
func oneClient() []serve.Hook {
	var mu sync.Mutex
	var client *capi.Client
	users := 0
	return []serve.Hook{
		serve.Around(func(c *serve.Invocation, a *capi.ClientCreateArgs) {
			mu.Lock()
			defer mu.Unlock()
			if a.Client = client; client == nil {
				if c.Forward(); c.Err() != nil {
					return
				}
				client = a.Client
			}
			users++
		}),
		serve.Around(func(c *serve.Invocation, a *capi.ClientDestroyArgs) {
			mu.Lock()
			defer mu.Unlock()
			if a.Client == nil || a.Client != client {
				c.Forward()
				return
			}
			if users--; users == 0 {
				client = nil
				c.Forward()
			}
		}),
	}
}

// bytecodeMagic is the beginning of MLIR in bytecode.
const bytecodeMagic = "ML\xefR"

func refuseText(c *serve.Invocation, p *capi.Program) {
	if p != nil && capi.String(p.Format, p.FormatSize) == "mlir" &&
		!bytes.HasPrefix(capi.Bytes(p.Code, p.CodeSize), []byte(bytecodeMagic)) {
		c.Fail(capi.ErrorCodeInternal, "failed to deserialize the StableHLO artifact")
		return
	}
	c.Forward()
}

// fewer returns the number of results that callers see.
func fewer(n uintptr) uintptr {
	if n > 1 {
		return n - 1
	}
	return n
}

// fewerResults makes the hooks of FewerResults.
func fewerResults() []serve.Hook {
	return []serve.Hook{
		after(func(a *capi.ExecutableNumOutputsArgs) { a.NumOutputs = fewer(a.NumOutputs) }),
		after(func(a *capi.ExecutableOutputElementTypesArgs) { a.NumOutputTypes = fewer(a.NumOutputTypes) }),
		after(func(a *capi.ExecutableOutputDimensionsArgs) { a.NumOutputs = fewer(a.NumOutputs) }),
		after(func(a *capi.ExecutableOutputMemoryKindsArgs) { a.NumOutputs = fewer(a.NumOutputs) }),
		serve.Around(executeWithFewer),
	}
}

// executeWithFewer gives the plugin room for all results, and its caller those that it knows of.
func executeWithFewer(c *serve.Invocation, a *capi.LoadedExecutableExecuteArgs) {
	all := recording.CountOutputs(c.Table(), describe.HandleOf(a.Executable))
	theirs := a.OutputLists
	if all < 2 || theirs == nil {
		c.Forward()
		return
	}
	rows, lists := make([][]*capi.Buffer, a.NumDevices), make([]**capi.Buffer, a.NumDevices)
	for d := range rows {
		rows[d] = make([]*capi.Buffer, all)
		lists[d] = &rows[d][0]
	}
	a.OutputLists = unsafe.SliceData(lists)
	c.Forward()
	a.OutputLists = theirs
	runtime.KeepAlive(rows)
	if c.Err() != nil {
		return
	}
	for d, row := range rows {
		copy(unsafe.Slice(unsafe.Slice(theirs, a.NumDevices)[d], all-1), row)
		var destroy capi.Call[capi.BufferDestroyArgs]
		destroy.Args.Buffer = row[all-1]
		_ = destroy.Do(c.Table())
	}
}
