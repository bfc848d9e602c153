// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package dtype_test

import (
	"bufio"
	"compress/gzip"
	"encoding/binary"
	"encoding/json"
	"io"
	"math"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/pjrt/dtype"
)

// golden returns what NumPy and ml_dtypes answered, by section; testdata/golden.py says what each
// holds.
var golden = sync.OnceValues(func() (map[string][]byte, error) {
	f, err := os.Open("testdata/golden.gz")
	if err != nil {
		return nil, err
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return nil, err
	}
	r := bufio.NewReader(z)
	line, err := r.ReadBytes('\n')
	if err != nil {
		return nil, err
	}
	var index struct{ Sections [][2]any }
	if err := json.Unmarshal(line, &index); err != nil {
		return nil, err
	}
	sections := make(map[string][]byte, len(index.Sections))
	for _, s := range index.Sections {
		b := make([]byte, int(s[1].(float64)))
		if _, err := io.ReadFull(r, b); err != nil {
			return nil, err
		}
		sections[s[0].(string)] = b
	}
	return sections, nil
})

// section returns a section as numbers of the given size. The file holds them as planes: all first
// bytes, then all second bytes, and so on.
func section(t *testing.T, name string, size int) []byte {
	t.Helper()
	sections, err := golden()
	require.NoError(t, err)
	planes, ok := sections[name]
	require.True(t, ok, "no golden section %s", name)
	require.Zero(t, len(planes)%size)
	n := len(planes) / size
	b := make([]byte, len(planes))
	for p := range size {
		for i := range n {
			b[i*size+p] = planes[p*n+i]
		}
	}
	return b
}

func float32s(b []byte) []float32 {
	s := make([]float32, len(b)/4)
	for i := range s {
		s[i] = math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:]))
	}
	return s
}

func float64s(b []byte) []float64 {
	s := make([]float64, len(b)/8)
	for i := range s {
		s[i] = math.Float64frombits(binary.LittleEndian.Uint64(b[8*i:]))
	}
	return s
}

// sameFloat compares bits, except that NaNs of the same sign are equal.
func sameFloat(a, b float64) bool {
	if math.Signbit(a) != math.Signbit(b) {
		return false
	}
	return a == b || a != a && b != b
}

// float wraps one floating-point type in functions, so that a table can hold them all.
type float struct {
	typ   dtype.Type
	round func(float64) uint16
	f32   func(uint16) float32
	f64   func(uint16) float64
	text  func(uint16) string
	isNaN func(uint16) bool
}

func floatOf[F interface {
	dtype.Float
	dtype.Elem
	String() string
}]() float {
	return float{
		typ:   dtype.Of[F](),
		round: func(x float64) uint16 { return uint16(dtype.Round[F](x)) },
		f32:   func(c uint16) float32 { return F(c).Float32() },
		f64:   func(c uint16) float64 { return F(c).Float64() },
		text:  func(c uint16) string { return F(c).String() },
		isNaN: func(c uint16) bool { return dtype.IsNaN(F(c)) },
	}
}

var floats = []float{
	floatOf[dtype.Float16](), floatOf[dtype.BFloat16](),
	floatOf[dtype.Float8E5M2](), floatOf[dtype.Float8E4M3](), floatOf[dtype.Float8E3M4](), floatOf[dtype.Float8E4M3FN](),
	floatOf[dtype.Float8E4M3FNUZ](), floatOf[dtype.Float8E5M2FNUZ](), floatOf[dtype.Float8E4M3B11FNUZ](),
	floatOf[dtype.Float8E8M0FNU](), floatOf[dtype.Float6E2M3FN](), floatOf[dtype.Float6E3M2FN](), floatOf[dtype.Float4E2M1FN](),
}

// codes returns codes of the type from the bytes of a golden section.
func (f float) codes(t *testing.T, name string) []uint16 {
	t.Helper()
	b := section(t, name, f.typ.Size())
	codes := make([]uint16, len(b)/f.typ.Size())
	for i := range codes {
		if f.typ.Size() == 2 {
			codes[i] = binary.LittleEndian.Uint16(b[2*i:])
		} else {
			codes[i] = uint16(b[i])
		}
	}
	return codes
}

// assertRounds compares the codes of many numbers and reports the first few that differ.
func (f float) assertRounds(t *testing.T, in []float64, want []uint16) {
	t.Helper()
	require.Len(t, want, len(in))
	wrong := 0
	for i, x := range in {
		got := f.round(x)
		if got == want[i] {
			continue
		}
		// A NaN may carry a payload, so only its sign is compared.
		if f.isNaN(got) && f.isNaN(want[i]) && math.Signbit(f.f64(got)) == math.Signbit(f.f64(want[i])) {
			continue
		}
		if wrong++; wrong <= 5 {
			t.Errorf("%v of %v (%x) is %#x (%v), want %#x (%v)", f.typ, x, math.Float64bits(x), got, f.f64(got), want[i], f.f64(want[i]))
		}
	}
	assert.Zero(t, wrong, "wrong results of %d", len(in))
}

func TestEveryCodeDecodesExactly(t *testing.T) {
	t.Parallel()
	for _, f := range floats {
		t.Run(f.typ.String(), func(t *testing.T) {
			t.Parallel()
			want := float32s(section(t, "decode/"+f.typ.NumPy(), 4))
			require.Len(t, want, 1<<f.typ.Bits())
			for i, w := range want {
				c := uint16(i)
				if !sameFloat(float64(f.f32(c)), float64(w)) || !sameFloat(f.f64(c), float64(w)) {
					t.Fatalf("code %#x is %v and %v, want %v", c, f.f32(c), f.f64(c), w)
				}
				assert.Equal(t, w != w, f.isNaN(c), "IsNaN of code %#x", c)
			}
		})
	}
}

func TestRoundOfEveryHalfPrecisionNumber(t *testing.T) {
	t.Parallel()
	for _, f := range floats {
		t.Run(f.typ.String(), func(t *testing.T) {
			t.Parallel()
			for _, from := range []struct{ section, source string }{{"encode.f16", "float16"}, {"encode.bf16", "bfloat16"}} {
				in := float32s(section(t, "decode/"+from.source, 4))
				wide := make([]float64, len(in))
				for i, x := range in {
					wide[i] = float64(x)
				}
				f.assertRounds(t, wide, f.codes(t, from.section+"/"+f.typ.NumPy()))
			}
		})
	}
}

func TestRoundAtMiddlesAndEdges(t *testing.T) {
	t.Parallel()
	for _, f := range floats {
		t.Run(f.typ.String(), func(t *testing.T) {
			t.Parallel()
			in := float32s(section(t, "edges.in/"+f.typ.NumPy(), 4))
			wide := make([]float64, len(in))
			for i, x := range in {
				wide[i] = float64(x)
			}
			f.assertRounds(t, wide, f.codes(t, "edges.out/"+f.typ.NumPy()))
		})
	}
}

func TestRoundOfFloat64RoundsOnce(t *testing.T) {
	t.Parallel()
	for _, f := range floats {
		t.Run(f.typ.String(), func(t *testing.T) {
			t.Parallel()
			if f.typ.Bits() <= 8 {
				f.assertRounds(t, float64s(section(t, "once.in/"+f.typ.NumPy(), 8)), f.codes(t, "once.out/"+f.typ.NumPy()))
			}
			// Rounding through float32 would take these numbers, just beside a middle, to the wrong
			// side.
			top := 1<<(f.typ.Bits()-1) - 2
			for c := range uint16(top) {
				lo, hi := f.f64(c), f.f64(c+1)
				if hi-lo <= 0 || math.IsInf(hi, 0) || hi != hi {
					continue
				}
				mid := (lo + hi) / 2
				if f.typ == dtype.F8E8M0FNU && c == 0 {
					continue // between its two smallest numbers the type has its own rule
				}
				require.Equal(t, c, f.round(math.Nextafter(mid, lo)), "just below the middle of %v and %v", lo, hi)
				require.Equal(t, c+1, f.round(math.Nextafter(mid, hi)), "just above the middle of %v and %v", lo, hi)
			}
		})
	}
}

func TestTextOfEveryCode(t *testing.T) {
	t.Parallel()
	for _, f := range floats {
		if f.typ == dtype.F16 {
			continue // NumPy has this type itself and prints it differently
		}
		step := 1
		if f.typ == dtype.BF16 {
			step = 17
		}
		want := strings.Split(string(section(t, "text/"+f.typ.NumPy(), 1)), "\n")
		for i, w := range want {
			assert.Equal(t, w, f.text(uint16(i*step)), "%v code %#x", f.typ, i*step)
		}
	}
}

func TestConvertAgreesWithAstype(t *testing.T) {
	t.Parallel()
	sections, err := golden()
	require.NoError(t, err)
	pairs := 0
	for name := range sections {
		part := strings.Split(name, "/")
		if part[0] != "cast" {
			continue
		}
		pairs++
		from, err := dtype.Parse(part[1])
		require.NoError(t, err)
		to, err := dtype.Parse(part[2])
		require.NoError(t, err)
		t.Run(from.String()+" to "+to.String(), func(t *testing.T) {
			t.Parallel()
			src := section(t, "cast.in/"+part[1], partSize(from))
			want := section(t, name, partSize(to))
			got := make([]byte, len(want))
			require.NoError(t, dtype.Convert(got, to, src, from))
			for i := 0; i < len(src)/from.Size(); i++ {
				g, w := got[i*to.Size():(i+1)*to.Size()], want[i*to.Size():(i+1)*to.Size()]
				if !sameElement(to, g, w) {
					t.Errorf("element %d, % x, became % x, want % x", i, src[i*from.Size():(i+1)*from.Size()], g, w)
				}
			}
		})
	}
	assert.Greater(t, pairs, 900, "pairs of types compared")
}

// partSize is the width of the numbers that a golden section holds: a complex number is two.
func partSize(t dtype.Type) int {
	if t.IsComplex() {
		return t.Size() / 2
	}
	return t.Size()
}

// sameElement compares bytes, except that NaNs of the same sign are equal.
func sameElement(t dtype.Type, a, b []byte) bool {
	if string(a) == string(b) {
		return true
	}
	switch t {
	case dtype.F32, dtype.C64:
		x, y := float32s(a), float32s(b)
		for i := range x {
			if !sameFloat(float64(x[i]), float64(y[i])) {
				return false
			}
		}
		return true
	case dtype.F64, dtype.C128:
		x, y := float64s(a), float64s(b)
		for i := range x {
			if !sameFloat(x[i], y[i]) {
				return false
			}
		}
		return true
	case dtype.F16, dtype.BF16:
		x, y := make([]byte, 8), make([]byte, 8)
		if dtype.Convert(x, dtype.F64, a, t) != nil || dtype.Convert(y, dtype.F64, b, t) != nil {
			return false
		}
		return sameFloat(float64s(x)[0], float64s(y)[0])
	}
	return false
}
