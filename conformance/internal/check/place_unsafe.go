// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package check

import (
	"fmt"
	"runtime"
	"sync"
	"unsafe"

	"github.com/ebitengine/purego"

	"github.com/purepjrt/purepjrt/capi"
)

// Placement says how an args struct lies in memory during a call.
type Placement struct {
	// Have is how many bytes of the struct there are; those beyond the fields that the
	// suite knows hold Filler.
	Have uintptr
	// Stated is the struct_size.
	Stated uintptr
	// Guard makes the memory behind the struct untouchable, if the system allows that:
	// reading there ends the process. Without it the memory holds Canary, so that
	// writing there shows.
	Guard bool
}

// Exactly returns the placement of a struct that has size bytes and states that size.
func Exactly(size uintptr) Placement { return Placement{Have: size, Stated: size} }

// Guarded is like Exactly, with a guard.
func Guarded(size uintptr) Placement { return Placement{Have: size, Stated: size, Guard: true} }

// What the memory outside of known fields holds.
const (
	Filler byte = 0xa5 // the end of a struct, for fields newer than the suite
	Canary byte = 0x5a // the memory behind a struct
)

// canaries is how many bytes behind a struct are checked.
const canaries = 256

// maxPlaced limits the size of the structs that Place makes.
const maxPlaced = 2048

// Place calls the function that A belongs to with a copy of args that lies in memory as
// p says, and returns the fields as the plugin left them. spill says in words what the
// plugin wrote behind the struct, and is empty if it wrote nothing there. Place works
// for functions of extensions, except those of the profiler.
func Place[A any](t *T, args A, p Placement) (out A, spill string, err error) {
	source := &args // on the heap: what it points to must stay alive
	f := FunctionOf[A]()
	if err := t.env.Table.Lacks(f); err != nil {
		return args, "", err
	}
	if p.Have > maxPlaced {
		panic(fmt.Sprintf("a struct of %d bytes is too large to be placed", p.Have))
	}
	memory, release := guardedMemory(maxPlaced + canaries)
	defer release()
	placed := p.lay(memory, unsafe.Slice((*byte)(unsafe.Pointer(source)), unsafe.Sizeof(args)))
	base := unsafe.Pointer(&placed[0])
	structs.Store(uintptr(base), true)
	defer structs.Delete(uintptr(base))
	leave, err := t.enter(f)
	if err != nil {
		return args, "", err
	}
	word, _, _ := purego.SyscallN(t.code(f), uintptr(base))
	leave()
	runtime.KeepAlive(source)
	if at, is := p.spill(placed); at >= 0 {
		spill = fmt.Sprintf("%s: byte %d after a struct of %d bytes was overwritten with %#02x", f.Name, at, p.Have, is)
	}
	result := new(A)
	*result = args
	copy(unsafe.Slice((*byte)(unsafe.Pointer(result)), unsafe.Sizeof(args)), placed[:min(p.Have, unsafe.Sizeof(args))])
	if !f.Void && word != 0 {
		err = t.env.Table.TakeError(*(**capi.ErrorHandle)(unsafe.Pointer(&word)))
	}
	return *result, spill, err
}

// structs are the addresses of the structs that calls of Place are made with.
var structs sync.Map

// IsPlaced reports whether Place made the args of a call. Mutants that write behind a
// struct must know, since behind others lies memory of this program.
func IsPlaced(args unsafe.Pointer) bool {
	_, ok := structs.Load(uintptr(args))
	return ok
}

// lay puts a struct at the end of memory, as exactly as alignment allows, and
// returns it with what is behind it.
func (p Placement) lay(memory, known []byte) []byte {
	end := uintptr(len(memory))
	if !p.Guard {
		end -= canaries
	}
	placed := memory[end-max((p.Have+7)&^7, 8):]
	for i := range placed {
		placed[i] = Canary
	}
	n := copy(placed[:p.Have], known)
	for i := n; i < int(p.Have); i++ {
		placed[i] = Filler
	}
	*(*uintptr)(unsafe.Pointer(&placed[0])) = p.Stated
	return placed
}

// spill returns how far behind the struct the first changed byte is, and its value; the
// distance is -1 if there is none.
func (p Placement) spill(placed []byte) (at int, is byte) {
	for i := max(p.Have, 8); i < uintptr(len(placed)); i++ {
		if placed[i] != Canary {
			return int(i - p.Have), placed[i]
		}
	}
	return -1, 0
}

// Truncated is a struct that a call points to and that exists only in part.
type Truncated[S any] struct {
	Struct *S // only the bytes that the placement gives may be read
	source *S
	placed []byte
	p      Placement
}

// Truncate places a struct that starts with its struct_size, as Place does with args.
// The copy exists until the check ends.
func Truncate[S any](t *T, s S, p Placement) *Truncated[S] {
	memory, release := guardedMemory(maxPlaced + canaries)
	t.Cleanup(release)
	source := &s
	placed := p.lay(memory, unsafe.Slice((*byte)(unsafe.Pointer(source)), unsafe.Sizeof(s)))
	return &Truncated[S]{(*S)(unsafe.Pointer(&placed[0])), source, placed, p}
}

// Spill says in words what the plugin wrote behind the struct.
func (s *Truncated[S]) Spill() string {
	runtime.KeepAlive(s.source)
	if at, is := s.p.spill(s.placed); at >= 0 {
		return fmt.Sprintf("byte %d after a struct of %d bytes was overwritten with %#02x", at, s.p.Have, is)
	}
	return ""
}

// code returns the address of a function that the plugin has.
func (t *T) code(f *capi.Function) uintptr {
	base := unsafe.Pointer(t.env.Table.API())
	if f.Section != capi.SectionCore {
		for _, x := range t.env.Table.Extensions() {
			if capi.SectionExtension(x.Type) == f.Section {
				base = unsafe.Pointer(x.Node)
				break
			}
		}
	}
	return *(*uintptr)(unsafe.Add(base, f.Offset))
}
