// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package main

import (
	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/pjrt/pjrttest"
)

// memory makes the in-memory plugin, which lives as long as the process.
func memory() (*capi.Table, error) {
	p, err := pjrttest.Start(pjrttest.Options{Devices: deviceCount, HostDevices: true, PlatformName: "cpu"})
	if err != nil {
		return nil, err
	}
	p.Program("add_one", pjrttest.Signature{}, pjrttest.Map(func(x float32) float32 { return x + 1 }))
	return p.Table(), nil
}
