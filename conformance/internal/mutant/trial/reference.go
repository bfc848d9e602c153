// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package trial

import (
	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/pjrttest"
)

// Reference makes a plugin without faults that has every feature: the in-memory plugin of
// pjrt/pjrttest, with the newest API. It knows the programs of those checks whose faults no plugin
// at hand can have, since it lacks what they are about or does it wrongly. Its clients have four
// devices, unless the create option device_count says otherwise. It lasts as long as the process.
func Reference() (*capi.Table, error) {
	p, err := pjrttest.Start(pjrttest.Options{
		Devices:    4,
		Network:    new(pjrttest.Network),
		Extensions: pjrttest.Extensions(),
		Attributes: []pjrt.Attribute{{Name: "xla_version", Value: int64(2)}},
	})
	if err != nil {
		return nil, err
	}
	for _, x := range programs() {
		p.AddProgram(x)
	}
	return p.Table(), nil
}
