// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrttest

import "github.com/purepjrt/purepjrt/capi"

// megascaleContext is one PJRT_Megascale_ClientContext. No slice ever talks to another.
type megascaleContext struct{ _ byte }

func (p *Plugin) contextOfClient(a *capi.MegascaleCreateClientContextFromPjRtClientArgs) error {
	return with(p, a.Client, func(*client) {
		a.ClientContext = makeHandle[capi.MegascaleClientContext](p, new(megascaleContext), true)
	})
}

func (p *Plugin) defaultContext(a *capi.MegascaleCreateDefaultClientContextArgs) error {
	a.ClientContext = makeHandle[capi.MegascaleClientContext](p, new(megascaleContext), true)
	return nil
}

func (p *Plugin) deleteContext(a *capi.MegascaleDeleteClientContextArgs) error {
	return destroy[*megascaleContext](p, a.ClientContext, nil)
}

func (p *Plugin) initializeContext(a *capi.MegascaleClientContextInitializeArgs) error {
	_, err := find[*megascaleContext](p, a.ClientContext)
	return err
}

func (p *Plugin) createAOTConfig(a *capi.MegascaleCreateAOTConfigArgs) (err error) {
	a.MultiSliceConfig, err = p.newConfig(a.Topology, a.NumSlices, 0)
	return err
}

func (p *Plugin) createMultiSliceConfig(a *capi.MegascaleCreateMultiSliceConfigArgs) (err error) {
	if _, err := find[*megascaleContext](p, a.ClientContext); err != nil {
		return err
	}
	a.MultiSliceConfig, err = p.newConfig(a.Topology, a.NumSlices, a.LocalSliceID)
	return err
}

// The number of a device in a job has the slice in its upper half.

func (p *Plugin) deviceToMegascale(a *capi.MegascaleDeviceIDToMegascaleIDArgs) error {
	if a.SliceID < 0 || a.PerSliceDeviceID < 0 {
		return invalid("there is no device %d in a slice %d", a.PerSliceDeviceID, a.SliceID)
	}
	a.MegascaleID = int64(a.SliceID)<<32 | int64(a.PerSliceDeviceID)
	return nil
}

func (p *Plugin) megascaleToDevice(a *capi.MegascaleMegascaleIDToDeviceIDArgs) error {
	slice, device := a.MegascaleID>>32, a.MegascaleID&0xffffffff
	if a.MegascaleID < 0 || device > 1<<31-1 {
		return invalid("there is no device %d in a job", a.MegascaleID)
	}
	a.SliceID, a.PerSliceDeviceID = int32(slice), int32(device)
	return nil
}
