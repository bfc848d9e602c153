// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package check

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"iter"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/purepjrt/purepjrt/pjrt/dtype"
)

// What varies. Code that moves data is wrong for some sizes, ranks, types or positions and right
// for all others: a vector loop loses what is left behind its last full step, and a copy of strides
// has room for three. So checks do not think of small arrays of their own: they take them from
// here, and a check of a new function finds what checks of others have found.

// Counts are numbers of elements: one less and one more than each power of two from 8 to 4096 and
// than several multiples of 16 and of 64, and these themselves.
var Counts = func() []int {
	list := []int{1, 2, 3, 5}
	around := []int{48, 80, 112, 192, 320, 960, 1984, 3008}
	for n := 8; n <= 4096; n *= 2 {
		around = append(around, n)
	}
	for _, n := range around {
		list = append(list, n-1, n, n+1)
	}
	slices.Sort(list)
	return list
}()

// Offsets are places in an array of n bytes at which a part of it may begin: the first ones, those
// around words and lines of a cache, and the last one.
func Offsets(n int) []int {
	var list []int
	for _, at := range []int{0, 1, 2, 3, 4, 5, 7, 8, 15, 16, 17, 31, 33, 63, 64, 65, n/2 + 1, n - 1} {
		if at >= 0 && at < n && !slices.Contains(list, at) {
			list = append(list, at)
		}
	}
	return list
}

// Windows are parts of an array of n bytes, each an offset and a size: from some of the Offsets to
// the end, or half of that.
func Windows(n int) [][2]int {
	var list [][2]int
	for i, offset := range Offsets(n) {
		size := n - offset
		if (i+n)%3 != 0 {
			continue
		} else if i%2 == 1 {
			size = (size + 1) / 2
		}
		list = append(list, [2]int{offset, size})
	}
	return list
}

// DiffersAt returns the place of the first byte that differs or that only one of the two has, or
// -1.
func DiffersAt(want, got []byte) int {
	for i := range max(len(want), len(got)) {
		if i >= len(want) || i >= len(got) || want[i] != got[i] {
			return i
		}
	}
	return -1
}

// Shapes are dimensions of every rank up to six. No two dimensions of a shape are equal, since
// nobody sees when equal ones change places, and they are not sorted.
var Shapes = [][]int64{{}, {7}, {5, 3}, {4, 2, 3}, {3, 5, 2, 4}, {2, 4, 3, 6, 5}, {4, 2, 5, 3, 7, 6}}

// Degenerate are dimensions of every rank without elements, or with dimensions of one, which do not
// change the order of elements.
var Degenerate = [][]int64{
	{0}, {1}, {4, 0}, {0, 5}, {3, 1}, {1, 3}, {3, 0, 2}, {1, 1, 2}, {2, 3, 0, 4}, {2, 1, 3, 1}, {2, 4, 1, 0, 5}, {1, 2, 1, 3, 4},
	{2, 0, 3, 1, 4, 5}, {1, 2, 3, 1, 4, 1},
}

// Orders returns orders of dimensions, as minor_to_major lists them, the row-major one first: all
// of up to three dimensions. Of more it returns the row-major one, the column-major one, those that
// differ from the row-major one by two neighbours or by a turn, and one without any pattern.
func Orders(rank int) [][]int64 {
	if rank <= 3 {
		return permutations(rank)
	}
	rows := make([]int64, rank)
	for i := range rows {
		rows[i] = int64(rank - 1 - i)
	}
	columns := slices.Clone(rows)
	slices.Reverse(columns)
	all := [][]int64{rows, columns, slices.Concat(rows[1:], rows[:1]), slices.Concat(rows[rank-1:], rows[:rank-1])}
	for i := range rank - 1 {
		next := slices.Clone(rows)
		next[i], next[i+1] = next[i+1], next[i]
		all = append(all, next)
	}
	odd := make([]int64, 0, rank)
	for _, first := range []int{1, 0} {
		for i := first; i < rank; i += 2 {
			odd = append(odd, int64(i))
		}
	}
	return append(all, odd)
}

// Ordered are dimensions, and an order in which they lie in memory, as minor_to_major lists it.
type Ordered struct{ Dims, Order []int64 }

// Layouts are Shapes in each of their Orders.
var Layouts = func() []Ordered {
	var list []Ordered
	for rank := range Shapes {
		list = append(list, LayoutsOf(rank)...)
	}
	return list
}()

// LayoutsOf returns those of Layouts that have a rank, the row-major one first.
func LayoutsOf(rank int) []Ordered {
	dims := Shapes[rank]
	var list []Ordered
	for _, order := range Orders(len(dims)) {
		list = append(list, Ordered{dims, order})
	}
	return list
}

// permutations returns all orders of 0 to n-1.
func permutations(n int) [][]int64 {
	if n == 0 {
		return [][]int64{{}}
	}
	var all [][]int64
	for _, p := range permutations(n - 1) {
		for at := 0; at <= len(p); at++ {
			all = append(all, slices.Insert(slices.Clone(p), at, int64(n-1)))
		}
	}
	return all
}

// widths are element types by the size of an element. The first of each size is one that every
// plugin is likely to have.
var widths = [][]dtype.Type{
	{dtype.U8, dtype.S8, dtype.Pred},
	{dtype.S16, dtype.U16, dtype.BF16, dtype.F16},
	{dtype.F32, dtype.S32, dtype.U32},
	{dtype.F64, dtype.S64, dtype.C64, dtype.U64},
	{dtype.C128},
	{dtype.S4, dtype.U4},
}

// Widths returns an element type of each width: of one, two, four, eight and sixteen bytes, and one
// that is narrower than a byte. Other numbers i give other types, so that a loop over sizes or
// shapes, with the number of each, pairs it with types of every width.
func Widths(i int) []dtype.Type {
	list := make([]dtype.Type, len(widths))
	for w, types := range widths {
		list[w] = types[i%len(types)]
	}
	return list
}

// Width returns one of the types of Widths. Neighbours in a list, with the number of each, have
// types of different widths.
func Width(i int) dtype.Type { return Widths(i / len(widths))[i%len(widths)] }

// Elements returns the number of elements of dims, which is 1 without any.
func Elements(dims ...int64) int {
	n := int64(1)
	for _, d := range dims {
		n *= d
	}
	return int(n)
}

// Values returns n elements of a type, as the host has them. Arrays with another salt have other
// values. No element is zero or equals the one in front of it, and no two bytes of an element that
// lie side by side are equal, as far as the type allows that: a lost element, one that was read
// twice and bytes that changed places show. Every fifth element of a type of floats is one of
// specials, since code that takes bytes for numbers on their way may change these alone; the last
// element never is. The bits above the width of a narrow type are zero.
func Values(e dtype.Type, n int, salt uint64) []byte {
	data := Plain(e, n, salt)
	odd := specials(e)
	if len(odd) == 0 {
		return data
	}
	size := e.Size()
	for i := 3; i < n-1; i += 5 {
		at := i/5 + int(salt%uint64(len(odd)))
		for c := 0; c < size; c += len(odd[0]) { // the two parts of a complex number differ
			copy(data[i*size+c:], odd[(at+c)%len(odd)])
		}
	}
	return data
}

// Plain returns what Values does without the numbers that arithmetic changes: no value is a NaN. It
// is for arrays whose elements are written out in the text of a program.
func Plain(e dtype.Type, n int, salt uint64) []byte {
	r := rand.New(rand.NewPCG(uint64(e)+1, salt))
	size := e.Size()
	data := make([]byte, n*size)
	bits := e == dtype.Pred || e.Bits() == 1
	for i := range n {
		for tries := 0; ; tries++ {
			element := data[i*size : (i+1)*size]
			fill(element, e, r)
			if bits || tries > 20 || !dull(data[:(i+1)*size], size) {
				break
			}
		}
	}
	if bits && n > 0 { // with two values, the end is what matters
		data[n-1] = 1
		if n > 1 {
			data[n-2] = 0
		}
	}
	return data
}

// fill makes up one element.
func fill(element []byte, e dtype.Type, r *rand.Rand) {
	component := len(element)
	if e.IsComplex() {
		component /= 2
	}
	for i := range element {
		x := byte(r.Uint32())
		switch {
		case e == dtype.Pred:
			x &= 1
		case e.IsSubByte():
			x &= byte(1)<<e.Bits() - 1
		case (e.IsFloat() || e.IsComplex()) && i%component == component-1:
			if x &= 0xbf; x == 0x80 && component == 1 {
				x = 1 // the only NaN of the types without negative zero
			}
		}
		element[i] = x
	}
}

// fractions are the numbers of bits that the types of floats have for the fraction.
var fractions = map[dtype.Type]int{
	dtype.F16: 10, dtype.BF16: 7, dtype.F32: 23, dtype.F64: 52, dtype.C64: 23, dtype.C128: 52,
}

// specials returns the bytes of numbers of a type, or of their parts, that arithmetic does not keep
// as they are: signalling NaNs, which become quiet ones, other NaNs with a sign and a payload, zero
// below zero, infinities and numbers too small for a leading one. They are nil for types that are
// not floats, and for those without any such number.
func specials(e dtype.Type) [][]byte {
	fraction, wide := fractions[e]
	switch {
	case wide:
		size := e.Size()
		if e.IsComplex() {
			size /= 2
		}
		sign := uint64(1) << (8*size - 1)
		infinity := sign - 1<<fraction
		quiet := uint64(1) << (fraction - 1)
		payload := uint64(0x5a3c9617b2d48) >> (52 - fraction) &^ quiet
		var list [][]byte
		for _, bits := range []uint64{
			infinity | payload | 1, sign, sign | infinity | quiet | payload | 1, infinity | 1, payload | 1, sign | infinity | 2,
			sign | infinity, infinity | quiet,
		} {
			list = append(list, binary.LittleEndian.AppendUint64(nil, bits)[:size])
		}
		return list
	case e.IsFloat() && e.Size() == 1 && !e.IsSubByte(): // each of these is a NaN of some of the types
		return [][]byte{{0x7d}, {0x80}, {0xff}, {0x79}, {0x7f}, {0x01}, {0xfe}, {0x71}, {0xf9}, {0x7e}}
	}
	return nil
}

// dull reports whether the last element of data is zero or equals the one in front of it, or
// whether two of its bytes that lie side by side are equal.
func dull(data []byte, size int) bool {
	last := data[len(data)-size:]
	for i := 1; i < size; i++ {
		if last[i] == last[i-1] {
			return true
		}
	}
	if size == 1 && last[0] == 0 {
		return true
	}
	return len(data) > size && slices.Equal(last, data[len(data)-2*size:len(data)-size])
}

// Several are numbers of things that come in a list, such as the results of a program: small
// ones, of which the last is the second or the third, and those around powers of two, at which
// lists grow.
var Several = []int{1, 2, 3, 4, 5, 8, 9, 16, 17, 33, 65}

// Various returns n arrays, each with values of its own: of every rank, with and without elements,
// and of types of every width. Lists of other lengths begin and end with others.
func Various(n int) []HostArray {
	shapes := slices.Concat(Shapes, Degenerate)
	list := make([]HostArray, n)
	for i := range list {
		list[i] = HostArrayOf(Width(n+i), uint64(2000+i), shapes[(n+i)%len(shapes)]...)
	}
	return list
}

// HostArray is an array in the memory of the host, dense and row-major.
type HostArray struct {
	Type dtype.Type
	Dims []int64
	Data []byte
}

// HostArrayOf returns an array with the values that Values makes up.
func HostArrayOf(e dtype.Type, salt uint64, dims ...int64) HostArray {
	return HostArray{e, dims, Values(e, Elements(dims...), salt)}
}

// Equals reports whether data has the array's elements, whatever the bits above the width of a
// narrow type are.
func (a HostArray) Equals(data []byte) bool {
	return bytes.Equal(Masked(a.Type, a.Data), Masked(a.Type, data))
}

// Masked returns elements without the bits that do not count, those above the width of a narrow
// type. The result is data itself if all of them count.
func Masked(e dtype.Type, data []byte) []byte {
	if !e.IsSubByte() {
		return data
	}
	data = slices.Clone(data)
	for i := range data {
		data[i] &= 1<<e.Bits() - 1
	}
	return data
}

// String returns the type and the dimensions.
func (a HostArray) String() string { return fmt.Sprintf("%v%v", a.Type, a.Dims) }

// Returning returns a program that takes arrays of some types and dimensions, and returns them: the
// smallest one that has arguments and results.
func Returning(list []HostArray) string {
	parameters, names, types := make([]string, len(list)), make([]string, len(list)), make([]string, len(list))
	for i, a := range list {
		names[i], types[i] = fmt.Sprintf("%%a%d", i), Tensor(a.Type, a.Dims)
		parameters[i] = names[i] + ": " + types[i]
	}
	results := strings.Join(types, ", ")
	return fmt.Sprintf("module @returning {\n  func.func @main(%s) -> (%s) {\n    return %s : %s\n  }\n}",
		strings.Join(parameters, ", "), results, strings.Join(names, ", "), results)
}

// Each returns the elements of a list until the check has failed: the report is about one thing
// that is wrong, and not about all sizes for which it is.
func Each[E any](t *T, list []E) iter.Seq2[int, E] {
	return func(yield func(int, E) bool) {
		for i, e := range list {
			if t.Failed() || !yield(i, e) {
				return
			}
		}
	}
}

// Sized returns arrays of one dimension until the check has failed: of each of Counts, one for each
// width. Each has values of its own.
func (t *T) Sized() iter.Seq[HostArray] {
	return func(yield func(HostArray) bool) {
		salt := uint64(0)
		for i, n := range Counts {
			for _, e := range Widths(i) {
				if salt++; t.Failed() || !yield(HostArrayOf(e, salt, int64(n))) {
					return
				}
			}
		}
	}
}

// Shaped returns arrays of every rank until the check has failed: of each of Shapes, one for each
// width, and one of each of Degenerate. Each has values of its own.
func (t *T) Shaped() iter.Seq[HostArray] {
	return func(yield func(HostArray) bool) {
		salt := uint64(1000)
		for i, dims := range Shapes {
			for _, e := range Widths(i) {
				if salt++; t.Failed() || !yield(HostArrayOf(e, salt, dims...)) {
					return
				}
			}
		}
		for i, dims := range Degenerate {
			if salt++; t.Failed() || !yield(HostArrayOf(Width(i), salt, dims...)) {
				return
			}
		}
	}
}

// Lengths are lengths of texts: those around which strings, buffers and size fields change their
// ways.
var Lengths = []int{1, 2, 7, 8, 15, 16, 17, 22, 23, 24, 31, 32, 33, 63, 64, 65, 127, 128, 129, 255, 256, 257, 511, 512, 513, 1023, 1024,
	1025, 4095, 4096, 4097}

// Followed returns a copy of b with more bytes behind it in memory. None of them is zero, which
// would end b for a plugin that does not look at its size.
func Followed(b []byte) []byte {
	return slices.Concat(b, bytes.Repeat([]byte{Filler}, 64))[:len(b)]
}

// Names are lengths of names: those of Lengths that a name may well have.
var Names = Lengths[:slices.Index(Lengths, 257)+1]

// Words returns a text of n bytes, which another salt makes another text from the first to the last
// byte: if it is cut off, read from another place or taken from another object, that shows.
func Words(n int, salt int) string {
	const letters = "abcdefghijklmnopqrstuvwxyz"
	var b strings.Builder
	b.Grow(n)
	for i := range n {
		b.WriteByte(letters[(i+i/len(letters)+7*salt)%len(letters)])
	}
	return b.String()
}
