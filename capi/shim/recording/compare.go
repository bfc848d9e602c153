// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package recording

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"reflect"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/capi/describe"
)

// binding has the results on which plugins must agree, because they follow from the program and its
// arguments.
var binding = map[string]bool{
	"PJRT_Buffer_Dimensions.dims":                     true,
	"PJRT_Buffer_ElementType.type":                    true,
	"PJRT_Buffer_IsDeleted.is_deleted":                true,
	"PJRT_Buffer_UnpaddedDimensions.unpadded_dims":    true,
	"PJRT_Executable_NumOutputs.num_outputs":          true,
	"PJRT_Executable_NumPartitions.num_partitions":    true,
	"PJRT_Executable_NumReplicas.num_replicas":        true,
	"PJRT_Executable_OutputDimensions.dim_sizes":      true,
	"PJRT_Executable_OutputElementTypes.output_types": true,
	"PJRT_LoadedExecutable_IsDeleted.is_deleted":      true,
}

// passing has results that are not compared, because they depend on timing.
var passing = map[string]bool{
	"PJRT_Event_IsReady.is_ready": true,
}

// compare compares a result that is not a handle.
func (r *replayer) compare(s *Step, v describe.View, f *describe.Field, recorded any) {
	key := s.Call.Function.Name + "." + f.Name
	switch {
	case passing[key], f.Kind == describe.Address, f.Kind == describe.Callback, f.Kind == describe.Data:
		return
	}
	e := encoder{out: true, handle: func(*describe.Field, uintptr, bool) string { return "" }}
	d := json.NewDecoder(bytes.NewReader(e.value(nil, v, f)))
	d.UseNumber()
	var now any
	if d.Decode(&now) != nil {
		return
	}
	r.report.Compared++
	if reflect.DeepEqual(now, recorded) {
		return
	}
	say := r.note
	if binding[key] {
		say = r.differ
	}
	say(s.Call, s.Line, "%s was %s, and is %s", f.Name, short(recorded), short(now))
}

func short(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	if len(text) > 100 {
		return string(text[:100]) + "..."
	}
	return string(text)
}

// difference says how two arrays differ, or returns "" if they are equal within the tolerance of
// the options.
func difference(t capi.BufferType, recorded, now []byte, o Options) string {
	if len(recorded) != len(now) {
		return fmt.Sprintf("the array had %d bytes, and has %d", len(recorded), len(now))
	}
	if bytes.Equal(recorded, now) {
		return ""
	}
	size, value := floats(t)
	if value == nil {
		for i := range recorded {
			if recorded[i] != now[i] {
				n := max(describe.BitsOf(t)/8, 1)
				return fmt.Sprintf("element %d of the %s array differs: its bytes were %x, and are %x", i/n, t, recorded[i/n*n:i/n*n+n],
					now[i/n*n:i/n*n+n])
			}
		}
	}
	worst, at, bad := 0.0, 0, 0
	for i := 0; i+size <= len(recorded); i += size {
		a, b := value(recorded[i:]), value(now[i:])
		if a == b || math.IsNaN(a) && math.IsNaN(b) {
			continue
		}
		off := math.Abs(a-b) - o.Absolute - o.Relative*math.Abs(a)
		if off <= 0 {
			continue
		}
		if bad++; bad == 1 || off > worst || math.IsNaN(off) {
			worst, at = off, i
		}
	}
	if bad == 0 {
		return ""
	}
	return fmt.Sprintf("%d of %d numbers of the %s array differ, most of all number %d: it was %g, and is %g", bad, len(recorded)/size,
		t, at/size, value(recorded[at:]), value(now[at:]))
}

// floats returns the size of the floating-point numbers of a type, and a function for their value.
// It returns nil for other types. A complex number is two numbers.
func floats(t capi.BufferType) (int, func([]byte) float64) {
	switch t {
	case capi.BufferTypeF32, capi.BufferTypeC64:
		return 4, func(b []byte) float64 { return float64(math.Float32frombits(binary.NativeEndian.Uint32(b))) }
	case capi.BufferTypeF64, capi.BufferTypeC128:
		return 8, func(b []byte) float64 { return math.Float64frombits(binary.NativeEndian.Uint64(b)) }
	case capi.BufferTypeBF16:
		return 2, func(b []byte) float64 {
			return float64(math.Float32frombits(uint32(binary.NativeEndian.Uint16(b)) << 16))
		}
	case capi.BufferTypeF16:
		return 2, func(b []byte) float64 { return half(binary.NativeEndian.Uint16(b)) }
	}
	return 0, nil
}

// half returns the value of an IEEE number of 16 bits.
func half(x uint16) float64 {
	sign := 1.0
	if x>>15 != 0 {
		sign = -1
	}
	fraction, exponent := float64(x&0x3ff), int(x>>10&0x1f)
	switch {
	case exponent == 0:
		return sign * math.Ldexp(fraction, -24)
	case exponent < 0x1f:
		return sign * math.Ldexp(1024+fraction, exponent-25)
	case fraction == 0:
		return math.Inf(int(sign))
	}
	return math.NaN()
}
