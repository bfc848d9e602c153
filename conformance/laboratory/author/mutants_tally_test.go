// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package main

import (
	"bytes"
	"os"
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/capi/serve"
	"github.com/purepjrt/purepjrt/conformance/internal/check"
	"github.com/purepjrt/purepjrt/conformance/internal/mutant"
	"github.com/purepjrt/purepjrt/conformance/internal/mutant/trial"
	"github.com/purepjrt/purepjrt/conformance/internal/worker"
	"github.com/purepjrt/purepjrt/pjrt/plugins/plugintest"
)

func TestMain(m *testing.M) {
	if _, ok := worker.Asked(); ok {
		trial.Serve(
			func(name string) (*check.Check, error) { return check.Find(fakeChecks(), name) },
			func(name string) (*mutant.Mutant, error) { return mutant.Find(fakeMutants(), name), nil },
		)
	}
	os.Exit(m.Run())
}

func fakeChecks() []check.Check {
	return []check.Check{
		{Rule: "BUF-01", Run: func(t *check.T) {
			b := check.Upload(t, t.Client(), []float32{1})
			check.Equal(t, capi.BufferTypeF32, check.Call(t, capi.BufferElementTypeArgs{Buffer: b}).Type, "type")
		}},
		{Rule: "BUF-02", Run: func(*check.T) {}},
		{Rule: "BUF-03", Run: func(t *check.T) { t.Errorf("always") }},
		{Rule: "BUF-04", Run: func(*check.T) {}},
		{Rule: "EVT-01", Hostile: true, Run: func(t *check.T) { check.Call(t, capi.EventDestroyArgs{}) }},
		{Rule: "EVT-02", Profile: check.Full, Run: func(*check.T) {}},
	}
}

func fakeMutants() []mutant.Mutant {
	return []mutant.Mutant{
		mutant.Of("BUF-01", "says another type", func(c *serve.Invocation, a *capi.BufferElementTypeArgs) {
			c.Forward()
			a.Type = capi.BufferTypeF64
		}),
		mutant.Answers[capi.BufferDimensionsArgs]("BUF-02", "refuses dimensions", capi.ErrorCodeInternal),
		mutant.Answers[capi.BufferDimensionsArgs]("BUF-03", "refuses dimensions", capi.ErrorCodeInternal),
		mutant.Of("EVT-01", "ends the process", func(*serve.Invocation, *capi.EventDestroyArgs) { os.Exit(3) }),
		mutant.Answers[capi.BufferDimensionsArgs]("EVT-02", "is for another profile", capi.ErrorCodeInternal),
	}
}

func TestTrialsTellTeethFromNone(t *testing.T) {
	t.Parallel()
	cpu := trial.Plugins{CPU: plugintest.Path(t, trial.CPU)}
	r := &tally{checks: fakeChecks(), mutants: fakeMutants(), plugins: cpu, profile: check.Quick, jobs: 2}
	require.NoError(t, r.run(t.Context()))
	var out bytes.Buffer
	assert.False(t, r.print(&out, true))
	assert.Regexp(t, `^killed    BUF-01: says another type
          FAIL: type: expected F32, got F64
ALIVE     BUF-02: refuses dimensions
          PASS: 
unpaired  BUF-03: refuses dimensions
          FAIL: always; without the fault FAIL: always
killed    EVT-01: ends the process
          ABORT: expected an answer; the process was ended by exit\(3\)

1 checks have no mutant: BUF-04
3 of 5 checks are proven
3 of 4 mutants killed \(1 where no plugin without the fault is at hand\), 1 alive, in .*
$`, out.String())

	r = &tally{checks: fakeChecks(), mutants: fakeMutants(), plugins: cpu, filter: regexp.MustCompile("BUF-01"), profile: check.Quick}
	require.NoError(t, r.run(t.Context()))
	out.Reset()
	assert.True(t, r.print(&out, false))
	assert.Regexp(t, `^1 of 1 mutants killed \(0 where no plugin without the fault is at hand\), 0 alive`, out.String())
}

func TestMutantsThatMakeNoSenseAreErrors(t *testing.T) {
	t.Parallel()
	m := fakeMutants()[0]
	for says, mutants := range map[string][]mutant.Mutant{
		"there is no such check": {{Check: "BUF-09", Fault: "x"}},
		"there are two mutants":  {m, m},
	} {
		r := &tally{checks: fakeChecks(), mutants: mutants, profile: check.Quick}
		assert.ErrorContains(t, r.run(t.Context()), says)
	}
}
