// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package checktest

import (
	"bytes"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/conformance/internal/check"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
	"github.com/purepjrt/purepjrt/pjrt/pjrttest"
)

// Memory is the name of the in-memory plugin of pjrt/pjrttest, of the newest
// API. It has no file.
const Memory = "memory"

// memory makes the in-memory plugin, with the programs that checks of no numbers
// use.
func memory() (*check.Env, error) {
	p, err := pjrttest.Start(pjrttest.Options{
		Attributes: []pjrt.Attribute{{Name: "xla_version", Value: int64(2)}},
	})
	if err != nil {
		return nil, err
	}
	plusOne := pjrttest.Map(func(x float32) float32 { return x + 1 })
	p.Program("add_one", pjrttest.Signature{}, plusOne)
	four := []pjrt.Shape{{Type: dtype.F32, Dims: []int64{4}}}
	p.AddProgram(pjrttest.Program{
		Match:     func(code []byte, _ pjrt.Format) bool { return bytes.HasPrefix(code, []byte("ML\xefR")) },
		Signature: pjrttest.Signature{Parameters: four, Results: four}, Func: plusOne,
	})
	p.Program("long", pjrttest.Signature{}, pjrttest.Identity)
	return &check.Env{
		Table:   p.Table(),
		Options: []capi.Attribute{{Name: "device_count", Value: int64(4)}},
	}, nil
}
