// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
	"github.com/purepjrt/purepjrt/pjrt/hlo"
	"github.com/purepjrt/purepjrt/pjrt/plugins/plugintest"
	"github.com/purepjrt/purepjrt/pjrt/raw"
)

// quirkVariable names the quirk that the process of a test looks for.
const quirkVariable = "PJRT_TEST_QUIRK"

func TestEveryQuirkHasAProbe(t *testing.T) {
	t.Parallel()
	for _, q := range pjrt.QuirkAges() {
		_, ok := quirkProbes[q.Name]
		assert.True(t, ok, "add %s to quirkProbes: how to see it without what pjrt does about it, or nil if no plugin here shows it", q.Name)
	}
}

// Each entry of the table of quirks holds for the plugins that it names, and for no other of those
// that execute programs here. If this fails, change the ages of the entry, or remove it.
func TestEveryQuirkHasTheAgesOnWhichItIsSeen(t *testing.T) {
	if name := os.Getenv(quirkVariable); name != "" {
		seen := quirkProbes[name](t)
		fmt.Printf("quirk seen: %t\n", seen)
		return
	}
	if testing.Short() {
		t.Skip("starts a process for each quirk of each plugin")
	}
	executing := plugintest.Executing(t)
	for _, q := range pjrt.QuirkAges() {
		if quirkProbes[q.Name] == nil {
			continue
		}
		seenOn, first := 0, 0
		for _, plugin := range executing {
			var minor int
			_, err := fmt.Sscanf(plugin.Age, "0.%d", &minor)
			require.NoError(t, err)
			out, err := runChild(t, quirkVariable+"="+q.Name, "PJRT_TEST_CPU="+plugin.Age, "XLA_FLAGS=")
			seen := strings.Contains(out, "quirk seen: true")
			if !seen && !strings.Contains(out, "quirk seen: false") {
				require.Error(t, err)
				require.Regexp(t, "SIG|Check failed", out, "%s on %s ends without an answer", q.Name, plugin.Age)
				seen = true // it ended the process
			}
			assert.Equal(t, seen, q.Of("cpu", minor), "%s on the plugin of API %s:\n%s", q.Name, plugin.Age, firstLines(out, 40))
			if seen {
				seenOn++
			}
			if seen && first == 0 {
				first = minor
			}
		}
		assert.NotZero(t, seenOn, "no plugin has the quirk %s: remove it", q.Name)
		assert.Equal(t, first, q.Since, "the first age on which the quirk %s is seen", q.Name)
	}
}

// quirkProbes look for quirks without the workarounds for them. One that ends the process has found
// its quirk.
var quirkProbes = map[string]func(t *testing.T) bool{
	"bounded queue": func(t *testing.T) bool {
		client := newClient(t)
		exe := compile(t, client, add)
		late, promise := pending(t, client, matrix(1, 2, 3, 4).Shape())
		const many = 40
		begun := make(chan *rawExecution, many)
		go func() {
			for range many {
				begun <- beginRaw(t, exe, nil, late, late)
			}
			close(begun)
		}()
		var all []*rawExecution
		blocked := false
		for len(all) < many {
			select {
			case x := <-begun:
				all = append(all, x)
				continue
			case <-time.After(quirkPatience):
			}
			blocked = true
			require.NoError(t, promise.Fulfill(upload(t, client, matrix(1, 2, 3, 4))))
			for x := range begun {
				all = append(all, x)
			}
			break
		}
		if !blocked {
			require.NoError(t, promise.Fulfill(upload(t, client, matrix(1, 2, 3, 4))))
		}
		for _, x := range all {
			x.wait(t)
		}
		return blocked
	},
	"serialized without code": func(t *testing.T) bool {
		ctx := context.Background()
		client := newClient(t)
		code := serializedRaw(t, compile(t, client, add))
		again, err := client.DeserializeAndLoad(ctx, code, &pjrt.LoadOptions{Foreign: true})
		require.NoError(t, err)
		defer again.Close()
		last, err := client.DeserializeAndLoad(ctx, serializedRaw(t, again), &pjrt.LoadOptions{Foreign: true})
		if err != nil {
			return true
		}
		defer last.Close()
		in := upload(t, client, matrix(1, 2, 3, 4))
		outs, err := last.Execute(ctx, []*pjrt.Buffer{in, in}, nil)
		if err != nil {
			return true
		}
		defer outs[0].Close()
		assert.Equal(t, []float32{2, 4, 6, 8}, read(t, outs[0]))
		return false
	},
	"copies of kept arguments":     func(t *testing.T) bool { return copiesFailed(t, 0) },
	"copies after a kept argument": func(t *testing.T) bool { return copiesFailed(t, 1) },
	// The processor decides, so TestAProductUsesTheContentsWhateverTheMemoryHeldBefore runs on
	// every plugin, and this one does not look.
	"stale products": nil,
	// Their plugins need libraries of their vendors.
	"convolutions without a device": nil,
	"products without a device":     nil,
	"in order on a device": func(t *testing.T) bool {
		same, other := startsBefore(t, 0), startsBefore(t, 1)
		require.True(t, other, "executions on another device wait, too: the quirk is one of clients")
		return !same
	},
	"order of instructions": func(t *testing.T) bool {
		client := newClient(t)
		optimized, err := compile(t, client, countTo).OptimizedProgram()
		require.NoError(t, err)
		module, err := hlo.Decode(optimized.Code)
		require.NoError(t, err)
		code, err := module.Encode()
		require.NoError(t, err)
		exe, err := loadUnchecked(t, client, code, pjrt.FormatHLO)
		require.NoError(t, err)
		exe.Close()
		return false
	},
	"fusions": func(t *testing.T) bool {
		exe, err := loadUnchecked(t, newClient(t), fusionHLO(), pjrt.FormatHLO)
		require.NoError(t, err)
		exe.Close()
		return false
	},
}

// quirkPatience is how long a probe waits for what a plugin with the quirk never does by itself. A
// busy machine that takes longer makes the test fail, not pass.
const quirkPatience = 10 * time.Second

const donateBoth = `module @both {
  func.func @main(%a: tensor<2x2xf32> {tf.aliasing_output = 0 : i32}, %b: tensor<2x2xf32> {tf.aliasing_output = 1 : i32}) -> (tensor<2x2xf32>, tensor<2x2xf32>) {
    %0 = stablehlo.add %a, %b : tensor<2x2xf32>
    return %0, %b : tensor<2x2xf32>, tensor<2x2xf32>
  }
}`

// productBy256 takes long enough not to run within the call that starts it.
const productBy256 = `module @product {
  func.func @main(%a: tensor<256x256xf32>, %b: tensor<256x256xf32>) -> tensor<256x256xf32> {
    %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<256x256xf32>, tensor<256x256xf32>) -> tensor<256x256xf32>
    return %0 : tensor<256x256xf32>
  }
}`

// copiesFailed executes a program that may donate both of its arguments but must keep the first
// one, with one that fails meanwhile. It returns if that does not end the process.
func copiesFailed(t *testing.T, argument int) bool {
	client := newClient(t)
	exe := compile(t, client, donateBoth)
	late, promise := pending(t, client, matrix(1, 2, 3, 4).Shape())
	args := []*pjrt.Buffer{upload(t, client, matrix(1, 2, 3, 4)), upload(t, client, matrix(1, 2, 3, 4))}
	args[argument] = late
	x := beginRaw(t, exe, []int64{0}, args...)
	require.NoError(t, promise.Fail(errors.New("failed by the test")))
	x.wait(t)
	return false
}

// startsBefore reports whether a large execution on a device ends while one that was begun before,
// on device 0, still waits for its argument.
func startsBefore(t *testing.T, device int) bool {
	ctx := context.Background()
	client := newClient(t)
	on := func(d int) *pjrt.LoadedExecutable {
		options := &pjrt.CompileOptions{Devices: [][]*pjrt.Device{{client.Devices()[d]}}}
		exe, err := client.Compile(ctx, pjrt.Program{Code: []byte(productBy256)}, options)
		require.NoError(t, err)
		t.Cleanup(func() { exe.Close() })
		return exe
	}
	place := func(d int) *pjrt.Buffer {
		b, err := pjrt.FromSlice(ctx, client, make([]float32, 256*256), 256, 256)
		require.NoError(t, err)
		t.Cleanup(func() { b.Close() })
		copied, err := b.CopyToDevice(ctx, client.Devices()[d])
		require.NoError(t, err)
		t.Cleanup(func() { copied.Close() })
		require.NoError(t, copied.Wait(ctx))
		return copied
	}
	first, second, ready, x := on(0), on(device), place(0), place(device)
	late, promise := pending(t, client, pjrt.Shape{Type: dtype.F32, Dims: []int64{256, 256}})
	waiting := beginRaw(t, first, nil, late, late)
	e := beginRaw(t, second, nil, x, x)
	table := raw.TableOf(client)
	ended := false
	for deadline := time.Now().Add(quirkPatience); !ended && time.Now().Before(deadline); time.Sleep(time.Millisecond) {
		var call capi.Call[capi.EventIsReadyArgs]
		call.Args.Event = e.event
		require.NoError(t, call.Do(table))
		ended = call.Args.IsReady
	}
	require.NoError(t, promise.Fulfill(ready))
	waiting.wait(t)
	e.wait(t)
	return ended
}

// rawExecution is an execution that this package knows nothing of.
type rawExecution struct {
	client *pjrt.Client
	event  *capi.Event
	out    []*capi.Buffer
}

// beginRaw begins an execution on one device, without this package's own waits and copies. keep has
// the arguments that it may not donate.
func beginRaw(t *testing.T, exe *pjrt.LoadedExecutable, keep []int64, args ...*pjrt.Buffer) *rawExecution {
	t.Helper()
	client := exe.Client()
	h, release, err := raw.AcquireLoadedExecutable(exe)
	require.NoError(t, err)
	defer release()
	handles := make([]*capi.Buffer, len(args))
	for i, b := range args {
		argument, release, err := raw.AcquireBuffer(b)
		require.NoError(t, err)
		defer release()
		handles[i] = argument
	}
	x := &rawExecution{client: client, out: make([]*capi.Buffer, exe.NumOutputs())}
	inputs, outputs, events := []**capi.Buffer{&handles[0]}, []**capi.Buffer{&x.out[0]}, make([]*capi.Event, 1)
	options := &capi.ExecuteOptions{StructSize: capi.ExecuteOptionsSize}
	options.NonDonatableInputIndices, options.NumNonDonatableInputIndices = unsafe.SliceData(keep), uintptr(len(keep))
	var call capi.Call[capi.LoadedExecutableExecuteArgs]
	call.Args.Executable, call.Args.Options = h, options
	call.Args.NumDevices, call.Args.NumArgs = 1, uintptr(len(args))
	call.Args.ArgumentLists, call.Args.OutputLists = &inputs[0], &outputs[0]
	call.Args.DeviceCompleteEvents = &events[0]
	require.NoError(t, call.Do(raw.TableOf(client)))
	x.event = events[0]
	return x
}

// wait waits for the end of the execution, which may have failed, and destroys what is left of it.
func (x *rawExecution) wait(t *testing.T) {
	t.Helper()
	table := raw.TableOf(x.client)
	var wait capi.Call[capi.EventAwaitArgs]
	wait.Args.Event = x.event
	_ = wait.Do(table) // its error is that of the execution
	var event capi.Call[capi.EventDestroyArgs]
	event.Args.Event = x.event
	require.NoError(t, event.Do(table))
	for _, b := range x.out {
		var buffer capi.Call[capi.BufferDestroyArgs]
		buffer.Args.Buffer = b
		require.NoError(t, buffer.Do(table))
	}
}

// serializedRaw returns what the plugin itself serializes.
func serializedRaw(t *testing.T, exe *pjrt.LoadedExecutable) []byte {
	t.Helper()
	h, release, err := raw.AcquireLoadedExecutable(exe)
	require.NoError(t, err)
	defer release()
	table := raw.TableOf(exe.Client())
	var executable capi.Call[capi.LoadedExecutableGetExecutableArgs]
	executable.Args.LoadedExecutable = h
	require.NoError(t, executable.Do(table))
	var call capi.Call[capi.ExecutableSerializeArgs]
	call.Args.Executable = executable.Args.Executable
	require.NoError(t, call.Do(table))
	data := strings.Clone(unsafe.String((*byte)(unsafe.Pointer(call.Args.SerializedBytes)), int(call.Args.SerializedBytesSize)))
	return []byte(data) // the rest is left to the end of the process
}
