// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package numeric

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/conformance/internal/check"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
)

// bigs returns the checks of large programs: those of many operations, and those on arrays
// of many elements, whose results are known from algebra.
func bigs() []entry {
	return []entry{
		{rule: "RUN-02", variant: "big/operations=1000", profile: check.Core, forms: []form{parameters}, timeout: 4 * check.DefaultTimeout, programs: func() []program { return []program{longChain(1000)} }},
		{rule: "RUN-02", variant: "big/operations=10000", profile: check.Full, forms: []form{parameters}, timeout: 10 * time.Minute, programs: func() []program { return []program{longChain(10_000)} }},
		{rule: "RUN-02", variant: "big/arguments and results=500", profile: check.Core, forms: []form{parameters}, timeout: 4 * check.DefaultTimeout, programs: func() []program { return []program{rotation(500)} }},
		{rule: "RUN-02", variant: "big/long sums", profile: check.Core, forms: []form{parameters}, timeout: 4 * check.DefaultTimeout, programs: longSums},
	}
}

// longChain returns n operations, each of which depends on the one before.
func longChain(n int) program {
	var b strings.Builder
	typ := check.Tensor(dtype.S32, []int64{8})
	x := wholes(dtype.S32, 1, 8)
	acc := slices.Clone(x.v)
	b.WriteString("%v0 = stablehlo.add %a0, %a1 : " + typ + "\n  ")
	y := wholes(dtype.S32, 2, 8)
	for i := range acc {
		acc[i] = add(dtype.S32, acc[i], y.v[i])
	}
	for k := 1; k < n; k++ {
		name := []string{"multiply", "add", "subtract", "xor"}[k%4]
		for i := range binaries {
			if binaries[i].name == name {
				for j := range acc {
					acc[j] = binaries[i].eval(dtype.S32, acc[j], []value{x.v[j], y.v[j]}[k/4%2])
				}
			}
		}
		fmt.Fprintf(&b, "%%v%d = stablehlo.%s %%v%d, %%a%d : %s\n  ", k, name, k-1, k/4%2, typ)
	}
	fmt.Fprintf(&b, "%%r0 = stablehlo.optimization_barrier %%v%d : %s", n-1, typ)
	p := program{inputs: []array{x, y}, body: b.String(), want: []array{{dtype.S32, x.dims, acc}}}
	p.twists = []twist{{"leaves out an operation", fmt.Sprintf("%%v%d, %%a", n-3), fmt.Sprintf("%%v%d, %%a", n-4)}}
	return p
}

// rotation returns its n arguments, each moved by one place.
func rotation(n int) program {
	p := program{}
	for i := range n {
		a := ints(dtype.S32, []int64{2}, int64(i), int64(-i))
		p.inputs = append(p.inputs, a)
		next := (i + 1) % n
		p.want = append(p.want, ints(dtype.S32, []int64{2}, int64(2*next), int64(-2*next)))
		p.body += fmt.Sprintf("%%r%d = stablehlo.add %%a%d, %%a%d : %s\n  ", i, next, next, a.typ())
	}
	p.twists = []twist{{"has room for 255 arguments", "%a256, %a256", "%a0, %a0"}}
	return p
}

// longSums adds a million numbers in each float type: any order stays within the bound, but
// dropping elements does not.
func longSums() []program {
	const n = 1 << 20
	var ps []program
	for _, t := range []dtype.Type{dtype.F32, dtype.F64, dtype.S32, dtype.S64, dtype.U8} {
		// Ones and twos: in F32 every partial sum is exact.
		total := uint64(0)
		for i := range n {
			total += uint64(1 + i%2)
		}
		want := number(t, int64(total))
		if t.IsFloat() {
			want = value{f: float64(total)}
		}
		typ, scalarType := check.Tensor(t, []int64{n}), check.Tensor(t, nil)
		p := program{
			inputs: []array{scalar(t, number(t, 1))},
			body: fmt.Sprintf(`%%i = stablehlo.iota dim = 0 : tensor<%[1]dxi32>
  %%one = stablehlo.constant dense<1> : tensor<%[1]dxi32>
  %%odd = stablehlo.and %%i, %%one : tensor<%[1]dxi32>
  %%x = stablehlo.convert %%odd : (tensor<%[1]dxi32>) -> %[2]s
  %%b = stablehlo.broadcast_in_dim %%a0, dims = [] : (%[3]s) -> %[2]s
  %%y = stablehlo.add %%x, %%b : %[2]s
  %%zero = stablehlo.subtract %%a0, %%a0 : %[3]s
  %%r0 = stablehlo.reduce(%%y init: %%zero) applies stablehlo.add across dimensions = [0] : (%[2]s, %[3]s) -> %[3]s`, n, typ, scalarType),
			want: []array{scalar(t, want)},
		}
		p.twists = []twist{{"starts from one", "init: %zero", "init: %a0"}}
		ps = append(ps, p)
	}
	return ps
}

// hugeChecks are the checks that need gigabytes.
var hugeChecks = []check.Check{
	{Rule: "RUN-02", Variant: "big/sum of 1 GiB", Profile: check.Full, Timeout: 5 * time.Minute, Hostile: true, Run: func(t *check.T) {
		const n = 1 << 27
		hugeSum(t, n, dtype.S64)
	}},
	{Rule: "RUN-02", Variant: "big/beyond 2^32 bytes", Profile: check.Full, Timeout: 10 * time.Minute, Hostile: true, Run: longArray},
}

// exhausted skips the check if the error says that memory does not suffice, and fails it
// for any other error.
func exhausted(t *check.T, err error, what string) {
	if capi.CodeOf(err) == capi.ErrorCodeResourceExhausted {
		t.SkipEnvf("there is no room for %s: %v", what, err)
	}
	if err != nil {
		t.Fatalf("%s: expected success, got %v", what, err)
	}
}

// hugeSum adds the numbers below n. A barrier keeps a compiler from computing the sum
// itself.
func hugeSum(t *check.T, n int64, e dtype.Type) {
	room(t, 3*8*n)
	c := t.Client()
	text := fmt.Sprintf(`module @sum {
func.func @main() -> tensor<%[2]v> {
  %%i = stablehlo.iota dim = 0 : tensor<%[1]dx%[2]v>
  %%b = stablehlo.optimization_barrier %%i : tensor<%[1]dx%[2]v>
  %%zero = stablehlo.constant dense<0> : tensor<%[2]v>
  %%r = stablehlo.reduce(%%b init: %%zero) applies stablehlo.add across dimensions = [0] : (tensor<%[1]dx%[2]v>, tensor<%[2]v>) -> tensor<%[2]v>
  return %%r : tensor<%[2]v>
}
}
`, n, e)
	out, err := check.Try(t, t.CompileArgs(c, text, check.Devices(1, 1)))
	exhausted(t, err, fmt.Sprintf("a program with an array of %d elements", n))
	x := check.NewExecution(check.Own(t, out.Executable), 1, nil)
	err = x.Start(t)
	if err == nil {
		err = t.Await(x.Events[0])
	}
	exhausted(t, err, fmt.Sprintf("the sum of %d elements", n))
	if got, want := check.DownloadAs[int64](t, x.Outputs[0][0])[0], n*(n-1)/2; got != want {
		t.Errorf("the sum of the numbers below %d: expected %d, got %d", n, want, got)
	}
}

// room skips the check if the machine is known to have less free memory than needed: a
// system may kill a process that takes more.
func room(t *check.T, bytes int64) {
	data, err := os.ReadFile("/proc/meminfo")
	if err != nil {
		return // unknown; the plugin may report it itself
	}
	for line := range strings.Lines(string(data)) {
		var kib int64
		if n, _ := fmt.Sscanf(line, "MemAvailable: %d kB", &kib); n == 1 && kib<<10 < bytes {
			t.SkipEnvf("the check needs %d MiB of memory, but only %d MiB are free", bytes>>20, kib>>10)
		}
	}
}

// longArray makes an array of more than 2^32 elements of one byte, and reads it on
// both sides of 2^31 and 2^32.
func longArray(t *check.T) {
	const n = 1<<32 + 64
	room(t, 3*n)
	c := t.Client()
	text := fmt.Sprintf(`module @beyond {
func.func @main(%%at: tensor<i64>) -> tensor<8xui8> {
  %%i = stablehlo.iota dim = 0 : tensor<%[1]dxi64>
  %%seven = stablehlo.constant dense<251> : tensor<%[1]dxi64>
  %%m = stablehlo.remainder %%i, %%seven : tensor<%[1]dxi64>
  %%u = stablehlo.convert %%m : (tensor<%[1]dxi64>) -> tensor<%[1]dxui8>
  %%b = stablehlo.optimization_barrier %%u : tensor<%[1]dxui8>
  %%r = stablehlo.dynamic_slice %%b, %%at, sizes = [8] : (tensor<%[1]dxui8>, tensor<i64>) -> tensor<8xui8>
  return %%r : tensor<8xui8>
}
}
`, int64(n))
	out, err := check.Try(t, t.CompileArgs(c, text, check.Devices(1, 1)))
	exhausted(t, err, "a program with an array of more than 4 GiB")
	exe := check.Own(t, out.Executable)
	for _, at := range []int64{1<<31 - 4, 1<<32 - 4, n - 8} {
		x := check.NewExecution(exe, 1, []*capi.Buffer{check.Upload(t, c, []int64{at}, []int64{}...)})
		err := x.Start(t)
		if err == nil {
			err = t.Await(x.Events[0])
		}
		exhausted(t, err, "an array of more than 4 GiB")
		got := check.DownloadAs[uint8](t, x.Outputs[0][0])
		for i, g := range got {
			if want := uint8((at + int64(i)) % 251); g != want {
				t.Errorf("element %d of %d: expected %d, got %d", at+int64(i), int64(n), want, g)
				return
			}
		}
	}
}
