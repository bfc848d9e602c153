// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package numeric

import (
	"fmt"
	"math"
	"math/bits"
	"slices"

	"github.com/purepjrt/purepjrt/conformance/internal/check"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
)

// threefry computes one block of Threefry-2x32 with 20 rounds, as published by Salmon and
// others (Parallel random numbers: as easy as 1, 2, 3, 2011).
func threefry(key, counter [2]uint32) [2]uint32 {
	ks := [3]uint32{key[0], key[1], key[0] ^ key[1] ^ 0x1BD11BDA}
	rotations := [2][4]int{{13, 15, 26, 6}, {17, 29, 16, 24}}
	x, y := counter[0]+ks[0], counter[1]+ks[1]
	for round := range 5 {
		for _, r := range rotations[round%2] {
			x += y
			y = bits.RotateLeft32(y, r) ^ x
		}
		x += ks[(round+1)%3]
		y += ks[(round+2)%3] + uint32(round+1)
	}
	return [2]uint32{x, y}
}

// philox computes one block of Philox-4x32 with 10 rounds, by the same authors.
func philox(key [2]uint32, counter [4]uint32) [4]uint32 {
	c := counter
	for range 10 {
		h0, l0 := bits.Mul32(0xD2511F53, c[0])
		h1, l1 := bits.Mul32(0xCD9E8D57, c[2])
		c = [4]uint32{h1 ^ c[1] ^ key[0], l1, h0 ^ c[3] ^ key[1], l0}
		key[0] += 0x9E3779B9
		key[1] += 0xBB67AE85
	}
	return c
}

// randomChecks returns checks of what can be said about random numbers: a generator is a
// function of its state, gives new numbers with the state that it returns, and its numbers
// look uniformly distributed.
func randomChecks() []check.Check {
	var cs []check.Check
	for _, algorithm := range []struct {
		name  string
		words int64
	}{{"THREE_FRY", 2}, {"PHILOX", 2}, {"PHILOX", 3}, {"DEFAULT", 2}} {
		for _, t := range integers.of() {
			if t.Bits() < 8 {
				continue
			}
			profile := check.Quick
			if t == dtype.S8 || t == dtype.U16 || t == dtype.S16 || t == dtype.S64 {
				profile = check.Core
			}
			cs = append(cs, check.Check{
				Profile: profile, Rule: "RUN-02", Variant: fmt.Sprintf("rng_bit_generator/%s%d/%v", algorithm.name, algorithm.words, t),
				Run: func(c *check.T) { generator(c, algorithm.name, algorithm.words, t) },
			})
		}
	}
	return append(cs,
		check.Check{Rule: "RUN-02", Variant: "rng/UNIFORM", Run: func(c *check.T) {
			// Between 2 and 6 the mean is 4 and the variance 16/12.
			drawn(c, "UNIFORM", 2, 6, 4, 16.0/12, true)
		}},
		check.Check{Rule: "RUN-02", Variant: "rng/NORMAL", Run: func(c *check.T) { drawn(c, "NORMAL", 3, 2, 3, 4, false) }},
	)
}

const draws = 4096

func generator(t *check.T, algorithm string, words int64, out dtype.Type) {
	state := check.Tensor(dtype.U64, []int64{words})
	bitsType := check.Tensor(out, []int64{draws})
	text := fmt.Sprintf(`module @rng {
func.func @main(%%s: %[1]s) -> (%[1]s, %[2]s, %[1]s, %[2]s) {
  %%a:2 = "stablehlo.rng_bit_generator"(%%s) {rng_algorithm = #stablehlo<rng_algorithm %[3]s>} : (%[1]s) -> (%[1]s, %[2]s)
  %%b:2 = "stablehlo.rng_bit_generator"(%%a#0) {rng_algorithm = #stablehlo<rng_algorithm %[3]s>} : (%[1]s) -> (%[1]s, %[2]s)
  return %%a#0, %%a#1, %%b#0, %%b#1 : %[1]s, %[2]s, %[1]s, %[2]s
}
}`, state, bitsType, algorithm)
	c := t.Client()
	exe := t.Compile(c, text)
	seed := make([]uint64, words)
	for i := range seed {
		seed[i] = uint64(i)*0x9E3779B97F4A7C15 + 42
	}
	run := func(seed []uint64) [4]string {
		outs := t.Run(exe, 4, check.Upload(t, c, seed))
		var data [4]string
		for i, b := range outs {
			data[i] = string(t.Download(b))
		}
		return data
	}
	first, again := run(seed), run(seed)
	other := slices.Clone(seed)
	other[0]++
	second := run(other)
	for i, name := range []string{"state", "numbers", "second state", "second numbers"} {
		if first[i] != again[i] {
			t.Errorf("%s: the same seed gave different values", name)
		}
	}
	if first[1] == second[1] {
		t.Errorf("two seeds gave the same numbers")
	}
	if first[1] == first[3] {
		t.Errorf("the state that was returned gives the same numbers again")
	}
	// Half of the bits are set: the mean of n fair bits is 1/2 with the standard deviation
	// 1/(2 sqrt n), and it is off by more than six of those once in 10^9.
	ones := 0
	for _, b := range []byte(first[1]) {
		ones += bits.OnesCount8(b)
	}
	n := float64(8 * len(first[1]))
	if share := float64(ones) / n; math.Abs(share-0.5) > 6/(2*math.Sqrt(n)) {
		t.Errorf("expected about half of %v bits to be set, got the share %v", n, share)
	}
	if out == dtype.U32 {
		noteVectors(t, algorithm, seed, first[1])
	}
}

// noteVectors notes whether the numbers are blocks of the published generators, with the
// state's first word as the key and the others as the counter. XLA does so; the
// specification leaves it open, so nothing else is an error.
func noteVectors(t *check.T, algorithm string, seed []uint64, got string) {
	var words []uint32
	for _, s := range seed {
		words = append(words, uint32(s), uint32(s>>32))
	}
	words = append(words, 0, 0)
	key := [2]uint32{words[0], words[1]}
	var block []uint32
	switch algorithm {
	case "THREE_FRY":
		b := threefry(key, [2]uint32{words[2], words[3]})
		block = b[:1] // the others belong to other counters
	case "PHILOX":
		b := philox(key, [4]uint32{words[2], words[3], words[4], words[5]})
		block = b[:]
	default:
		return
	}
	same := "equal"
	for i, want := range block {
		if w := got[4*i:]; uint32(w[0])|uint32(w[1])<<8|uint32(w[2])<<16|uint32(w[3])<<24 != want {
			same = "differ from"
		}
	}
	t.Notef("the first numbers %s those of the published %s", same, algorithm)
}

// drawn checks the moments of rng.
func drawn(t *check.T, distribution string, a, b, mean, variance float64, bounded bool) {
	text := fmt.Sprintf(`module @rng {
func.func @main(%%a: tensor<f32>, %%b: tensor<f32>) -> tensor<%[1]dxf32> {
  %%n = stablehlo.constant dense<[%[1]d]> : tensor<1xi64>
  %%r = "stablehlo.rng"(%%a, %%b, %%n) {rng_distribution = #stablehlo<rng_distribution %[2]s>} : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<%[1]dxf32>
  return %%r : tensor<%[1]dxf32>
}
}`, draws, distribution)
	c := t.Client()
	exe := t.Compile(c, text)
	scalar := func(x float64) []float32 { return []float32{float32(x)} }
	out := t.Run(exe, 1, check.Upload(t, c, scalar(a), []int64{}...), check.Upload(t, c, scalar(b), []int64{}...))
	got := check.DownloadAs[float32](t, out[0])
	var sum, squares float64
	distinct := map[float32]bool{}
	for _, x := range got {
		if bounded && (float64(x) < a || float64(x) >= b) {
			t.Fatalf("expected numbers from %v to below %v, got %v", a, b, x)
		}
		distinct[x] = true
		sum += float64(x)
		squares += (float64(x) - mean) * (float64(x) - mean)
	}
	n := float64(len(got))
	if m := sum / n; math.Abs(m-mean) > 6*math.Sqrt(variance/n) {
		t.Errorf("expected the mean %v of %v numbers, got %v", mean, n, m)
	}
	if v := squares / n; math.Abs(v-variance) > 0.2*variance {
		t.Errorf("expected the variance %v of %v numbers, got %v", variance, n, v)
	}
	if len(distinct) < draws/2 {
		t.Errorf("expected %d numbers to be mostly different, got %d different ones", draws, len(distinct))
	}
}
