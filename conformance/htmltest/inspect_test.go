// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package htmltest

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
	"github.com/purepjrt/purepjrt/pjrt/inspect"
	"github.com/purepjrt/purepjrt/pjrt/sharding"
)

// inspected returns a report with names and lists that are longer than a screen is wide.
func inspected() *inspect.Report {
	long := strings.Repeat("a_rather_long_name.", 12)
	spec := sharding.Spec{Kind: sharding.Tiled, Tiles: []int64{8, 32}}
	for d := range int64(256) {
		spec.Devices = append(spec.Devices, d)
	}
	value := inspect.Value{
		Shape: pjrt.Shape{Type: dtype.F32, Dims: []int64{128, 128}}, Layout: "{1,0:T(8,128)}", MemoryKind: "device", Sharding: &spec,
	}
	body := inspect.Computation{Name: "fused_computation"}
	for i := range 3000 {
		body.Instructions = append(body.Instructions, inspect.Instruction{Name: fmt.Sprintf("needle.%d", i), Opcode: "add", Shape: "f32[128,128]"})
	}
	return &inspect.Report{
		Name: long, Replicas: 1, Partitions: 256, Parameters: []inspect.Value{value}, Results: []inspect.Value{value, value},
		Memory: &pjrt.CompiledMemoryStats{Arguments: 1 << 30, Outputs: 1 << 20, Temporary: 1 << 29, Peak: 1 << 31},
		Cost:   []pjrt.Attribute{{Name: "flops", Value: float32(1e12)}, {Name: long, Value: float32(1e-9)}},
		Program: &inspect.Program{Computations: []inspect.Computation{
			{Name: "main", Instructions: []inspect.Instruction{{Name: long, Opcode: "fusion", Shape: "f32[8]", Operands: []string{long, "x"}}}}, body,
		}},
		Schedule: &inspect.Schedule{
			Steps: []inspect.Step{{Name: long, Bytes: 5}, {Name: "b", Bytes: 9}}, Buffers: []inspect.Buffer{{Name: long, Kind: "temporary", Bytes: 9, Last: 1}},
			Peak: 1, PeakSize: 9,
		},
		Allocations: []inspect.Allocation{{Bytes: 9, Kind: "temporary", Slots: []inspect.Slot{
			{Name: long, Bytes: 9, Last: 0}, {Name: "b", Bytes: 9, First: 1, Last: 1},
		}}},
		Kernels: []inspect.Kernel{{Name: long, Kind: "kLoop", Uses: 3}}, Absent: []string{long},
	}
}

func TestThePageOfAnExecutableWorks(t *testing.T) {
	var page bytes.Buffer
	require.NoError(t, inspected().WriteHTML(&page))
	path := filepath.Join(t.TempDir(), "executable.html")
	require.NoError(t, os.WriteFile(path, page.Bytes(), 0o644))
	ctx, p := browser(t), new(problems)
	require.NoError(t, chromedp.Listen(ctx, func(e any) {
		switch e := e.(type) {
		case *runtime.EventExceptionThrown:
			p.add(e.ExceptionDetails.Text)
		case *network.EventRequestWillBeSent:
			p.asked(e.Request.URL, path)
		}
	}))
	_, err := chromedp.Call(ctx, network.Enable, network.EnableParams{})
	require.NoError(t, err)
	require.NoError(t, chromedp.Do(ctx, chromedp.Navigate("file://"+path), chromedp.WaitReady("#search")))

	for _, width := range []int64{1280, 360} {
		_, err := chromedp.Call(ctx, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{Width: width, Height: 800, DeviceScaleFactor: 1})
		require.NoError(t, err)
		assert.LessOrEqual(t, eval[int64](t, ctx, `document.documentElement.scrollWidth`), width, "the page is no wider than the screen")
	}

	lines := func() int {
		t.Helper()
		return eval[int](t, ctx, `[...document.querySelectorAll(".computation:not([hidden])[open] pre")].reduce((n, e) => n + e.textContent.trim().split("\n").length, 0)`)
	}
	search := func(word, found string) {
		t.Helper()
		eval[bool](t, ctx, fmt.Sprintf(`document.getElementById("search").value = %q, document.getElementById("search").dispatchEvent(new Event("input"))`, word))
		require.NoError(t, chromedp.Do(ctx, chromedp.Poll[chromedp.Void](fmt.Sprintf(`document.getElementById("found").value === %q`, found))))
	}
	assert.Equal(t, 1, lines(), "only the entry is open")
	search("NEEDLE.29", "111 lines in 1 computation") // 29, 290 to 299, 2900 to 2999
	assert.Equal(t, 111, lines())
	search("nowhere", "0 lines in 0 computations")
	assert.Equal(t, 0, lines())
	search("fused_comp", "0 lines in 1 computation")
	assert.Equal(t, 3000, lines(), "a name that is found shows all of it")
	search("", "")
	assert.Equal(t, 1, lines(), "as it was")
	p.check(t)
}
