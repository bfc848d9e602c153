// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package capi

import (
	"slices"
	"sync"
	"unsafe"
)

// Registration is something that this process registered with a plugin and that changes what the
// plugin compiles: the handler of a custom call, a partitioner, or a transformation of programs.
// Another process has to register the same to compile the same.
type Registration struct {
	Function *Function // that registered it, such as PJRT_FFI_Register_Handler
	Name     string    // of the custom call or transformation
	Platform string    // of the handler, for PJRT_FFI_Register_Handler
	// Traits are those of the handler, for PJRT_FFI_Register_Handler.
	Traits FFIHandlerTraitsBits
	// APIVersion is that of the function, for PJRT_Gpu_Register_Custom_Call.
	APIVersion int32

	stage XLATransformPipelineStage
}

// registering reads what a successful call has registered: r was added if change is 1, and removed
// if change is -1.
type registering func(args unsafe.Pointer) (r Registration, change int)

// registrations holds the registrations of all plugins, by their tables.
var registrations struct {
	mu     sync.Mutex
	plugin map[*API][]Registration // guarded by mu
}

// Registrations returns what this process registered with the plugin by [Call.Do], in the order of
// the calls. It leaves out transformations that were cleared.
func (t *Table) Registrations() []Registration {
	if t == nil {
		return nil
	}
	registrations.mu.Lock()
	defer registrations.mu.Unlock()
	return slices.Clone(registrations.plugin[t.api])
}

// register notes what a call of f with args has registered or cleared.
func (t *Table) register(f *Function, args unsafe.Pointer) {
	r, change := f.registers(args)
	r.Function = f
	registrations.mu.Lock()
	defer registrations.mu.Unlock()
	list := registrations.plugin[t.api]
	switch change {
	case 1:
		list = append(list, r)
	case -1:
		list = slices.DeleteFunc(list, func(x Registration) bool {
			return x.Function == (*RegisterXLATransformArgs)(nil).Function() && x.Name == r.Name && x.stage == r.stage
		})
	}
	if registrations.plugin == nil {
		registrations.plugin = make(map[*API][]Registration)
	}
	registrations.plugin[t.api] = list
}

func init() {
	registers(func(a *FFIRegisterHandlerArgs) (Registration, int) {
		return Registration{
			Name: String(a.TargetName, a.TargetNameSize), Platform: String(a.PlatformName, a.PlatformNameSize), Traits: a.Traits,
		}, 1
	})
	registers(func(a *GPURegisterCustomCallArgs) (Registration, int) {
		return Registration{Name: String(a.FunctionName, a.FunctionNameSize), APIVersion: a.APIVersion}, 1
	})
	registers(func(a *RegisterCustomPartitionerArgs) (Registration, int) {
		return Registration{Name: String(a.Name, a.NameSize)}, 1
	})
	registers(func(a *RegisterBatchPartitionableArgs) (Registration, int) {
		return Registration{Name: String(a.Name, a.NameSize)}, 1
	})
	registers(func(a *RegisterXLATransformArgs) (Registration, int) {
		return Registration{Name: String(a.Name, a.NameSize), stage: a.Stage}, 1
	})
	registers(func(a *ClearXLATransformArgs) (Registration, int) {
		if !a.Cleared {
			return Registration{}, 0
		}
		return Registration{Name: String(a.Name, a.NameSize), stage: a.Stage}, -1
	})
}

// registers sets the function that reads what a successful call with args of type A has registered
// or removed.
func registers[A any](read func(*A) (r Registration, change int)) {
	new(Call[A]).Function().registers = func(args unsafe.Pointer) (Registration, int) { return read((*A)(args)) }
}

// NoteRegistration adds a registration that was made not through [Call.Do], but through a table
// that the plugin lends.
func (t *Table) NoteRegistration(r Registration) {
	registrations.mu.Lock()
	defer registrations.mu.Unlock()
	if registrations.plugin == nil {
		registrations.plugin = make(map[*API][]Registration)
	}
	registrations.plugin[t.api] = append(registrations.plugin[t.api], r)
}
