// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package programs

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/conformance/internal/check"
	"github.com/purepjrt/purepjrt/conformance/internal/checktest"
	"github.com/purepjrt/purepjrt/conformance/rules"
	"github.com/purepjrt/purepjrt/pjrt/plugins/plugintest"
)

// A hostile check runs in a process of its own: this one again, told by
// variables which check and which plugin.
const (
	checkVariable  = "PROGRAMS_TEST_CHECK"
	pluginVariable = "PROGRAMS_TEST_PLUGIN"
	answerMark     = "the answer: "
)

func TestMain(m *testing.M) {
	name := os.Getenv(checkVariable)
	if name == "" {
		os.Exit(m.Run())
	}
	table, err := capi.Open(os.Getenv(pluginVariable))
	if err != nil {
		panic(err)
	}
	c := checkByName(name)
	env := &check.Env{Table: table, Path: os.Getenv(pluginVariable), Options: fourDevices}
	b, err := json.Marshal(check.Run(context.Background(), c, env))
	if err != nil {
		panic(err)
	}
	fmt.Printf("\n%s%s\n", answerMark, b)
	os.Exit(0)
}

var fourDevices = []capi.Attribute{{Name: "cpu_device_count", Value: int64(4)}}

func checkByName(name string) *check.Check {
	for i := range Checks {
		if Checks[i].Name() == name {
			return &Checks[i]
		}
	}
	panic("no check " + name)
}

// alone runs a check in a process of its own. One that ends the process is a
// crash.
func alone(t *testing.T, c *check.Check, plugin string) check.Result {
	t.Helper()
	exe, err := os.Executable()
	require.NoError(t, err)
	cmd := exec.CommandContext(t.Context(), exe)
	cmd.Env = append(os.Environ(), checkVariable+"="+c.Name(), pluginVariable+"="+plugin)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err = cmd.Run()
	if _, answer, ok := strings.Cut(out.String(), "\n"+answerMark); ok {
		line, _, _ := strings.Cut(answer, "\n")
		var r check.Result
		require.NoError(t, json.Unmarshal([]byte(line), &r))
		return r
	}
	text := out.String()
	return check.Result{Check: c.Name(), Rule: c.Rule, Verdict: check.Crash,
		Failures: []string{fmt.Sprint(err), text[:min(len(text), 600)]}}
}

// knownFailures are what the CPU plugin 0.81 does wrong.
var knownFailures = map[string]struct {
	verdict check.Verdict
	reason  string
}{
	"CMP-08/flipped-bytecode":      {check.Crash, "SIGSEGV in the reader of MLIR bytecode"},
	"CMP-09/recursion":             {check.Crash, "the inliner runs out of stack (SIGSEGV)"},
	"CMP-11/bitcast-of-i1":         {check.Crash, "SIGSEGV in the compiler: bitcast_convert between 64xi1 and i64"},
	"CMP-11/concatenate-i2":        {check.Crash, "Check failed: bit_offset != nullptr, in the code generator: concatenate of i2"},
	"CMP-11/complex-remainder":     {check.Crash, "SIGSEGV in the compiler: remainder of complex numbers"},
	"CMP-11/bitcast-of-i1-to-f64":  {check.Crash, "SIGSEGV in the compiler: bitcast_convert of 64xi1 to f64"},
	"CMP-11/bitcast-to-i1":         {check.Crash, "SIGSEGV in the compiler: bitcast_convert of i64 to 64xi1"},
	"CMP-11/concatenate-ui2":       {check.Crash, "Check failed: bit_offset != nullptr, in the code generator: concatenate of ui2"},
	"CMP-11/complex-remainder-f64": {check.Crash, "SIGSEGV in the compiler: remainder of complex numbers"},
	"CMP-11/f6-concatenate":        {check.Crash, "Check failed: buffer != nullptr, for a type that the compiler does not know"},
	"CMP-11/f6-broadcast_in_dim":   {check.Crash, "Check failed: buffer != nullptr, for a type that the compiler does not know"},
	"CMP-11/f6-reshape":            {check.Crash, "Check failed: buffer != nullptr, for a type that the compiler does not know"},
	"CMP-13":                       {check.Crash, "Check failed: replica_count > 0, for options without counts"},
	"COPT-03":                      {check.Fail, "a device assignment with one device twice is accepted"},
	"COPT-04":                      {check.Fail, "a device assignment of another shape than the counts is accepted"},
	"COPT-06":                      {check.Fail, "the layout of the result is ignored; an upload to a column-major layout does not permute, so argument layouts give transposed values"},
	"EXE-02":                       {check.Crash, "the executable points into the loaded one that was destroyed"},
	"LEX-02":                       {check.Fail, "PJRT_LoadedExecutable_Delete does nothing"},
	"LEX-03":                       {check.Fail, "PJRT_LoadedExecutable_Delete does nothing"},
	"SER-05":                       {check.Fail, "an executable that was loaded and serialized again does not run: NOT_FOUND: Function multiply_tanh_fusion not found"},
	"SER-07":                       {check.Crash, "an executable with a wrong bit ends the process"},
	"RUN-02/add-of-i1":             {check.Fail, "true plus true is false when both are constants"},
	"RUN-11":                       {check.Warn, "s32 is taken for f32"},
	"RUN-12":                       {check.Warn, "2 x 2 elements are taken for 4"},
	"RUN-16":                       {check.Crash, "SIGSEGV on a null buffer"},
	"DON-04":                       {check.Fail, "non_donatable_input_indices win over an alias that must be"},
	"MULTI-09":                     {check.Fail, "the launch is refused, and device 0 waits for ever for device 1: what runs there next hangs"},
	"MULTI-11":                     {check.Fail, "the call for the first device waits for the second"},
	"MULTI-12":                     {check.Fail, "device 0 waits for ever when the argument of device 1 is an error"},
}

func TestChecksOnTheCPUPlugin(t *testing.T) {
	path := plugintest.Path(t, "cpu")
	table, err := capi.Open(path)
	require.NoError(t, err)
	env := &check.Env{Table: table, Path: path, Options: fourDevices}
	t.Cleanup(func() { assert.NoError(t, env.Close()) })
	sample := checktest.NewSample(Checks)
	for i := range Checks {
		c := &Checks[i]
		if c.Profile > check.Quick && os.Getenv("PROGRAMS_TEST_PROFILE") == "" || !sample.Takes(c) {
			continue
		}
		t.Run(c.Name(), func(t *testing.T) {
			var r check.Result
			if c.Hostile {
				t.Parallel()
				r = alone(t, c, path)
			} else {
				r = check.Run(t.Context(), c, env)
			}
			for _, n := range r.Notes {
				t.Log("note: ", n)
			}
			t.Logf("%s %v %s", r.Verdict, r.Duration, r.Skip)
			if known, ok := knownFailures[c.Name()]; ok {
				assert.Equal(t, known.verdict, r.Verdict, "%s: %q", known.reason, r.Failures)
				return
			}
			if why := races[c.Name()]; why != "" && hangs(&r) {
				t.Logf("known to happen at times: %s", why)
				return
			}
			assert.True(t, r.Verdict == check.Pass || r.Verdict.Skipped(), "%s: %q", r.Verdict, r.Failures)
		})
	}
}

// races are checks on which the CPU plugin hangs at times.
var races = map[string]string{
	"DON-07":      "executions that use a buffer while another one donates it may wait for each other for ever",
	"DON-07/many": "as DON-07",
}

// hangs says whether a check did not end, or a call of it.
func hangs(r *check.Result) bool {
	return r.Verdict == check.Timeout || slices.ContainsFunc(r.Failures, func(s string) bool { return strings.Contains(s, "did not return before") })
}

func TestEveryRuleHasACheckOrAReason(t *testing.T) {
	t.Parallel()
	names := map[string]bool{}
	covered := map[string]bool{}
	for i := range Checks {
		c := &Checks[i]
		require.NoError(t, c.Validate())
		assert.False(t, names[c.Name()], "two checks are called %s", c.Name())
		names[c.Name()] = true
		covered[c.Rule] = true
	}
	groups := map[string]bool{}
	for _, g := range []string{"CMP", "COPT", "EXE", "LEX", "SER", "RUN", "XOPT", "CDS", "CTX", "DON", "MULTI"} {
		groups[g] = true
	}
	for _, r := range rules.All() {
		if !groups[r.Group()] {
			continue
		}
		reason, listed := Unobservable[r.ID]
		assert.True(t, covered[r.ID] != listed, "rule %s: %s (has a check: %v, listed: %v)", r.ID, r.Text, covered[r.ID], listed)
		assert.True(t, !listed || reason != "", "%s", r.ID)
	}
	for id := range Unobservable {
		assert.NotNil(t, rules.ByID(id), "%s", id)
	}
}
