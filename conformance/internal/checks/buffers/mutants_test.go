// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package buffers

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/conformance/internal/check"
	"github.com/purepjrt/purepjrt/conformance/internal/checktest"
	"github.com/purepjrt/purepjrt/conformance/internal/mutant"
	"github.com/purepjrt/purepjrt/pjrt/plugins/plugintest"
)

// A check that passes on a plugin with the fault that it is for finds nothing.
// Each runs in a process of its own: who finds a fault may not live to tell.
func TestTheChecksFindTheFaultsOfMutants(t *testing.T) {
	t.Parallel()
	checks := make(map[string]*check.Check)
	for i := range Checks {
		checks[Checks[i].Name()] = &Checks[i]
	}
	path := plugintest.Path(t, "cpu")
	mutants := Mutants()
	result := func(i int) check.Result { return child(path, checks[mutants[i].Check], strconv.Itoa(i)) }
	waiting := checktest.Waiting(t, mutants, result)
	sample := checktest.NewSample(Checks)
	for i, m := range mutants {
		c := checks[m.Check]
		require.NotNil(t, c, "a mutant for %s, which is no check", m.Check)
		if m.Base != mutant.CPU || c.Profile > check.Quick {
			continue // the suite's own test has them all
		}
		if !sample.TakesMutant(&m) {
			continue
		}
		t.Run(m.Name(), func(t *testing.T) {
			t.Parallel()
			var r check.Result
			if m.Waits {
				r = <-waiting[i]
			} else {
				r = result(i)
			}
			t.Log(r.Verdict, r.Duration, r.Skip, r.Failures)
			assert.True(t, r.Verdict.Failed(), "%v", r)
		})
	}
}

// Every check has a mutant.
func TestEveryCheckHasAMutant(t *testing.T) {
	t.Parallel()
	has := make(map[string]bool)
	for _, m := range Mutants() {
		has[m.Check] = true
	}
	for _, c := range Checks {
		assert.True(t, has[c.Name()], "%s", c.Name())
	}
}
