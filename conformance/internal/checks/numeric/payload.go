// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package numeric

import (
	"encoding/binary"
	"fmt"
	"runtime"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/conformance/internal/check"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
)

// payloadChecks returns the checks that operations which only move elements preserve the bits of
// NaN. Setting the bit that makes a NaN quiet is only noted, not counted against a plugin.
func payloadChecks() []check.Check {
	var cs []check.Check
	for _, t := range []dtype.Type{dtype.F32, dtype.F64, dtype.F16, dtype.BF16} {
		cs = append(cs, check.Check{Rule: "DIFF-01", Variant: "payload/" + t.String(), Profile: check.Core,
			Run: func(c *check.T) { payload(c, t) }})
	}
	return cs
}

// patterns returns the bits of NaNs, quiet and signalling, with and without a sign, and of
// other numbers that a copy through registers may change.
func patterns(t dtype.Type) (bits []uint64, quiet uint64) {
	mantissa := formats[t].mantissa
	quiet = 1 << (mantissa - 1)
	exponent := uint64(1)<<(t.Bits()-1) - 1<<mantissa
	sign := uint64(1) << (t.Bits() - 1)
	for _, x := range []uint64{exponent | 1, exponent | quiet, exponent | quiet | 5, sign | exponent | 3, sign | exponent | quiet | 2,
		exponent, sign, 1, sign | 1, exponent | quiet - 1, 0, sign | exponent} {
		bits = append(bits, x)
	}
	return bits, quiet
}

// payload moves the patterns through a transpose, a reverse, a slice and a select, back to
// where they were.
func payload(t *check.T, e dtype.Type) {
	bits, quiet := patterns(e)
	size := e.Size()
	data := make([]byte, size*len(bits))
	for i, x := range bits {
		var b [8]byte
		binary.LittleEndian.PutUint64(b[:], x)
		copy(data[i*size:], b[:size])
	}
	in, turned, line := check.Tensor(e, []int64{3, 4}), check.Tensor(e, []int64{4, 3}), check.Tensor(e, []int64{12})
	text := fmt.Sprintf(`module @payload {
func.func @main(%%a: %[1]s, %%p: tensor<12xi1>) -> %[3]s {
  %%t = stablehlo.transpose %%a, dims = [1, 0] : (%[1]s) -> %[2]s
  %%b = stablehlo.transpose %%t, dims = [1, 0] : (%[2]s) -> %[1]s
  %%f = stablehlo.reshape %%b : (%[1]s) -> %[3]s
  %%v = stablehlo.reverse %%f, dims = [0] : %[3]s
  %%c = stablehlo.concatenate %%f, %%v, dim = 0 : (%[3]s, %[3]s) -> %[4]s
  %%s = stablehlo.slice %%c [0:12] : (%[4]s) -> %[3]s
  %%r = stablehlo.select %%p, %%s, %%v : tensor<12xi1>, %[3]s
  return %%r : %[3]s
}
}
`, in, turned, line, check.Tensor(e, []int64{24}))
	c := t.Client()
	args := capi.ClientBufferFromHostBufferArgs{Client: c.Handle, Device: c.Devices[0], Type: capi.BufferType(e), Data: check.Pointer(data)}
	dims := []int64{3, 4}
	args.Dims, args.NumDims = check.First(dims)
	x := t.UploadArgs(args)
	runtime.KeepAlive(data)
	p := program{inputs: []array{none(e, 0)}}
	yes := check.Upload(t, c, []bool{true, true, true, true, true, true, true, true, true, true, true, true})
	got := t.Download(t.Run(p.compiled(t, c, text), 1, x, yes)[0])
	quieted := 0
	for i, want := range bits {
		var b [8]byte
		copy(b[:], got[i*size:(i+1)*size])
		switch x := binary.LittleEndian.Uint64(b[:]); {
		case x == want:
		case x == want|quiet && i != 5 && i < 10:
			quieted++
		default:
			t.Errorf("element %d: expected the bits %#x, got %#x", i, want, x)
		}
	}
	if quieted > 0 {
		t.Notef("%d signalling NaNs became quiet", quieted)
	}
}
