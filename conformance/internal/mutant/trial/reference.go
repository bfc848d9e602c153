// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package trial

import (
	"bytes"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
	"github.com/purepjrt/purepjrt/pjrt/pjrttest"
)

// Reference makes a plugin without faults that has every feature: the in-memory plugin of
// pjrt/pjrttest, with the newest API and the programs that all checks but the numeric ones
// use. Its clients have four devices, unless the create option device_count says otherwise. It
// lasts as long as the process.
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
	plusOne := pjrttest.Map(func(x float32) float32 { return x + 1 })
	p.Program("add_one", pjrttest.Signature{}, plusOne)
	p.Program("add", pjrttest.Signature{}, pjrttest.Elementwise(func(x ...float32) float32 { return x[0] + x[1] }))
	four := []pjrt.Shape{{Type: dtype.F32, Dims: []int64{4}}}
	p.AddProgram(pjrttest.Program{ // an artifact of StableHLO
		Match:     func(code []byte, _ pjrt.Format) bool { return bytes.HasPrefix(code, []byte("ML\xefR")) },
		Signature: pjrttest.Signature{Parameters: four, Results: four}, Func: plusOne,
	})
	p.Program("long", pjrttest.Signature{}, pjrttest.Identity)
	return p.Table(), nil
}
