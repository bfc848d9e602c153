// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package describe

import "unsafe"

// A View is a struct in C memory and its description: the argument of a function, or a struct in
// it. It is valid as long as the memory is.
type View struct {
	Struct *Struct
	base   unsafe.Pointer
	size   uintptr // of the readable part
}

// NewView returns the View of a struct with size readable bytes, which is the value of struct_size.
// p must not be nil.
func NewView(s *Struct, p unsafe.Pointer, size uintptr) View {
	index()
	return View{s, p, size}
}

// Pointer returns the address of the struct.
func (v View) Pointer() unsafe.Pointer { return v.base }

// nested returns the View of a struct that is in another struct, or that another struct points to.
// If the struct has a struct_size, that is the View's size.
func nested(s *Struct, p unsafe.Pointer) View {
	v := View{s, p, s.Size}
	if s.Sized {
		v.size = *(*uintptr)(p)
	}
	return v
}

// StructSize returns the struct_size of the struct, or the size in its description if it has none.
func (v View) StructSize() uintptr {
	if v.Struct.Sized {
		return *(*uintptr)(v.base)
	}
	return v.Struct.Size
}

// Has reports whether the field is in the readable part.
func (v View) Has(f *Field) bool { return f != nil && f.Offset+f.Size <= v.size }

// Word returns a number, an enumerator or an address, sign-extended to 64 bits, and of a Float the
// bits. It returns 0 if the struct is too short for the field.
func (v View) Word(f *Field) int64 {
	if !v.Has(f) {
		return 0
	}
	return load(unsafe.Add(v.base, f.Offset), f.Size, f.isSigned())
}

func (f *Field) isSigned() bool { return f.Kind == Int || f.Kind == Enumerator }

// WordOf returns Word of the field with this name, or 0 if there is none.
func (v View) WordOf(name string) int64 { return v.Word(v.Struct.Field(name)) }

// SetWord writes a number, an enumerator or an address.
func (v View) SetWord(f *Field, w int64) {
	if !v.Has(f) {
		return
	}
	p := unsafe.Add(v.base, f.Offset)
	switch f.Size {
	case 1:
		*(*int8)(p) = int8(w)
	case 2:
		*(*int16)(p) = int16(w)
	case 4:
		*(*int32)(p) = int32(w)
	case 8:
		*(*int64)(p) = w
	}
}

func load(p unsafe.Pointer, size uintptr, signed bool) int64 {
	switch size {
	case 1:
		if signed {
			return int64(*(*int8)(p))
		}
		return int64(*(*uint8)(p))
	case 2:
		if signed {
			return int64(*(*int16)(p))
		}
		return int64(*(*uint16)(p))
	case 4:
		if signed {
			return int64(*(*int32)(p))
		}
		return int64(*(*uint32)(p))
	case 8:
		return *(*int64)(p)
	}
	return 0
}

// pointer returns the pointer in a field, or nil if the struct is too short for it.
func (v View) pointer(f *Field) unsafe.Pointer {
	if !v.Has(f) || f.Size != sizeWord {
		return nil
	}
	return *(*unsafe.Pointer)(unsafe.Add(v.base, f.Offset))
}

// Count returns how many values the pointer at the given level leads to. Level 0 is the outermost.
// It returns 1 if there is no count, and -1 if the struct does not state the number.
func (v View) Count(f *Field, level int) int {
	if level >= len(f.counts) {
		return 1
	}
	if f.counts[level] == nil {
		return -1
	}
	if n := v.Word(f.counts[level]); n > 0 {
		return int(n)
	}
	return 0
}

// Bytes returns the bytes of a Text or Data whose Depth is 0, without copying. It returns nil for a
// null pointer.
func (v View) Bytes(f *Field) []byte {
	p := v.pointer(f)
	if p == nil {
		return nil
	}
	if len(f.Counts) == 0 && f.Kind == Text {
		return zeroTerminatedBytes(p)
	}
	n := v.Count(f, 0)
	if n < 0 {
		return nil
	}
	return unsafe.Slice((*byte)(p), n)
}

func zeroTerminatedBytes(p unsafe.Pointer) []byte {
	n := 0
	for *(*byte)(unsafe.Add(p, n)) != 0 {
		n++
	}
	return unsafe.Slice((*byte)(p), n)
}

// Texts returns the texts of a list of texts, without copying.
func (v View) Texts(f *Field) [][]byte {
	p, sizes, n := v.pointer(f), v.pointer(f.sizes), v.Count(f, 0)
	if p == nil || sizes == nil || n <= 0 {
		return nil
	}
	out := make([][]byte, n)
	for i := range out {
		at := *(**byte)(unsafe.Add(p, uintptr(i)*sizeWord))
		if at != nil {
			out[i] = unsafe.Slice(at, *(*uintptr)(unsafe.Add(sizes, uintptr(i)*sizeWord)))
		}
	}
	return out
}

// Elems returns the bytes of the values behind the single pointer of a field of numbers. It returns
// nil for a null pointer.
func (v View) Elems(f *Field) []byte {
	if f.Depth == 0 {
		if !v.Has(f) {
			return nil
		}
		return unsafe.Slice((*byte)(unsafe.Add(v.base, f.Offset)), f.Size)
	}
	p, n := v.pointer(f), v.Count(f, 0)
	if p == nil || n < 0 {
		return nil
	}
	return unsafe.Slice((*byte)(p), uintptr(n)*f.Elem)
}

// Number returns number i of those that [View.Elems] returned, in the form in which [View.Word]
// returns one.
func (f *Field) Number(elems []byte, i int) int64 {
	return load(unsafe.Pointer(&elems[uintptr(i)*f.Elem]), f.Elem, f.isSigned())
}

// Records returns the structs of a field of the kind Record in order: the one in the struct, or
// those that its pointers lead to. For a null pointer in a list, the View has no Struct.
func (v View) Records(f *Field) []View {
	if f.Depth == 0 {
		if !v.Has(f) {
			return nil
		}
		// Plugins return such structs without a struct_size.
		return []View{{f.Struct, unsafe.Add(v.base, f.Offset), f.Struct.Size}}
	}
	p, n := v.pointer(f), v.Count(f, 0)
	if p == nil || n <= 0 {
		return nil
	}
	out := make([]View, n)
	for i := range out {
		at := unsafe.Add(p, uintptr(i)*f.Elem)
		if f.Depth == 2 {
			at = *(*unsafe.Pointer)(unsafe.Add(p, uintptr(i)*sizeWord))
		}
		if at != nil {
			out[i] = nested(f.Struct, at)
		}
	}
	return out
}

// IsNull reports whether the field is a null pointer, or beyond the readable part.
func (v View) IsNull(f *Field) bool { return v.Word(f) == 0 }

// A Slot is the place of a handle in memory.
type Slot struct {
	p *uintptr
	// Index is the place of the handle in a list. For a list of lists it counts through all lists.
	Index int
}

// Get returns the handle.
func (s Slot) Get() uintptr { return *s.p }

// Set replaces the handle.
func (s Slot) Set(h uintptr) { *s.p = h }

// Slots returns the handles of a field of the kind Handle: the field itself, or those that its
// pointers lead to. inner is the length of the innermost lists if the struct does not state it.
func (v View) Slots(f *Field, inner int) []Slot {
	if !v.Has(f) {
		return nil
	}
	if f.Depth == 0 {
		return []Slot{{(*uintptr)(unsafe.Add(v.base, f.Offset)), 0}}
	}
	return v.slots(nil, f, v.pointer(f), 0, inner)
}

func (v View) slots(out []Slot, f *Field, p unsafe.Pointer, level, inner int) []Slot {
	if p == nil {
		return out
	}
	n := v.Count(f, level)
	if n < 0 {
		n = inner
	}
	for i := range n {
		at := unsafe.Add(p, uintptr(i)*sizeWord)
		if level+1 < f.Depth {
			out = v.slots(out, f, *(*unsafe.Pointer)(at), level+1, inner)
		} else {
			out = append(out, Slot{(*uintptr)(at), len(out)})
		}
	}
	return out
}

// Active returns the member of a Union that is in use, or nil if the struct does not say which.
func (v View) Active(f *Field) *Field {
	name := ""
	switch v.Struct.Name {
	case "PJRT_NamedValue":
		switch v.WordOf("type") {
		case 0:
			name = "string_value"
		case 1:
			name = "int64_value"
		case 2:
			name = "int64_array_value"
		case 3:
			name = "float_value"
		case 4:
			name = "bool_value"
		}
	case "PJRT_Buffer_MemoryLayout":
		switch v.WordOf("type") {
		case 0:
			name = "tiled"
		case 1:
			name = "strides"
		}
	}
	for i := range f.Members {
		if f.Members[i].Name == name {
			return &f.Members[i]
		}
	}
	return nil
}

// PointerOf returns a handle of the plugin as a pointer of package capi. The handle is an address
// in C memory, which the garbage collector ignores.
func PointerOf[T any](handle uintptr) *T { return *(**T)(unsafe.Pointer(&handle)) }

// HandleOf returns the handle for a pointer of package capi.
func HandleOf[T any](p *T) uintptr { return uintptr(unsafe.Pointer(p)) }

// Memory returns size bytes of C memory, without copying.
func Memory(at, size uintptr) []byte { return unsafe.Slice(PointerOf[byte](at), size) }

// SetAddress stores a pointer in an Address. What it points to must stay where it
// is, and alive, as long as C uses it.
func (v View) SetAddress(f *Field, p unsafe.Pointer) {
	if v.Has(f) && f.Size == sizeWord {
		*(*unsafe.Pointer)(unsafe.Add(v.base, f.Offset)) = p
	}
}
