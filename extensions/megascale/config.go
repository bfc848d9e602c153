// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package megascale

import (
	"math"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/raw"
)

// AOTConfig makes a configuration for compiling a program for several slices without devices
// (PJRT_Megascale_CreateAoTConfig). topology is the topology of one slice, and slices is the number
// of slices. The caller closes the configuration. The plugin must offer the extension MultiSlice
// too, because configurations are objects of that extension.
//
// CompileOptions.MultiSlice takes the bytes that the configuration's Serialize returns.
func AOTConfig(topology *pjrt.Topology, slices int) (*Config, error) {
	h, release, err := raw.AcquireTopology(topology)
	if err != nil {
		return nil, err
	}
	defer release()
	if err := countOfSlices(topology, slices); err != nil {
		return nil, err
	}
	if err := canDestroyConfigs(topology.Plugin()); err != nil {
		return nil, err
	}
	c, err := capi.Do(raw.TableOf(topology), capi.MegascaleCreateAOTConfigArgs{Topology: h, NumSlices: int32(slices)})
	if err != nil {
		return nil, err
	}
	return AdoptConfig(topology.Plugin(), c.MultiSliceConfig, nil)
}

// Job describes a job of several slices, and says which of its processes this one is.
type Job struct {
	// Slices is the number of slices. Slice is the slice that this process belongs to, and Host is
	// the host in that slice on which it runs, both counted from 0.
	Slices, Slice, Host int
	// Endpoints has the addresses of the other processes: a serialized EndpointAddresses.
	Endpoints []byte
	// Network says how the slices are connected: a serialized DCNTopology.
	Network []byte
}

// Config makes the configuration for running a program on several slices
// (PJRT_Megascale_CreateMultiSliceConfig); it goes into ExecuteOptions.Extensions. topology is the
// topology of one slice. The caller closes the configuration; the context stays alive as long as
// the configuration. The plugin must offer the extension MultiSlice too.
func (x *Context) Config(topology *pjrt.Topology, job Job) (*Config, error) {
	context, err := x.acquire()
	if err != nil {
		return nil, err
	}
	release := x.ref.Release
	defer func() { release() }()
	h, done, err := raw.AcquireTopology(topology)
	if err != nil {
		return nil, err
	}
	defer done()
	if topology.Plugin() != x.plugin {
		return nil, pjrt.ErrInvalidArgument.Errorf("the topology and the context belong to different plugins")
	}
	if err := countOfSlices(topology, job.Slices); err != nil {
		return nil, err
	}
	switch {
	case job.Slice < 0 || job.Slice >= job.Slices:
		return nil, pjrt.ErrInvalidArgument.Errorf("there is no slice %d in a job of %d", job.Slice, job.Slices)
	case job.Host < 0 || job.Host > math.MaxInt32:
		return nil, pjrt.ErrInvalidArgument.Errorf("there is no host %d in a slice: hosts are numbered from 0", job.Host)
	case len(job.Endpoints) > math.MaxInt32 || len(job.Network) > math.MaxInt32:
		return nil, pjrt.ErrInvalidArgument.Errorf("the messages about the network have more than 2^31-1 bytes")
	}
	if err := canDestroyConfigs(x.plugin); err != nil {
		return nil, err
	}
	var c capi.Call[capi.MegascaleCreateMultiSliceConfigArgs]
	a := &c.Args
	a.Topology, a.ClientContext = h, context
	a.NumSlices, a.LocalSliceID, a.LocalHostID = int32(job.Slices), int32(job.Slice), int32(job.Host)
	a.EndpointAddresses, _ = capi.BytesData(job.Endpoints)
	a.EndpointAddressesSize = int32(len(job.Endpoints))
	a.DcnTopology, _ = capi.BytesData(job.Network)
	a.DcnTopologySize = int32(len(job.Network))
	table := raw.Table(x.plugin)
	if err := c.Do(table); err != nil {
		return nil, err
	}
	keep := x.ref.Release
	config, err := AdoptConfig(x.plugin, a.MultiSliceConfig, func(h *capi.MultiSliceConfig) {
		_, _ = capi.Do(table, capi.MultiSliceConfigDestroyArgs{Config: h}) // no caller is left to return an error to
		keep()
	})
	if err == nil {
		release = func() {} // the configuration keeps the context
	}
	return config, err
}

// mostDevices is more devices than any job has. libtpu lists those of all slices.
const mostDevices = 1 << 20

// countOfSlices returns an error if a job cannot have n slices with this topology.
func countOfSlices(topology *pjrt.Topology, n int) error {
	devices, err := topology.Devices()
	if err != nil {
		return err
	}
	if most := mostDevices / max(len(devices), 1); n < 1 || n > most {
		return pjrt.ErrInvalidArgument.Errorf("a job has from 1 to %d slices of %d devices, not %d", most, len(devices), n)
	}
	return nil
}

// canDestroyConfigs returns an error if the plugin lacks the extension MultiSlice, which destroys
// configurations.
func canDestroyConfigs(p *pjrt.Plugin) error {
	return raw.Table(p).Lacks((*capi.MultiSliceConfigDestroyArgs)(nil).Function())
}

// DeviceInJob returns the number that a device of a slice has in the whole job
// (PJRT_Megascale_DeviceId_To_MegascaleId, API 0.98).
func DeviceInJob(p *pjrt.Plugin, slice, device int) (int, error) {
	if p == nil {
		return 0, errNilPlugin
	}
	if slice < 0 || slice > math.MaxInt32 || device < 0 || device > math.MaxInt32 {
		return 0, pjrt.ErrInvalidArgument.Errorf("there is no device %d in slice %d", device, slice)
	}
	c, err := capi.Do(raw.Table(p), capi.MegascaleDeviceIDToMegascaleIDArgs{SliceID: int32(slice), PerSliceDeviceID: int32(device)})
	return int(c.MegascaleID), err
}

// DeviceInSlice returns the slice of a device and its number in that slice, from its number in the
// whole job (PJRT_Megascale_MegascaleId_To_DeviceId, API 0.98).
func DeviceInSlice(p *pjrt.Plugin, id int) (slice, device int, err error) {
	if p == nil {
		return 0, 0, errNilPlugin
	}
	if id < 0 {
		return 0, 0, pjrt.ErrInvalidArgument.Errorf("there is no device %d in a job", id)
	}
	c, err := capi.Do(raw.Table(p), capi.MegascaleMegascaleIDToDeviceIDArgs{MegascaleID: int64(id)})
	return int(c.SliceID), int(c.PerSliceDeviceID), err
}

var errNilPlugin = pjrt.ErrInvalidArgument.Errorf("the plugin is nil")
