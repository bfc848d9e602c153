// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrttest

import (
	"bytes"
	"slices"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/internal/wire"
)

// sliceConfig is one PJRT_MultiSlice_Config: a job on several slices that are built alike.
type sliceConfig struct {
	slices, slice int32 // how many there are, and which one this process belongs to
	devices       int32 // of each slice
}

// Field numbers of a serialized configuration.
const (
	fieldConfigSlices  = 1
	fieldConfigSlice   = 2
	fieldConfigDevices = 3
)

// maxSlices is the limit on the slices of a job.
const maxSlices = 1 << 16

func (c *sliceConfig) proto() []byte {
	b := wire.AppendInt(nil, fieldConfigSlices, c.slices)
	b = wire.AppendInt(b, fieldConfigSlice, c.slice)
	return wire.AppendInt(b, fieldConfigDevices, c.devices)
}

// check returns an error unless the number of slices is possible and the slice is one of them.
func (c *sliceConfig) check() error {
	switch {
	case c.slices < 1 || c.slices > maxSlices:
		return invalid("a job has from 1 to %d slices, not %d", maxSlices, c.slices)
	case c.slice < 0 || c.slice >= c.slices:
		return invalid("there is no slice %d in a job of %d slices", c.slice, c.slices)
	}
	return nil
}

// checkSlices returns an error unless the configuration of compile options is one that proto
// wrote, or nil.
func checkSlices(serialized []byte) error {
	if serialized == nil {
		return nil
	}
	c := &sliceConfig{
		int32(last(serialized, fieldConfigSlices).Int), int32(last(serialized, fieldConfigSlice).Int),
		int32(last(serialized, fieldConfigDevices).Int),
	}
	if !bytes.Equal(serialized, c.proto()) {
		return invalid("the multi-slice configuration of the compile options, %d bytes, is not a serialized configuration of pjrttest",
			len(serialized))
	}
	return c.check()
}

// newConfig makes a configuration; h is the topology of one slice.
func (p *Plugin) newConfig(h *capi.TopologyDescription, count, slice int32) (*capi.MultiSliceConfig, error) {
	t, err := find[*topology](p, h)
	if err != nil {
		return nil, err
	}
	c := &sliceConfig{count, slice, int32(len(t.devices))}
	if err := c.check(); err != nil {
		return nil, err
	}
	return makeHandle[capi.MultiSliceConfig](p, c, true), nil
}

func (p *Plugin) configDestroy(a *capi.MultiSliceConfigDestroyArgs) error {
	return destroy[*sliceConfig](p, a.Config, nil)
}

func (p *Plugin) configNumSlices(a *capi.MultiSliceConfigNumSlicesArgs) error {
	return with(p, a.Config, func(c *sliceConfig) { a.NumSlices = c.slices })
}

func (p *Plugin) configSliceID(a *capi.MultiSliceConfigSliceIDArgs) error {
	return with(p, a.Config, func(c *sliceConfig) { a.SliceID = c.slice })
}

func (p *Plugin) configNumDevicesPerSlice(a *capi.MultiSliceConfigNumDevicesPerSliceArgs) error {
	c, err := find[*sliceConfig](p, a.Config)
	if err != nil {
		return err
	}
	ids, devices := sequence(0, c.slices), slices.Repeat([]int32{c.devices}, int(c.slices))
	a.SliceIDs, a.NumDevicesPerSliceMap = list(ids)
	a.NumDevices, _ = list(devices)
	a.DevicesPerSliceMap = makeHandle[capi.MultiSliceNumDevicesPerSlice](p, [][]int32{ids, devices}, true)
	a.DevicesPerSliceMapDeleter = capi.MultiSliceConfigNumDevicesPerSliceArgsDevicesPerSliceMapDeleter(deleter())
	return nil
}

func (p *Plugin) configSerialize(a *capi.MultiSliceConfigSerializeArgs) error {
	c, err := find[*sliceConfig](p, a.Config)
	if err != nil {
		return err
	}
	b := c.proto()
	a.Serialized, a.Size = list(b)
	a.SerializedConfig = makeHandle[capi.MultiSliceSerializedConfig](p, b, true)
	a.SerializedConfigDeleter = capi.MultiSliceConfigSerializeArgsSerializedConfigDeleter(deleter())
	return nil
}
