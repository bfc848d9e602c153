// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package realplugin_test

import (
	"fmt"
	"reflect"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/capi"
)

// until runs the garbage collector until done returns true, for a minute at most.
func until(done func() bool) bool {
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); collectGarbage() {
		if done() {
			return true
		}
	}
	return false
}

func collectGarbage() {
	runtime.GC()
	garbage(1 << 16)
	time.Sleep(time.Millisecond)
}

// countdown counts how many of the objects are collected.
type countdown struct{ n atomic.Int64 }

func watch[T any](c *countdown, p *T) {
	runtime.AddCleanup(p, func(c *countdown) { c.n.Add(1) }, c)
}

var movingName = entryOf(func(a *capi.ClientPlatformNameArgs) uintptr {
	grow(512)
	a.PlatformName, a.PlatformNameSize = capi.StringData("moved")
	return 0
})

// If the call were on the goroutine's stack, a callback could move the stack, and C would write to
// the old place.
func TestResultsArriveAlthoughTheStackMovesDuringTheCall(t *testing.T) {
	s := newStandIn(t)
	provide[capi.ClientPlatformNameArgs](t, s, movingName())
	for range 50 {
		done := make(chan string)
		go func() {
			var c capi.Call[capi.ClientPlatformNameArgs] // must escape to the heap
			if err := c.Do(s.table); err != nil {
				done <- err.Error()
				return
			}
			done <- raw(c.Args.PlatformName, c.Args.PlatformNameSize)
		}()
		require.Equal(t, "moved", <-done)
	}
}

var (
	inputsLost countdown
	inputsSeen atomic.Int64
)

var collectingBuffer = entryOf(func(a *capi.ClientBufferFromHostBufferArgs) uintptr {
	for range 5 {
		runtime.GC()
		garbage(1 << 14)
	}
	if inputsLost.n.Load() == 0 {
		inputsSeen.Add(*(*int64)(a.Data) + *a.Dims + int64(a.DeviceLayout.StructSize))
	}
	return 0
})

// Objects that only the args struct points to must live as long as the call.
func TestInputsLiveAsLongAsTheCall(t *testing.T) {
	s := newStandIn(t)
	provide[capi.ClientBufferFromHostBufferArgs](t, s, collectingBuffer())
	inputsLost.n.Store(0)
	inputsSeen.Store(0)
	func() {
		data, dims, layout := new([8]int64), new([4]int64), &capi.BufferMemoryLayout{StructSize: 100}
		data[0], dims[0] = 7, 20
		watch(&inputsLost, data)
		watch(&inputsLost, dims)
		watch(&inputsLost, layout)
		do(t, s.plugin, capi.ClientBufferFromHostBufferArgs{Data: unsafe.Pointer(data), Dims: &dims[0], DeviceLayout: layout})
	}()
	assert.EqualValues(t, 127, inputsSeen.Load())
	assert.True(t, until(func() bool { return inputsLost.n.Load() == 3 }), "the test would not have seen a loss")
}

// A named value holds its pointers in a union, which the garbage collector does not see.
func TestNamedValuesKeepTheirStringsAndLists(t *testing.T) {
	var lost countdown
	v, err := capi.NewNamedValues([]capi.Attribute{
		{Name: strings.Repeat("n", 40), Value: strings.Repeat("v", 40)},
		{Name: strings.Repeat("m", 40), Value: slices.Repeat([]int64{7}, 8)},
	})
	require.NoError(t, err)
	p, n := v.Data()
	list := unsafe.Slice(p, n)
	watch(&lost, list[0].StringValue())
	watch(&lost, list[1].Int64ArrayValue())
	for range 100 {
		collectGarbage()
	}
	assert.Zero(t, lost.n.Load(), "memory that C reads was collected")
	assert.Equal(t, []capi.Attribute{
		{Name: strings.Repeat("n", 40), Value: strings.Repeat("v", 40)},
		{Name: strings.Repeat("m", 40), Value: slices.Repeat([]int64{7}, 8)},
	}, capi.Attributes(p, n))
	runtime.KeepAlive(v)
	p, list = nil, nil
	assert.True(t, until(func() bool { return lost.n.Load() == 2 }), "the test would not have seen a loss")
}

// zeroCopies makes buffers that use Go memory, and returns that memory.
func zeroCopies(t *testing.T, r *rig, n int) (buffers []*capi.Buffer, events []*capi.Event, held [][]float32) {
	for i := range n {
		data := alignedTo[float32](64, 256, 0)
		for j := range data {
			data[j] = float32(i)
		}
		args := hostBuffer(r, capi.BufferTypeF32, data, 256)
		args.HostBufferSemantics = capi.HostBufferSemanticsImmutableZeroCopy
		out := do(t, r.plugin, args)
		buffers, events, held = append(buffers, out.Buffer), append(events, out.DoneWithHostBuffer), append(held, data)
	}
	return buffers, events, held
}

// corrupted counts the buffers whose contents have changed since zeroCopies.
func corrupted(t *testing.T, r *rig, buffers []*capi.Buffer) int {
	n := 0
	for i, b := range buffers {
		if slices.ContainsFunc(download[float32](t, r, b), func(x float32) bool { return x != float32(i) }) {
			n++
		}
	}
	return n
}

// overwrite makes the garbage collector reuse unreferenced memory.
func overwrite() {
	for range 20 {
		runtime.GC()
		for range 200 {
			s := make([]float32, 768)
			for i := range s {
				s[i] = -1
			}
			junk.Store(nil)
			keep.Store(&s)
		}
	}
}

var keep atomic.Pointer[[]float32]

// The plugin uses host memory until the done event, and only the caller can keep it alive. Without
// a reference the contents change while the plugin uses them.
func TestHostMemoryIsHeldUntilTheDoneEvent(t *testing.T) {
	r := newRig(t)
	buffers, events, held := zeroCopies(t, r, 50)
	overwrite()
	assert.Zero(t, corrupted(t, r, buffers), "with a reference")
	runtime.KeepAlive(held)
	r.destroy(t, buffers...)
	for _, e := range events {
		require.NoError(t, r.wait(t, e))
	}
	t.Run("the test sees lost memory", func(t *testing.T) {
		if !isolated(t) {
			return
		}
		r := newRig(t)
		buffers, _, _ := zeroCopies(t, r, 50)
		overwrite()
		assert.NotZero(t, corrupted(t, r, buffers), "without a reference")
	})
}

// Words that only pass through C, and addresses of device memory, must not be Go pointers: a small
// number in a pointer ends the process when a stack is moved.
func TestWordsOfCAreNotPointersInGo(t *testing.T) {
	if inChild(t) {
		numberInPointer()
		return
	}
	out, err := child(t)
	assert.Error(t, err)
	assert.Contains(t, out, "invalid pointer found on stack", "what a pointer would do")

	word := regexp.MustCompile(`(UserArg|CallbackArg|DeleterArg|CallbackData|Stream|Priv|DeviceBufferPtr|DeviceMemoryPtr|BufferPointer)$`)
	seen := make(map[string]bool)
	check := func(a reflect.Type) {
		for _, f := range reflect.VisibleFields(a) {
			// CopyToDeviceStream is a handle of the plugin.
			if word.MatchString(f.Name) && f.Type != reflect.TypeFor[*capi.CopyToDeviceStream]() {
				seen[f.Name] = true
				assert.Contains(t, []reflect.Kind{reflect.Uintptr, reflect.Int}, f.Type.Kind(), "%v.%s", a, f.Name)
			}
		}
	}
	for _, e := range echoes {
		check(e.args)
	}
	for _, a := range []reflect.Type{
		reflect.TypeFor[capi.Chunk](), reflect.TypeFor[capi.SendCallbackInfo](), reflect.TypeFor[capi.RecvCallbackInfo](), reflect.TypeFor[capi.HLOOutputCallbackInfo](),
		reflect.TypeFor[capi.KeyValueGetCallbackArgs](), reflect.TypeFor[capi.CallbackRegisterCallbackArgs](),
		reflect.TypeFor[capi.ProfilerErrorDestroyArgs](), reflect.TypeFor[capi.GetStreamForExternalReadyEventsArgs](),
	} {
		check(a)
	}
	assert.Len(t, seen, 12, "%v", seen)
}

// numberInPointer moves a stack that has a pointer with a small number in it.
func numberInPointer() {
	var c struct{ userArg unsafe.Pointer }
	*(*uintptr)(unsafe.Pointer(&c)) = 5
	done := make(chan struct{})
	go func() {
		arg := c.userArg
		grow(512)
		runtime.KeepAlive(arg)
		close(done)
	}()
	<-done
}

var garbageLayout = entryOf(func(a *capi.BufferGetMemoryLayoutArgs) uintptr {
	// XLA's plugins do the same: they fill in some fields, and leave garbage from their stack in
	// the others.
	words := (*[13]uintptr)(unsafe.Pointer(a))
	words[3], words[4], words[5], words[6] = 1, 1, 2, 3
	return 0
})

// Go code may copy a struct that a plugin filled in, whatever garbage the plugin left in unused
// parts.
func TestAResultStructWithGarbageInItCanBeCopied(t *testing.T) {
	if !isolated(t) {
		return
	}
	s := newStandIn(t)
	provide[capi.BufferGetMemoryLayoutArgs](t, s, garbageLayout())
	done := make(chan string)
	go func() {
		layout := do(t, s.plugin, capi.BufferGetMemoryLayoutArgs{}).Layout
		tiled := *layout.Tiled()
		grow(512)
		runtime.GC()
		done <- fmt.Sprint(layout.Type, tiled.NumTiles)
	}()
	<-done
}

// Functions on the short path into C may neither wait nor call back.
func TestOnlyGettersTakeTheShortPath(t *testing.T) {
	verbs := regexp.MustCompile(`_(Create|Destroy|Delete|Compile|Execute|Await|OnReady|Set|Load|Copy|Transfer|Retrieve|Serialize|Deserialize|Donate|Fulfill|ToHostBuffer|ReadyEvent|DmaMap|DmaUnmap|Initialize|Update|ForEach|Poison|AddChunk|Bitcast)`)
	pure := 0
	for _, section := range capi.Sections() {
		for _, f := range capi.Functions(section) {
			if f.Pure {
				pure++
				assert.NotRegexp(t, verbs, f.Name)
				assert.NotEmpty(t, f.Zero, "%s has no result", f.Name)
			}
		}
	}
	assert.Greater(t, pure, 30)
}
