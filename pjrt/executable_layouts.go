// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt

import (
	"fmt"
	"slices"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/pjrt/internal/hlo"
	"github.com/purepjrt/purepjrt/pjrt/internal/xlaproto"
)

// OutputLayouts returns the layouts of the results (PJRT_Layouts_PJRT_Executable_GetOutputLayouts,
// API 0.81).
func (e *Executable) OutputLayouts() ([]DeviceLayout, error) {
	h, err := e.acquire()
	if err != nil {
		return nil, err
	}
	defer e.ref.Release()
	c, err := capi.Do(e.table, capi.LayoutsExecutableGetOutputLayoutsArgs{Executable: h})
	if err != nil {
		return nil, err
	}
	return e.readLayouts(capi.Slice(c.Layouts, c.NumOutputs))
}

// ParameterLayouts returns the layouts that arguments must have
// (PJRT_Layouts_PJRT_Executable_GetParameterLayouts, API 0.93). If the plugin lacks the function,
// they come from the optimized program.
func (e *Executable) ParameterLayouts() ([]DeviceLayout, error) {
	h, err := e.acquire()
	if err != nil {
		return nil, err
	}
	defer e.ref.Release()
	c, err := capi.Do(e.table, capi.LayoutsExecutableGetParameterLayoutsArgs{Executable: h})
	if err != nil {
		return e.optimizedLayouts(err)
	}
	return e.readLayouts(capi.Slice(c.Layouts, c.NumParameters))
}

// optimizedLayouts reads the layouts of the parameters from the optimized program, if err says that
// the plugin lacks the function for them.
func (e *Executable) optimizedLayouts(err error) ([]DeviceLayout, error) {
	if optional(err) != nil {
		return nil, err
	}
	layouts := e.entry().layouts
	if layouts == nil {
		return nil, fmt.Errorf("%w; PJRT_Executable_OptimizedProgram does not show the layouts, either", err)
	}
	return slices.Clone(layouts), nil
}

// readArgumentLayouts returns the layouts that arguments must have, nil for those in an
// unknown notation. The list is nil if the plugin gives none.
func (e *Executable) readArgumentLayouts() []*Layout {
	list, err := e.ParameterLayouts()
	if err != nil {
		return nil
	}
	layouts := make([]*Layout, len(list))
	for i, l := range list {
		if layouts[i] = l.Layout; l.Layout.isRowMajor() {
			layouts[i] = commonRowMajor(len(l.Layout.MinorToMajor))
		}
	}
	return layouts
}

// permutesResults reports whether a result may have a layout that is not row-major.
func (e *Executable) permutesResults() bool {
	list, err := e.OutputLayouts()
	return err != nil || slices.ContainsFunc(list, func(l DeviceLayout) bool { return l.Layout == nil || !l.Layout.isRowMajor() })
}

// readLayouts reads layouts, which the executable still owns.
func (e *Executable) readLayouts(handles []*capi.LayoutsMemoryLayout) ([]DeviceLayout, error) {
	list := make([]DeviceLayout, len(handles))
	for i, h := range handles {
		c, err := capi.Do(e.table, capi.LayoutsMemoryLayoutSerializeArgs{Layout: h})
		if err != nil {
			return nil, err
		}
		list[i] = parseDeviceLayout(capi.String(c.SerializedBytes, c.SerializedBytesSize))
		c.SerializedLayoutDeleter.Call(c.SerializedLayout)
	}
	return list, nil
}

// Sharding is how an array is spread over devices, for package sharding.
type Sharding struct {
	Proto []byte // a serialized OpSharding of XLA
}

// String returns the sharding in HLO's notation, such as {devices=[2,1]0,1}.
func (s Sharding) String() string {
	p, err := xlaproto.UnmarshalSharding(s.Proto)
	if err != nil {
		return "<" + err.Error() + ">"
	}
	return p.String()
}

// OutputShardings returns the shardings of the results
// (PJRT_Shardings_PJRT_Executable_OutputShardings, API 0.91), nil if the plugin knows none, as for
// a program that is not partitioned. Without the extension, those of a partitioned one come from
// the optimized program.
func (e *Executable) OutputShardings() ([]Sharding, error) {
	h, err := e.acquire()
	if err != nil {
		return nil, err
	}
	defer e.ref.Release()
	c, err := capi.Do(e.table, capi.ShardingsExecutableOutputShardingsArgs{Executable: h})
	if err != nil {
		return e.optimizedShardings(err, hlo.OutputShardings, hlo.Results)
	}
	list, err := newShardings(cStrings(c.Shardings, c.ShardingSizes, c.NumOutputs))
	if e.numOutputs == 0 && len(list) > 0 {
		return list[:0], nil // XLA gives the sharding of the tuple without elements
	}
	return list, err
}

// ParameterShardings is OutputShardings for the arguments
// (PJRT_Shardings_PJRT_Executable_ParameterShardings, API 0.91).
func (e *Executable) ParameterShardings() ([]Sharding, error) {
	h, err := e.acquire()
	if err != nil {
		return nil, err
	}
	defer e.ref.Release()
	c, err := capi.Do(e.table, capi.ShardingsExecutableParameterShardingsArgs{Executable: h})
	if err != nil {
		return e.optimizedShardings(err, hlo.ParameterShardings, hlo.Parameters)
	}
	return newShardings(cStrings(c.Shardings, c.ShardingSizes, c.NumParameters))
}

// optimizedShardings reads the shardings of arrays from the optimized program with read, if err
// says that the plugin lacks the function for it. Those of no arrays are known, too.
func (e *Executable) optimizedShardings(
	err error, read func([]byte) ([][]byte, error), arrays func([]byte) ([]Shape, error),
) ([]Sharding, error) {
	if optional(err) != nil || e.numPartitions == 1 {
		return nil, err
	}
	code, failure := e.optimizedHLO()
	if failure != nil {
		return nil, err
	}
	if shapes, failure := arrays(code); failure == nil && len(shapes) == 0 {
		return []Sharding{}, nil
	}
	list, failure := read(code)
	if failure != nil || list == nil {
		return nil, err
	}
	messages := make([]string, len(list))
	for i, b := range list {
		messages[i] = string(b)
	}
	return newShardings(messages)
}

func newShardings(messages []string) ([]Sharding, error) {
	if messages == nil {
		return nil, nil
	}
	list := make([]Sharding, len(messages))
	for i, m := range messages {
		list[i].Proto = []byte(m)
		if _, err := xlaproto.UnmarshalSharding(list[i].Proto); err != nil {
			return nil, failed(ErrInternal, "the plugin's sharding %d cannot be read: %v", i, err)
		}
	}
	return list, nil
}
