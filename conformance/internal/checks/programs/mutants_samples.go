// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package programs

import (
	"regexp"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/capi/serve"
	"github.com/purepjrt/purepjrt/conformance/internal/mutant"
)

// sampleFaults returns the faults of samples, custom calls and annotations of memory.
func sampleFaults() []mutant.Mutant {
	var list []mutant.Mutant
	for i := range samples {
		s := &samples[i]
		list = append(list, zeroes(s.rule+"/"+s.name))
	}
	reversed := func(check string) mutant.Mutant {
		return onOutputs(check, "gives the results in another order", slices.Reverse)
	}
	wholly := func(int64, int, int) bool { return true }
	kinds := func(check string) mutant.Mutant {
		return mutant.After(check, "has kinds without names",
			func(a *capi.ExecutableOutputMemoryKindsArgs) { clear(mutant.View(a.MemoryKindSizes, a.NumOutputs)) }).InMemory()
	}
	return append(list, reversed("CMP-15/inner-tuples"), reversed("DON-02/exchange"), reversed("DON-02/crossed"),
		reversed("RUN-18/all-arguments"),
		leavesReadable("RUN-18/all-arguments", "writes over arguments that are results", wholly),
		leavesReadable("DON-02/second-argument-of-three", "writes over arguments that were not donated",
			func(_ int64, _, i int) bool { return i != 1 }),
		zeroes("XFFI-05/operands"), reversed("XFFI-05/results"), swapsTargets("XFFI-05/order"), compilesAnything("XFFI-08/api-versions"),
		instead("XFFI-05/attributes", "i32 = -32 : i32", "i32 = -31 : i32"), instead("XFFI-05/attributes", "deep = 42", "deep = 43"),
		leavesReadable("XFFI-05/aliased", "lets a custom call write to an argument", wholly),
		zeroes("RUN-15/annotated-arguments"), zeroes("RUN-15/annotated-values").InMemory(), kinds("EXE-13/annotated-results"),
		kinds("EXE-13/annotated-arguments-and-results"))
}

// zeroes makes a fault: arguments count as zeros.
func zeroes(check string) mutant.Mutant {
	return withClient(check, "takes zeros for the arguments", func(client *atomic.Pointer[capi.Client]) serve.Hook {
		return serve.Around(func(c *serve.Invocation, a *execution) {
			arguments, _ := lists(a, 0)
			forwardZeros(c, client.Load(), arguments[0])
		})
	})
}

var targetText = regexp.MustCompile(`@suite_handler_\d+`)

// swapsTargets makes a fault: the first two targets of a program's custom calls are
// swapped.
func swapsTargets(check string) mutant.Mutant {
	return onCompile(check, "calls another function than the one named", func(c *compilation) {
		names := targetText.FindAllString(c.code(), 2)
		if len(names) < 2 {
			c.Forward()
			return
		}
		c.with(c.format(), strings.NewReplacer(names[0]+"(", names[1]+"(", names[1]+"(", names[0]+"(").Replace(c.code()))
	})
}
