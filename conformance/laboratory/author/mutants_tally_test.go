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

// knowsF32 uploads a number and asks for its type.
func knowsF32(t *check.T) {
	b := check.Upload(t, t.Client(), []float32{1})
	check.Equal(t, capi.BufferTypeF32, check.Call(t, capi.BufferElementTypeArgs{Buffer: b}).Type, "type")
}

func fakeChecks() []check.Check {
	return []check.Check{
		{Rule: "BUF-01", Run: knowsF32},
		{Rule: "BUF-02", Run: func(*check.T) {}},
		{Rule: "BUF-03", Run: func(t *check.T) { t.Errorf("always") }},
		{Rule: "BUF-04", Run: func(*check.T) {}},
		{Rule: "BUF-05", Run: func(t *check.T) {
			if t.Minor() <= 81 {
				t.SkipAbsentf("old")
			}
			knowsF32(t)
		}},
		{Rule: "BUF-06", Run: func(t *check.T) { t.SkipAbsentf("nobody has it") }},
		{Rule: "EVT-01", Hostile: true, Run: func(t *check.T) { check.Call(t, capi.EventDestroyArgs{}) }},
		{Rule: "EVT-02", Profile: check.Full, Run: func(*check.T) {}},
	}
}

func fakeMutants() []mutant.Mutant {
	otherType := func(c *serve.Invocation, a *capi.BufferElementTypeArgs) {
		c.Forward()
		a.Type = capi.BufferTypeF64
	}
	return []mutant.Mutant{
		mutant.Of("BUF-01", "says another type", otherType),
		mutant.Answers[capi.BufferDimensionsArgs]("BUF-02", "refuses dimensions", capi.ErrorCodeInternal),
		mutant.Answers[capi.BufferDimensionsArgs]("BUF-03", "refuses dimensions", capi.ErrorCodeInternal),
		mutant.Of("BUF-05", "says another type", otherType),
		mutant.Of("BUF-06", "says another type", otherType),
		mutant.Of("EVT-01", "ends the process", func(*serve.Invocation, *capi.EventDestroyArgs) { os.Exit(3) }),
		mutant.Answers[capi.BufferDimensionsArgs]("EVT-02", "is for another profile", capi.ErrorCodeInternal),
	}
}

func TestTrialsTellTeethFromNone(t *testing.T) {
	t.Parallel()
	cpu := trial.Plugins{CPU: plugintest.Path(t, trial.CPU)}
	newer := plugintest.Path(t, trial.NewerCPU)
	r := &tally{checks: fakeChecks(), mutants: fakeMutants(), plugins: cpu, newer: newer, profile: check.Quick, jobs: 2}
	require.NoError(t, r.run(t.Context()))
	var out bytes.Buffer
	assert.False(t, r.print(&out, true))
	assert.Regexp(t, `^killed    BUF-01: says another type
          FAIL: type: expected F32, got F64
ALIVE     BUF-02: refuses dimensions
          PASS: 
unpaired  BUF-03: refuses dimensions
          FAIL: always; without the fault FAIL: always
killed    BUF-05: says another type
          FAIL: type: expected F32, got F64
unproven  BUF-06: says another type
          SKIP-ABSENT: nobody has it; without the fault SKIP-ABSENT: nobody has it
killed    EVT-01: ends the process
          ABORT: expected an answer; the process was ended by exit\(3\)

1 checks have no mutant: BUF-04
4 of 7 checks are proven
4 of 6 mutants killed \(1 where no plugin without the fault is at hand\), 1 unproven, 1 alive, in .*
$`, out.String())

	r = &tally{checks: fakeChecks(), mutants: fakeMutants(), plugins: cpu, filter: regexp.MustCompile("BUF-01"), profile: check.Quick}
	require.NoError(t, r.run(t.Context()))
	out.Reset()
	assert.True(t, r.print(&out, false))
	assert.Regexp(t, `^1 of 1 mutants killed \(0 where no plugin without the fault is at hand\), 0 unproven, 0 alive`, out.String())

	// Without a newer plugin nothing is shown about what is new, which only large profiles allow.
	for profile, done := range map[check.Profile]bool{check.Quick: false, check.Full: true} {
		r = &tally{checks: fakeChecks(), mutants: fakeMutants(), plugins: cpu, filter: regexp.MustCompile("BUF-05"), profile: profile}
		require.NoError(t, r.run(t.Context()))
		out.Reset()
		assert.Equal(t, done, r.print(&out, false), profile)
		assert.Regexp(t, `0 of 1 mutants killed .*, 1 unproven, 0 alive`, out.String())
	}
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
