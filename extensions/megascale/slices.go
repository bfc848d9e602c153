// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package megascale

import (
	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/lifetime"
	"github.com/purepjrt/purepjrt/pjrt/raw"
)

// Config describes how a program is spread over slices. It goes into
// ExecuteOptions.Extensions (since API 0.97). Its methods do not block, and may be
// called from any goroutine.
type Config struct {
	table *capi.Table
	ref   *lifetime.Ref[capi.MultiSliceConfig]
}

var _ pjrt.ExecuteExtension = (*Config)(nil)

// AdoptConfig makes a Config from a C handle that an extension of the plugin made and that the
// caller owns. destroy frees the handle when it is no longer used; nil means
// PJRT_MultiSlice_Config_Destroy. After an error the caller still owns the handle.
func AdoptConfig(p *pjrt.Plugin, h *capi.MultiSliceConfig, destroy func(*capi.MultiSliceConfig)) (*Config, error) {
	table := raw.Table(p)
	if h == nil || table == nil {
		return nil, pjrt.ErrInvalidArgument.Errorf("the plugin or the handle of the configuration is nil")
	}
	if destroy == nil {
		if err := table.Lacks((*capi.MultiSliceConfigDestroyArgs)(nil).Function()); err != nil {
			return nil, err
		}
		destroy = func(h *capi.MultiSliceConfig) {
			_, _ = capi.Do(table, capi.MultiSliceConfigDestroyArgs{Config: h})
		}
	}
	return &Config{table, lifetime.New("multi-slice config", h, nil, destroy)}, nil
}

// NumSlices returns the number of slices (PJRT_MultiSlice_Config_NumSlices).
func (x *Config) NumSlices() (int, error) {
	h, err := x.acquire()
	if err != nil {
		return 0, err
	}
	defer x.ref.Release()
	c, err := capi.Do(x.table, capi.MultiSliceConfigNumSlicesArgs{Config: h})
	return int(c.NumSlices), err
}

// SliceID returns the number of the slice that this process belongs to
// (PJRT_MultiSlice_Config_SliceId).
func (x *Config) SliceID() (int, error) {
	h, err := x.acquire()
	if err != nil {
		return 0, err
	}
	defer x.ref.Release()
	c, err := capi.Do(x.table, capi.MultiSliceConfigSliceIDArgs{Config: h})
	return int(c.SliceID), err
}

// DevicesPerSlice maps the number of each slice to the number of its devices
// (PJRT_MultiSlice_Config_NumDevicesPerSlice). The caller owns the map.
func (x *Config) DevicesPerSlice() (map[int]int, error) {
	h, err := x.acquire()
	if err != nil {
		return nil, err
	}
	defer x.ref.Release()
	c, err := capi.Do(x.table, capi.MultiSliceConfigNumDevicesPerSliceArgs{Config: h})
	if err != nil {
		return nil, err
	}
	ids := capi.Slice(c.SliceIDs, c.NumDevicesPerSliceMap)
	counts := capi.Slice(c.NumDevices, c.NumDevicesPerSliceMap)
	c.DevicesPerSliceMapDeleter.Call(c.DevicesPerSliceMap)
	if len(ids) != len(counts) {
		return nil, pjrt.ErrInternal.Errorf("the plugin returned %d slices but device counts for %d", len(ids), len(counts))
	}
	devices := make(map[int]int, len(ids))
	for i, id := range ids {
		devices[int(id)] = int(counts[i])
	}
	return devices, nil
}

// Serialize returns the configuration as bytes (PJRT_MultiSlice_Config_Serialize).
func (x *Config) Serialize() ([]byte, error) {
	h, err := x.acquire()
	if err != nil {
		return nil, err
	}
	defer x.ref.Release()
	c, err := capi.Do(x.table, capi.MultiSliceConfigSerializeArgs{Config: h})
	if err != nil {
		return nil, err
	}
	b := capi.Bytes(c.Serialized, c.Size)
	c.SerializedConfigDeleter.Call(c.SerializedConfig)
	return b, nil
}

// Repeatable reports that a second attempt at an execution can use the same options: see
// [pjrt.ExecuteExtension].
func (x *Config) Repeatable() bool { return true }

// ExtendExecute implements [pjrt.ExecuteExtension]: the execution is spread as the
// configuration says (PJRT_ExecuteOptions.multi_slice_config) and keeps it until it is
// over.
func (x *Config) ExtendExecute(client *pjrt.Client, _ []*pjrt.Device, options *capi.ExecuteOptions) (done func(), err error) {
	h, err := x.acquire()
	if err != nil {
		return nil, err
	}
	switch {
	case options == nil:
		err = pjrt.ErrInvalidArgument.Errorf("the options of the execution are nil")
	case x.table != raw.TableOf(client):
		err = pjrt.ErrInvalidArgument.Errorf("the multi-slice configuration and the program belong to different plugins")
	case options.MultiSliceConfig != nil:
		err = pjrt.ErrInvalidArgument.Errorf("the execution already has a multi-slice configuration; give only one")
	}
	if err != nil {
		x.ref.Release()
		return nil, err
	}
	options.MultiSliceConfig = h
	return x.ref.Release, nil
}

func (x *Config) acquire() (*capi.MultiSliceConfig, error) {
	if x == nil || x.ref == nil {
		return nil, pjrt.ErrInvalidArgument.Errorf("the multi-slice configuration is nil: make one with Context.Config or AOTConfig")
	}
	return x.ref.Acquire()
}

// Close frees the configuration once the executions that use it are over. Closing again
// does nothing.
func (x *Config) Close() error {
	if x == nil {
		return nil
	}
	return x.ref.Close()
}
