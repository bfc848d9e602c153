// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package serve

import (
	"fmt"
	"reflect"
	"unsafe"

	"github.com/purepjrt/purepjrt/capi"
)

// OldestMinor is the oldest API minor that a Plugin can have. From then on, the functions have kept
// their places in the table.
const OldestMinor = 57

// growth is the size of a struct since a minor.
type growth struct {
	since int
	size  uintptr
}

// sizeAt returns the size at a minor, or 0 if the struct is newer.
func sizeAt(list []growth, minor int) uintptr {
	size := uintptr(0)
	for _, g := range list {
		if g.since <= minor {
			size = g.size
		}
	}
	return size
}

// least returns the smallest size that a caller of a minor can have. If the struct is newer, that
// is the size of its first version.
func least(list []growth, minor int) uintptr { return max(sizeAt(list, minor), list[0].size) }

// Serve makes a live table from p. Later changes of p have no effect.
//
// A func runs on the thread that calls the function. Clients may call at any time, and from many
// threads at once. The args have the newest layout. For an older caller they are a copy, and after
// the func returns, the fields that the caller has are copied back to it. Fields that the caller
// does not have are zero; StructSize is the caller's. The same applies to options and other single
// structs that args point to. Out fields hold whatever the caller left in them.
//
// If a func returns an error, the caller gets a PJRT_Error with its code (see capi.CodeOf), message
// and payloads. A panic in a func becomes an error with the code INTERNAL and the stack; in a void
// function it is logged with slog. A func that ends its goroutine, as t.FailNow does, ends that of
// a caller in Go, but on a thread of C it ends the process.
//
// Like XLA, the table rejects args whose struct_size is smaller than that of its version, or of
// Callers, with INVALID_ARGUMENT, without calling the func. It rejects null args in the same way.
//
// The error is ErrExhausted, or says which version does not exist.
func (p *Plugin) Serve() (*Table, error) {
	minor := p.Minor
	if minor == 0 {
		minor = capi.APIMinor
	}
	if minor < OldestMinor || minor > capi.APIMinor {
		return nil, fmt.Errorf("serve: the minor version is %d: it must be from %d to %d", minor, OldestMinor, capi.APIMinor)
	}
	callers := p.Callers
	if callers == 0 {
		callers = minor
	}
	if callers < OldestMinor || callers > minor {
		return nil, fmt.Errorf("serve: the minor version of Callers is %d: it must be from %d to %d, the plugin's", callers,
			OldestMinor, minor)
	}
	b := &binder{minor: minor, callers: callers, table: &Table{handlers: make([]handler, len(functions))}}
	b.openCore()
	p.bind(b)
	for i, n := range p.Nodes {
		if n == nil {
			return nil, fmt.Errorf("serve: Nodes[%d] is nil", i)
		}
	}
	t := b.table
	if err := t.build(b.parts); err != nil {
		return nil, err
	}
	t.link(b.parts, p.Nodes)
	t.keep = p.Nodes
	return t, t.publish()
}

// binder collects the funcs of a plugin.
type binder struct {
	minor   int
	callers int
	table   *Table
	parts   []*part
	part    *part // of the functions being bound; nil if the plugin's version lacks it
}

// openCore begins the core table.
func (b *binder) openCore() {
	size := uintptr(0)
	for _, f := range capi.Functions(capi.SectionCore) {
		if f.Since <= b.minor {
			size = max(size, f.Offset+wordSize)
		}
	}
	b.part = &part{section: capi.SectionCore, size: size, write: []func(unsafe.Pointer){func(base unsafe.Pointer) {
		api := (*capi.API)(base)
		api.StructSize = size
		api.PJRTAPIVersion = capi.APIVersion{StructSize: capi.APIVersionSize, MajorVersion: capi.APIMajor, MinorVersion: int32(b.minor)}
	}}}
	b.parts = append(b.parts, b.part)
}

// open begins an extension, or the profiler's table.
func (b *binder) open(s capi.Section, sizes []growth) {
	b.part = nil
	size := sizeAt(sizes, b.minor)
	if size == 0 {
		return
	}
	b.part = &part{section: s, size: size}
	if s != capi.SectionProfiler {
		b.part.write = append(b.part.write, func(base unsafe.Pointer) {
			n := (*capi.ExtensionBase)(base)
			n.StructSize, n.Type = size, capi.ExtensionType(s-capi.SectionExtension(0))
		})
		b.parts = append(b.parts, b.part)
		return
	}
	inner := b.part
	inner.write = append(inner.write, func(base unsafe.Pointer) { (*capi.ProfilerAPI)(base).StructSize = size })
	t := b.table
	b.parts = append(b.parts, &part{
		section: capi.SectionExtension(capi.ExtensionTypeProfiler), size: capi.ProfilerExtensionSize,
		write: []func(unsafe.Pointer){func(base unsafe.Pointer) {
			x := (*capi.ProfilerExtension)(base)
			x.Base.StructSize, x.Base.Type = capi.ProfilerExtensionSize, capi.ExtensionTypeProfiler
			x.ProfilerAPI = (*capi.ProfilerAPI)(unsafe.Add(unsafe.Pointer(t.API()), inner.offset))
		}},
	}, inner)
}

// put sets a field of an extension's node that is not a function.
func put[T any](b *binder, offset uintptr, v T) {
	if p := b.part; p != nil && offset+unsafe.Sizeof(v) <= p.size {
		p.write = append(p.write, func(base unsafe.Pointer) { *(*T)(unsafe.Add(base, offset)) = v })
	}
}

// bind binds the func of the function whose args are P.
func bind[P capi.Arguments](b *binder, fn func(P) error) {
	var none P
	var call func(args unsafe.Pointer) error
	if fn != nil {
		// P is a pointer, because only pointers implement capi.Arguments.
		call = func(args unsafe.Pointer) error { return fn(*(*P)(unsafe.Pointer(&args))) }
	}
	b.bind(none.Function(), reflect.TypeFor[P]().Elem(), call)
}

// bindVoid binds the func of a void function.
func bindVoid[P capi.Arguments](b *binder, fn func(P)) {
	var none P
	var call func(args unsafe.Pointer) error
	if fn != nil {
		call = func(args unsafe.Pointer) error {
			fn(*(*P)(unsafe.Pointer(&args)))
			return nil
		}
	}
	b.bind(none.Function(), reflect.TypeFor[P]().Elem(), call)
}

func (b *binder) bind(f *capi.Function, typ reflect.Type, call func(unsafe.Pointer) error) {
	if b.part == nil || f.Since > b.minor {
		return
	}
	b.part.slot(b.table, f)
	want, own := f.Size, f.Size
	if list := argsGrowth[f]; list != nil {
		want, own = least(list, b.callers), sizeAt(list, b.minor)
	}
	s := &served{function: f, minor: b.minor, want: want, own: own, typ: typ, call: call, inner: argsInner[f], callers: b.callers}
	s.stale = b.callers < argsStale[f]
	b.table.handlers[ids[f]] = s.handle
}

// served is a function of a Plugin.
type served struct {
	function *capi.Function
	minor    int
	callers  int     // the minor of the oldest
	want     uintptr // the size of the args at that minor
	own      uintptr // and at the plugin's
	stale    bool    // callers of that version state a smaller size than they have
	typ      reflect.Type
	inner    []inner
	call     func(args unsafe.Pointer) error // nil if the plugin has no func
}

// inner is a pointer in args to a struct with its own size.
type inner struct {
	name   string // C name of the field
	offset uintptr
	typ    reflect.Type
	sizes  []growth
}

// at returns the struct that the args point to, or nil.
func (n *inner) at(args unsafe.Pointer) *unsafe.Pointer {
	return (*unsafe.Pointer)(unsafe.Add(args, n.offset))
}

// full is the size of the struct in its newest form.
func (n *inner) full() uintptr { return n.sizes[len(n.sizes)-1].size }

// handle is the handler of the function.
func (s *served) handle(args unsafe.Pointer) (word uintptr) {
	f := s.function
	if args == nil {
		return fail(f, capi.ErrorCodeInvalidArgument, "the args of %s are null", f.Name)
	}
	have := f.Size
	if f.Size != 0 {
		have = *(*uintptr)(args)
	}
	if have < s.want {
		return s.tooSmall("the args", have, s.want, s.own)
	}
	if s.stale {
		have = f.Size
	}
	short := have < f.Size
	for i := range s.inner {
		n := &s.inner[i]
		if n.offset+wordSize > have || *n.at(args) == nil {
			continue
		}
		size := *(*uintptr)(*n.at(args))
		if want := least(n.sizes, s.callers); size < want {
			return s.tooSmall(n.name, size, want, max(want, sizeAt(n.sizes, s.minor)))
		}
		short = short || size < n.full()
	}
	if s.call == nil {
		return unset(f, args)
	}
	defer func() {
		if v := recover(); v != nil {
			word = panicked(f, v)
		}
	}()
	var err error
	if short {
		err = s.callCopy(args, min(have, f.Size))
	} else {
		err = s.call(args)
	}
	if err == nil || f.Void {
		return 0
	}
	return errorWord(err)
}

func (s *served) tooSmall(what string, have, want, own uintptr) uintptr {
	also := ""
	if own != want {
		also = fmt.Sprintf(", and %d in API %d.%d", own, capi.APIMajor, s.minor)
	}
	return fail(s.function, capi.ErrorCodeInvalidArgument,
		"%s of %s: struct_size is %d, and in API %d.%d the struct has %d bytes%s: "+
			"the caller was built for an older version than this plugin of API %d.%d supports",
		what, s.function.Name, have, capi.APIMajor, s.callers, want, also, capi.APIMajor, s.minor)
}

// callCopy calls the func with a copy of the args in the newest layout. have is the size of the
// caller's args. It also copies structs that the args point to if those of the caller are shorter.
func (s *served) callCopy(args unsafe.Pointer, have uintptr) error {
	full := reflect.New(s.typ).UnsafePointer()
	move(full, args, have)
	// Copy the func's changes back even if it panics, because otherwise objects that it returned
	// before would be lost.
	defer func() { move(args, full, have) }()
	for i := range s.inner {
		n := &s.inner[i]
		theirs := *n.at(full)
		if theirs == nil || *(*uintptr)(theirs) >= n.full() {
			continue
		}
		mine, size := reflect.New(n.typ).UnsafePointer(), *(*uintptr)(theirs)
		move(mine, theirs, size)
		*n.at(full) = mine
		defer func() {
			move(theirs, mine, size)
			*n.at(full) = theirs
		}()
	}
	return s.call(full)
}

// move copies size bytes.
func move(to, from unsafe.Pointer, size uintptr) {
	copy(unsafe.Slice((*byte)(to), size), unsafe.Slice((*byte)(from), size))
}

// unset answers a call if the func is nil.
func unset(f *capi.Function, args unsafe.Pointer) uintptr {
	if readsErrors(f) {
		if word, ok := answerError(f, args); ok {
			return word
		}
		return fail(f, capi.ErrorCodeInvalidArgument, "the argument of %s is not an error of this plugin, or was destroyed", f.Name)
	}
	return fail(f, capi.ErrorCodeUnimplemented, "the plugin does not implement %s", f.Name)
}
