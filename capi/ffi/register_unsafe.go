// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package ffi

import (
	"unsafe"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/capi/internal/ccall"
)

// The structs of version 0.2. In version 0.3 states belong to stages, and the others are the same.
// Some hosts of version 0.4 still have handlerRegisterArgs2.
type (
	handlerRegisterArgs2 struct {
		structSize     uintptr
		extensionStart *InternalExtension
		name, platform ByteSpan
		handlers       [4]Handler
		traits         HandlerTraits
	}
	// typeInfo2 fits two forms that version 0.2 had. The older one begins with the deleter. The
	// newer one has it in the same place as TypeInfo, after a struct_size, and rejects only a
	// struct_size that is too small.
	typeInfo2 struct {
		first   TypeInfoDeleter
		_       uintptr // null
		deleter TypeInfoDeleter
	}
	typeRegisterArgs2 struct {
		structSize     uintptr
		extensionStart *InternalExtension
		name           ByteSpan
		typeID         *TypeID
		typeInfo       *typeInfo2
	}
	stateSetArgs2 struct {
		structSize     uintptr
		extensionStart *InternalExtension
		ctx            *InvokeContext
		typeID         *TypeID
		state          uintptr
		deleter        TypeInfoDeleter
	}
	stateGetArgs2 struct {
		structSize     uintptr
		extensionStart *InternalExtension
		ctx            *InvokeContext
		typeID         *TypeID
		state          uintptr
	}
)

const (
	handlerRegisterArgs2Size = unsafe.Offsetof(handlerRegisterArgs2{}.traits) + unsafe.Sizeof(HandlerTraits(0))
	// typeRegisterArgs2Size leaves type_info out, as the header does.
	typeRegisterArgs2Size = unsafe.Offsetof(typeRegisterArgs2{}.typeInfo)
)

// call calls f with args, a struct in the form of the host.
func (h *host) call(f *capi.Function, args unsafe.Pointer) error {
	code := h.slot(f)
	if code == 0 {
		return h.unimplemented(f.Name, "does not have this function")
	}
	if h.minor != 2 && !h.hasStages() {
		return h.unimplemented(f.Name, "has this function in an unknown form: use a host of version 0.2, 0.4 or later")
	}
	r, _ := ccall.CallN(code, uintptr(args))
	return h.takeError(f.Name, *(**ErrorHandle)(unsafe.Pointer(&r)))
}

// span returns s as C represents strings.
func span(s string) ByteSpan {
	p, n := capi.StringData(s)
	return ByteSpan{p, n}
}

// Register registers handlers under a name for a platform, such as Host or CUDA, in the whole
// process (XLA_FFI_Handler_Register). It can register handlers for all stages; PJRT's extension
// takes only the one for execution. XLA queries the handlers at once. Do not release them while
// programs may call them.
func Register(api *API, name, platform string, bundle HandlerBundle, traits HandlerTraits) error {
	h, err := hostOf(api)
	if err != nil {
		return capi.ErrorCodeInvalidArgument.Errorf("%v", err)
	}
	if h.minor >= changedSince && h.recorded() {
		var c capi.Call[HandlerRegisterArgs]
		c.Args.Name, c.Args.Platform, c.Args.Bundle, c.Args.Traits = span(name), span(platform), bundle, traits
		return c.Do(h.table)
	}
	f := (*HandlerRegisterArgs)(nil).Function()
	if bundle.Record != 0 {
		return h.unimplemented(f.Name, "has no stage in which operations are recorded: leave Record zero")
	}
	return h.call(f, unsafe.Pointer(&handlerRegisterArgs2{
		structSize: handlerRegisterArgs2Size, name: span(name), platform: span(platform),
		handlers: [4]Handler{bundle.Instantiate, bundle.Prepare, bundle.Initialize, bundle.Execute}, traits: traits,
	}))
}

// RegisterType gets an id for a type of the program (XLA_FFI_Type_Register). The name must be
// unique in the process: registering it again is an error. deleter frees values of the type that
// XLA owns; it may be zero. See [Deleter].
func RegisterType(api *API, name string, deleter TypeInfoDeleter) (TypeID, error) {
	h, err := hostOf(api)
	if err != nil {
		return TypeID{}, capi.ErrorCodeInvalidArgument.Errorf("%v", err)
	}
	id := new(TypeID)
	if h.minor >= changedSince {
		var c capi.Call[TypeRegisterArgs]
		c.Args.Name, c.Args.TypeID = span(name), id
		c.Args.TypeInfo = &TypeInfo{StructSize: TypeInfoSize, Deleter: deleter}
		err = c.Do(h.table)
	} else {
		info := &typeInfo2{first: deleter, deleter: deleter}
		err = h.call((*TypeRegisterArgs)(nil).Function(), unsafe.Pointer(&typeRegisterArgs2{
			structSize: typeRegisterArgs2Size, name: span(name), typeID: id, typeInfo: info,
		}))
	}
	return *id, err
}

// SetState keeps state for later calls of the custom call that f belongs to (XLA_FFI_State_Set).
// From then on XLA owns it. XLA frees it with the deleter of the type, which must have one. Older
// hosts of version 0.2 use deleter instead, so the two should be the same. Setting a state twice is
// an error.
func (f *CallFrame) SetState(id TypeID, state uintptr, deleter TypeInfoDeleter) error {
	h, err := hostOf(f.API)
	if err != nil {
		return capi.ErrorCodeInvalidArgument.Errorf("%v", err)
	}
	if h.hasStages() {
		a := &StateSetArgs{StructSize: StateSetArgsSize, Ctx: f.Ctx, Stage: f.Stage, TypeID: &id, State: state}
		return h.call(a.Function(), unsafe.Pointer(a))
	}
	a := &stateSetArgs2{ctx: f.Ctx, typeID: &id, state: state, deleter: deleter}
	a.structSize = unsafe.Sizeof(*a)
	return h.call((*StateSetArgs)(nil).Function(), unsafe.Pointer(a))
}

// State returns the state of this type that the handler of a stage, usually
// ExecutionStageInstantiate, has set (XLA_FFI_State_Get). Before version 0.3, only
// ExecutionStageInstantiate had a state. State returns an error if there is none.
//
// Precondition: the host calls handlers of the stage. XLA's plugins for CPUs have
// ExecutionStageInstantiate and ExecutionStageExecute, and from version 0.3 on they end the process
// when they are asked for the state of another stage.
func (f *CallFrame) State(id TypeID, stage ExecutionStage) (uintptr, error) {
	h, err := hostOf(f.API)
	if err != nil {
		return 0, capi.ErrorCodeInvalidArgument.Errorf("%v", err)
	}
	if h.hasStages() {
		a := &StateGetArgs{StructSize: StateGetArgsSize, Ctx: f.Ctx, Stage: stage, TypeID: &id}
		err = h.call(a.Function(), unsafe.Pointer(a))
		return a.State, err
	}
	fn := (*StateGetArgs)(nil).Function()
	if stage != ExecutionStageInstantiate {
		return 0, h.unimplemented(fn.Name, "keeps states of the stage "+ExecutionStageInstantiate.String()+" only")
	}
	a := &stateGetArgs2{ctx: f.Ctx, typeID: &id}
	a.structSize = unsafe.Sizeof(*a)
	err = h.call(fn, unsafe.Pointer(a))
	return a.state, err
}

// UserData returns the value of this type that the caller of the program put into its execute
// context (XLA_FFI_InvokeContext_Get, and the function in its slot in older versions). It returns
// an error if there is none. If capi.NewFFIUserData made the value, it is a capi.Handle.
//
// Precondition: the program is executed with an execute context. Without one,
// hosts of version 0.2 crash.
func (f *CallFrame) UserData(id TypeID) (uintptr, error) {
	h, err := hostOf(f.API)
	if err != nil {
		return 0, capi.ErrorCodeInvalidArgument.Errorf("%v", err)
	}
	var c capi.Call[InvokeContextGetArgs]
	c.Args.Ctx, c.Args.TypeID = f.Ctx, &id
	err = c.Do(h.table)
	return c.Args.Data, err
}
