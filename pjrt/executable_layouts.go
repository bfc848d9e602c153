// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/purepjrt/purepjrt/capi"
)

// DeviceLayout is the layout of an argument or result in the memory of the
// device, as the plugin tells it.
type DeviceLayout struct {
	// Text is the layout in XLA's notation, such as {1,0:T(8,128)S(5)}.
	Text string
	// Layout is the order of the dimensions and the tiles in it. It is nil when
	// the notation is another one.
	Layout *Layout
	// MemorySpace is the platform's number of a memory, 0 the default: the S(n)
	// in the text.
	MemorySpace int64
	// ElementBits is the size of an element in memory, 0 for that of the type:
	// the E(n) in the text.
	ElementBits int64
}

// OutputLayouts returns the layouts of the results (extension Layouts,
// PJRT_Layouts_PJRT_Executable_GetOutputLayouts, API 0.81).
func (e *Executable) OutputLayouts() ([]DeviceLayout, error) {
	h, err := e.ref.Acquire()
	if err != nil {
		return nil, err
	}
	defer e.ref.Release()
	var c capi.Call[capi.LayoutsExecutableGetOutputLayoutsArgs]
	c.Args.Executable = h
	if err := c.Do(e.table); err != nil {
		return nil, err
	}
	return e.readLayouts(capi.Slice(c.Args.Layouts, c.Args.NumOutputs))
}

// ParameterLayouts returns the layouts that arguments are expected in
// (extension Layouts, PJRT_Layouts_PJRT_Executable_GetParameterLayouts,
// API 0.93).
func (e *Executable) ParameterLayouts() ([]DeviceLayout, error) {
	h, err := e.ref.Acquire()
	if err != nil {
		return nil, err
	}
	defer e.ref.Release()
	var c capi.Call[capi.LayoutsExecutableGetParameterLayoutsArgs]
	c.Args.Executable = h
	if err := c.Do(e.table); err != nil {
		return nil, err
	}
	return e.readLayouts(capi.Slice(c.Args.Layouts, c.Args.NumParameters))
}

// readArgumentLayouts returns the layouts that arguments are expected in, nil for
// those that the plugin does not tell, or nil for all.
func (e *Executable) readArgumentLayouts() []*Layout {
	list, err := e.ParameterLayouts()
	if err != nil {
		return nil
	}
	layouts := make([]*Layout, len(list))
	for i, l := range list {
		layouts[i] = l.Layout
	}
	return layouts
}

// readLayouts reads layouts that belong to the executable.
func (e *Executable) readLayouts(handles []*capi.LayoutsMemoryLayout) ([]DeviceLayout, error) {
	list := make([]DeviceLayout, len(handles))
	for i, h := range handles {
		var c capi.Call[capi.LayoutsMemoryLayoutSerializeArgs]
		c.Args.Layout = h
		if err := c.Do(e.table); err != nil {
			return nil, err
		}
		list[i] = parseDeviceLayout(capi.String(c.Args.SerializedBytes, c.Args.SerializedBytesSize))
		c.Args.SerializedLayoutDeleter.Call(c.Args.SerializedLayout)
	}
	return list, nil
}

// parseDeviceLayout reads XLA's notation of layouts: {minor,...,major} with
// attributes after a colon.
func parseDeviceLayout(text string) DeviceLayout {
	d := DeviceLayout{Text: text}
	inside, ok := strings.CutPrefix(text, "{")
	if !ok {
		return d
	}
	if inside, ok = strings.CutSuffix(inside, "}"); !ok {
		return d
	}
	order, attributes, _ := strings.Cut(inside, ":")
	layout := &Layout{MinorToMajor: []int{}}
	numbers, err := parseInts(order)
	if err != nil {
		return d
	}
	for _, n := range numbers {
		layout.MinorToMajor = append(layout.MinorToMajor, int(n))
	}
	name := ""
	for attributes != "" {
		open := strings.IndexByte(attributes, '(')
		end := strings.IndexByte(attributes, ')')
		if open < 0 || end < open {
			return d
		}
		if open > 0 {
			name = attributes[:open]
		}
		numbers, err := parseInts(attributes[open+1 : end])
		attributes = attributes[end+1:]
		switch {
		case name == "T" && err == nil:
			layout.Tiles = append(layout.Tiles, numbers)
		case name == "S" && err == nil && len(numbers) == 1:
			d.MemorySpace = numbers[0]
		case name == "E" && err == nil && len(numbers) == 1:
			d.ElementBits = numbers[0]
		case name == "T":
			return d // tiles of combined dimensions, which Layout does not have
		}
	}
	d.Layout = layout
	return d
}

// parseInts reads numbers with commas between them. Nothing is no number.
func parseInts(text string) ([]int64, error) {
	if text == "" {
		return nil, nil
	}
	var list []int64
	for word := range strings.SplitSeq(text, ",") {
		n, err := strconv.ParseInt(word, 10, 64)
		if err != nil {
			return nil, fmt.Errorf("%q is no number", word)
		}
		list = append(list, n)
	}
	return list, nil
}
