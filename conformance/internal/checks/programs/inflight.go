// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package programs

import (
	"fmt"
	"slices"
	"strings"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/conformance/internal/check"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
)

// inFlight launches two programs with collectives again and again, each on the results of
// the one before, without waiting for any: they arrive on every device in the same order,
// so they must all complete.
func inFlight(t *check.T) {
	c := t.Client()
	l := byReplica(2)[0]
	weighted := weightedSum(&l)
	pairs := cycles(2)[0]
	rows, order := grid(t, c, 2, 1)
	o := options{replicas: 2, assignment: rows}
	first, second := compileMany(t, c, weighted, o), compileMany(t, c, collectivePermute.text(&pairs, dtype.S32), o)
	devices := devicesOf(t, first)
	values := make([]int64, 2) // by position
	lists := make([][]*capi.Buffer, len(devices))
	for i, d := range devices {
		p := slices.Index(order, d)
		values[p] = int64(p + 1)
		lists[i] = []*capi.Buffer{constantMatrix(int64(p+1)).upload(t, c, d)}
	}
	var events []*capi.Event
	for range 10 {
		for _, exe := range []*capi.LoadedExecutable{second, first, second} {
			x := check.NewExecution(exe, 1, lists...)
			if err := x.Start(t); !t.NoError(err, "launching a program with a collective on the results of another") {
				return
			}
			lists = x.Outputs
			events = append(events, x.Events...)
			if exe == second {
				values[0], values[1] = values[1], values[0]
			} else {
				values[0] += 2 * values[1]
				values[1] = values[0] + 1
			}
		}
	}
	for i, e := range events {
		if !t.NoError(t.Await(e), fmt.Sprintf("event %d of %d of programs that are in flight together", i+1, len(events))) {
			return
		}
	}
	for i, d := range devices {
		p := slices.Index(order, d)
		constantMatrix(values[p]).expect(t, lists[i][0], fmt.Sprintf("replica %d after 30 programs in flight together", p))
	}
}

// constantMatrix returns a tensor<2x3xi32> of one number.
func constantMatrix(x int64) numbers {
	return numbers{of: dtype.S32, dims: []int64{2, 3}, v: slices.Repeat([]int64{x}, 6)}
}

// weightedSum adds up the replicas' arguments, each times the replica's id plus one, and
// adds the replica's own id to the sum. A sum that weighted all alike, or was the same
// everywhere, would hide an exchange before or after it.
func weightedSum(l *layout) string {
	array := check.Tensor(dtype.S32, []int64{2, 3})
	lines := allReduceOf(folds[0]).statement(l, dtype.S32, array, array)
	lines[0] = strings.NewReplacer("%0", "%s", "(%a)", "(%w)").Replace(lines[0])
	body := []string{
		"%i = stablehlo.replica_id : tensor<ui32>", "%j = stablehlo.convert %i : (tensor<ui32>) -> tensor<i32>",
		"%k = stablehlo.broadcast_in_dim %j, dims = [] : (tensor<i32>) -> " + array,
		"%o = stablehlo.constant dense<1> : " + array, "%n = stablehlo.add %k, %o : " + array, "%w = stablehlo.multiply %a, %n : " + array,
	}
	body = append(append(body, lines...), "%0 = stablehlo.add %s, %k : "+array, "return %0 : "+array)
	return program("weighted", "(%a: "+array+") -> "+array, body...)
}
