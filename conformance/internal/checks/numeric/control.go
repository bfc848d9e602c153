// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package numeric

import (
	"fmt"
	"math"
	"strings"

	"github.com/purepjrt/purepjrt/pjrt/dtype"
)

// controls passes put programs of control flow and structure, by name.
func controls(put func(name string, p program)) {
	f := dtype.F32
	i := dtype.S32
	one := func(n int64) array { return ints(i, nil, n) }

	for _, b := range []int64{0, 1} {
		put(fmt.Sprintf("if/%d", b), program{
			inputs: []array{ints(dtype.Pred, nil, b), one(20), one(3)},
			body: `%r0 = "stablehlo.if"(%a0) ({
    %x = stablehlo.add %a1, %a2 : tensor<i32>
    stablehlo.return %x : tensor<i32>
  }, {
    %x = stablehlo.subtract %a1, %a2 : tensor<i32>
    stablehlo.return %x : tensor<i32>
  }) : (tensor<i1>) -> tensor<i32>`,
			want: []array{one(17 + 6*b)},
		})
	}
	// An index outside of the branches takes the last one.
	for _, c := range []struct{ index, want int64 }{{0, 10}, {1, 11}, {2, 12}, {-1, 12}, {3, 12}, {-2147483648, 12}} {
		var branches []string
		for b := range 3 {
			branches = append(branches, fmt.Sprintf("{\n    %%c = stablehlo.constant dense<%d> : tensor<i32>\n    stablehlo.return %%c : tensor<i32>\n  }", 10+b))
		}
		put(fmt.Sprintf("case/%d", c.index), program{
			inputs: []array{one(c.index)},
			body:   `%r0 = "stablehlo.case"(%a0) (` + strings.Join(branches, ", ") + `) : (tensor<i32>) -> tensor<i32>`,
			want:   []array{one(c.want)},
		})
	}
	for _, trips := range []int64{0, 1, 7, 10000} {
		put(fmt.Sprintf("while/%d", trips), program{
			inputs: []array{one(trips), one(0)},
			body: `%s = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %w:2 = "stablehlo.while"(%a1, %s) ({
  ^bb0(%n: tensor<i32>, %acc: tensor<i32>):
    %go = stablehlo.compare LT, %n, %a0, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %go : tensor<i1>
  }, {
  ^bb0(%n: tensor<i32>, %acc: tensor<i32>):
    %next = stablehlo.add %n, %one : tensor<i32>
    %sum = stablehlo.add %acc, %next : tensor<i32>
    stablehlo.return %next, %sum : tensor<i32>, tensor<i32>
  }) : (tensor<i32>, tensor<i32>) -> (tensor<i32>, tensor<i32>)
  %r0 = stablehlo.add %w#0, %s : tensor<i32>
  %r1 = stablehlo.add %w#1, %s : tensor<i32>`,
			want: []array{one(trips), one(trips * (trips + 1) / 2)},
		})
	}
	put("while/nested", program{
		inputs: []array{one(5)},
		body: `%zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %w:2 = "stablehlo.while"(%zero, %zero) ({
  ^bb0(%n: tensor<i32>, %acc: tensor<i32>):
    %go = stablehlo.compare LT, %n, %a0, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %go : tensor<i1>
  }, {
  ^bb0(%n: tensor<i32>, %acc: tensor<i32>):
    %inner:2 = "stablehlo.while"(%zero, %acc) ({
    ^bb0(%m: tensor<i32>, %in: tensor<i32>):
      %more = stablehlo.compare LT, %m, %n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %more : tensor<i1>
    }, {
    ^bb0(%m: tensor<i32>, %in: tensor<i32>):
      %up = stablehlo.add %m, %one : tensor<i32>
      %sum = stablehlo.add %in, %m : tensor<i32>
      stablehlo.return %up, %sum : tensor<i32>, tensor<i32>
    }) : (tensor<i32>, tensor<i32>) -> (tensor<i32>, tensor<i32>)
    %next = stablehlo.add %n, %one : tensor<i32>
    stablehlo.return %next, %inner#1 : tensor<i32>, tensor<i32>
  }) : (tensor<i32>, tensor<i32>) -> (tensor<i32>, tensor<i32>)
  %r0 = stablehlo.add %w#1, %zero : tensor<i32>`,
		// The sum of m below n, for n below 5.
		want: []array{one(0 + 0 + 1 + 3 + 6)},
	})
	put("map", op("map", "dimensions = array<i64: 0>", `{
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %z = stablehlo.multiply %x, %y : tensor<f32>
    stablehlo.return %z : tensor<f32>
  }`, []array{ints(f, []int64{3}, 4, 10, 18)}, ints(f, []int64{3}, 1, 2, 3), ints(f, []int64{3}, 4, 5, 6)))
	put("call", program{
		inputs:    []array{one(4)},
		functions: calls(50),
		body:      "%r0 = func.call @f0(%a0) : (tensor<i32>) -> tensor<i32>",
		want:      []array{one(54)},
	})
	put("composite", program{
		inputs: []array{one(4)},
		functions: `func.func private @twice(%x: tensor<i32>) -> tensor<i32> {
  %y = stablehlo.add %x, %x : tensor<i32>
  return %y : tensor<i32>
}
`,
		body: `%r0 = stablehlo.composite "suite.twice" %a0 {decomposition = @twice} : (tensor<i32>) -> tensor<i32>`,
		want: []array{one(8)},
	})
	put("tuple", program{
		inputs: []array{one(4), ints(f, []int64{2}, 1, 2)},
		body: `%t = stablehlo.tuple %a0, %a1 : tuple<tensor<i32>, tensor<2xf32>>
  %x = stablehlo.get_tuple_element %t[1] : (tuple<tensor<i32>, tensor<2xf32>>) -> tensor<2xf32>
  %y = stablehlo.get_tuple_element %t[0] : (tuple<tensor<i32>, tensor<2xf32>>) -> tensor<i32>
  %r0 = stablehlo.add %x, %x : tensor<2xf32>
  %r1 = stablehlo.add %y, %y : tensor<i32>`,
		want: []array{ints(f, []int64{2}, 2, 4), one(8)},
	})
	put("same result twice", program{
		inputs: []array{one(4), one(5)},
		body:   "%r0 = stablehlo.add %a0, %a0 : tensor<i32>\n  %r1 = stablehlo.optimization_barrier %r0 : tensor<i32>\n  %r2 = stablehlo.add %a0, %a0 : tensor<i32>",
		want:   []array{one(8), one(8), one(8)},
	})
	put("get_dimension_size", program{
		inputs: []array{ints(f, []int64{2, 3}, 1, 2, 3, 4, 5, 6)},
		body:   "%r0 = stablehlo.get_dimension_size %a0, dim = 1 : (tensor<2x3xf32>) -> tensor<i32>",
		want:   []array{one(3)},
	})
	put("call/100", program{
		inputs:    []array{one(4)},
		functions: calls(100),
		body:      "%r0 = func.call @f0(%a0) : (tensor<i32>) -> tensor<i32>",
		want:      []array{one(104)},
	})
	put("while/64 values", carried(64))
	put("if/NaN", program{
		inputs: []array{scalar(f, value{f: math.NaN()}), scalar(f, value{f: 1}), scalar(f, value{f: 2})},
		body: `%p = stablehlo.compare EQ, %a0, %a1, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %r0 = "stablehlo.if"(%p) ({
    stablehlo.return %a1 : tensor<f32>
  }, {
    stablehlo.return %a2 : tensor<f32>
  }) : (tensor<i1>) -> tensor<f32>`,
		want: []array{scalar(f, value{f: 2})},
	})
	put("token", program{
		inputs: []array{one(4)},
		body: `%t0 = stablehlo.create_token : !stablehlo.token
  %t1 = stablehlo.after_all %t0, %t0 : !stablehlo.token
  %r0 = stablehlo.add %a0, %a0 : tensor<i32>`,
		want: []array{one(8)},
	})
}

// carried returns a loop that rotates n numbers by one place on each trip.
func carried(n int) program {
	const trips = 5
	p := program{inputs: []array{ints(dtype.S32, nil, trips)}}
	var names, types, args, next []string
	for i := range n {
		p.inputs = append(p.inputs, ints(dtype.S32, nil, int64(i*i)))
		names, types = append(names, fmt.Sprintf("%%a%d", i+1)), append(types, "tensor<i32>")
		args, next = append(args, fmt.Sprintf("%%x%d: tensor<i32>", i)), append(next, fmt.Sprintf("%%x%d", (i+1)%n))
		from := (i + trips) % n
		p.want = append(p.want, ints(dtype.S32, nil, int64(from*from)))
	}
	all := strings.Join(types, ", ")
	p.body = fmt.Sprintf(`%%one = stablehlo.constant dense<1> : tensor<i32>
  %%zero = stablehlo.constant dense<0> : tensor<i32>
  %%w:%[1]d = "stablehlo.while"(%%zero, %[2]s) ({
  ^bb0(%%n: tensor<i32>, %[3]s):
    %%go = stablehlo.compare LT, %%n, %%a0, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %%go : tensor<i1>
  }, {
  ^bb0(%%n: tensor<i32>, %[3]s):
    %%m = stablehlo.add %%n, %%one : tensor<i32>
    stablehlo.return %%m, %[4]s : tensor<i32>, %[5]s
  }) : (tensor<i32>, %[5]s) -> (tensor<i32>, %[5]s)
  `, n+1, strings.Join(names, ", "), strings.Join(args, ", "), strings.Join(next, ", "), all)
	for i := range n {
		p.body += fmt.Sprintf("%%r%d = stablehlo.optimization_barrier %%w#%d : tensor<i32>\n  ", i, i+1)
	}
	p.twists = []twist{{"swaps two values that it carries", "stablehlo.return %m, %x1, %x2,", "stablehlo.return %m, %x2, %x1,"}}
	return p
}

// calls returns a chain of functions, each adding one to what the next returns.
func calls(depth int) string {
	var b strings.Builder
	for d := range depth {
		next := "%x"
		fmt.Fprintf(&b, "func.func private @f%d(%%x: tensor<i32>) -> tensor<i32> {\n  %%one = stablehlo.constant dense<1> : tensor<i32>\n", d)
		if d+1 < depth {
			fmt.Fprintf(&b, "  %%y = func.call @f%d(%%x) : (tensor<i32>) -> tensor<i32>\n", d+1)
			next = "%y"
		}
		fmt.Fprintf(&b, "  %%z = stablehlo.add %s, %%one : tensor<i32>\n  return %%z : tensor<i32>\n}\n", next)
	}
	return b.String()
}
