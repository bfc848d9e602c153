// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package check_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/conformance/internal/check"
	"github.com/purepjrt/purepjrt/conformance/report"
	"github.com/purepjrt/purepjrt/pjrt/plugins/plugintest"
)

// cpu returns an environment on the CPU plugin.
func cpu(t *testing.T) *check.Env {
	t.Helper()
	api, err := capi.Open(plugintest.Path(t, "cpu"))
	require.NoError(t, err)
	env := &check.Env{Table: api}
	t.Cleanup(func() { require.NoError(t, env.Close()) })
	return env
}

func run(t *testing.T, env *check.Env, c check.Check) check.Result {
	t.Helper()
	require.NoError(t, c.Validate())
	return check.Run(t.Context(), &c, env)
}

func TestAProgramRunsThroughTheRawCalls(t *testing.T) {
	t.Parallel()
	r := run(t, cpu(t), check.Check{Rule: "RUN-01", Run: func(t *check.T) {
		c := t.Client()
		exe := t.Compile(c, check.AddOne)
		check.Equal(t, 1, t.NumOutputs(exe), "number of outputs")
		out := t.Run(exe, 1, check.Upload(t, c, []float32{1, 2, 3, 4}))
		check.ExpectBuffer(t, out[0], []float32{2, 3, 4, 5}, "a plus one")
		p := t.NewPending(c, 2)
		ready := t.Ready(p.Buffer)
		check.Equal(t, false, t.IsReady(ready), "ready before the data came")
		p.Fulfil()
		if err := t.Await(ready); err != nil {
			t.Errorf("ready event: %v", err)
		}
		check.ExpectBuffer(t, p.Buffer, []float32{1, 2}, "pending buffer")
		own := t.NewClient()
		check.Upload(t, own, []int8{1, 2, 3, 4}, 2, 2)
	}})
	assert.Equal(t, check.Pass, r.Verdict, "%v", r)
	assert.Empty(t, r.Notes)
}

// A program that does not compile is compiled again by the next check, which then fails
// as it does alone.
func TestASharedProgramIsCompiledOnce(t *testing.T) {
	t.Parallel()
	env := cpu(t)
	runs := check.Check{Rule: "RUN-01", Run: func(t *check.T) {
		out := t.Run(t.Shared(check.AddOne), 1, check.Upload(t, t.Client(), []float32{1, 2, 3, 4}))
		check.ExpectBuffer(t, out[0], []float32{2, 3, 4, 5}, "a plus one")
	}}
	fails := check.Check{Rule: "RUN-01", Run: func(t *check.T) { t.Shared("no program") }}
	for _, c := range []struct {
		check    check.Check
		verdict  check.Verdict
		compiles int
	}{
		{runs, check.Pass, 1}, {runs, check.Pass, 0}, {fails, check.Fail, 1}, {fails, check.Fail, 1}, {runs, check.Pass, 0},
	} {
		r := run(t, env, c.check)
		assert.Equal(t, c.verdict, r.Verdict, "%v", r)
		assert.Equal(t, c.compiles, r.Compiles)
		assert.Empty(t, r.Notes)
	}
}

func TestVerdicts(t *testing.T) {
	t.Parallel()
	env := cpu(t)
	cleaned := new(atomic.Int32)
	for _, test := range []struct {
		name  string
		check check.Check
		want  check.Verdict
		says  string
	}{
		{"nothing wrong", check.Check{Rule: "LOAD-01", Run: func(*check.T) {}}, check.Pass, ""},
		{"a failure", check.Check{Rule: "LOAD-01", Run: func(t *check.T) {
			check.Equal(t, 1, 2, "number of %s", "things")
		}}, check.Fail, "number of things: expected 1, got 2"},
		{"a fatal failure runs cleanups", check.Check{Rule: "LOAD-01", Run: func(t *check.T) {
			t.Cleanup(func() { cleaned.Add(1) })
			t.Cleanup(func() { t.Fatalf("in the cleanup") })
			t.Fatalf("early")
		}}, check.Fail, "in the cleanup"},
		{"a failed SHOULD", check.Check{Rule: "LOAD-07", Run: func(t *check.T) { t.Errorf("x") }}, check.Warn, "x"},
		{"a panic of the suite", check.Check{Rule: "LOAD-01", Run: func(*check.T) { panic("oops") }}, check.BrokenCheck, "oops"},
		{"too few devices", check.Check{Rule: "MULTI-01", Devices: 1000, Run: func(*check.T) { panic("ran") }}, check.SkipEnv, ""},
		{"a function that the plugin lacks", check.Check{Rule: "LOAD-01", Run: func(t *check.T) {
			t.Require(check.FunctionOf[capi.GPURegisterCustomCallArgs]())
		}}, check.SkipAbsent, ""},
		{"a failure counts more than a skip", check.Check{Rule: "LOAD-01", Run: func(t *check.T) {
			t.Errorf("x")
			t.SkipEnvf("y")
		}}, check.Fail, "x"},
		{"a hang", check.Check{Rule: "LOAD-01", Timeout: 50 * time.Millisecond, Library: true, Run: func(*check.T) {
			select {}
		}}, check.Timeout, "did not end"},
		{"an error code", check.Check{Rule: "LOAD-01", Run: func(t *check.T) {
			_, err := check.Try(t, t.CompileArgs(t.Client(), "nonsense", nil))
			t.ErrorCode(err, "compile", capi.ErrorCodeDataLoss)
			t.ErrorCode(nil, "compile")
		}}, check.Fail, "expected an error, got success"},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := run(t, env, test.check)
			assert.Equal(t, test.want, r.Verdict, "%v", r)
			if test.says != "" {
				require.NotEmpty(t, r.Failures)
				assert.Contains(t, r.Failures[len(r.Failures)-1], test.says)
			}
			assert.Equal(t, test.want.Skipped(), r.Skip != "")
		})
	}
	assert.Equal(t, int32(1), cleaned.Load())
}

func TestCallsOfASlowPluginEarnTime(t *testing.T) {
	t.Parallel()
	const limit = 200 * time.Millisecond
	c := check.Check{Rule: "LOAD-01", Timeout: limit, Library: true, Run: func(t *check.T) {
		<-t.Context().Done()
		t.Errorf("the time was up")
	}}
	// On a busy machine it may not end in time even when its context does.
	assert.Contains(t, []check.Verdict{check.Fail, check.Timeout}, check.Run(t.Context(), &c, &check.Env{}).Verdict)
	earned := func() time.Duration { return time.Hour }
	c.Run = func(t *check.T) {
		select {
		case <-t.Context().Done():
			t.Errorf("the time was up")
		case <-time.After(3 * limit):
		}
	}
	assert.Equal(t, check.Pass, check.Run(t.Context(), &c, &check.Env{Earned: earned}).Verdict)
}

func TestTheWorstOutcomeOfASizeIsReported(t *testing.T) {
	t.Parallel()
	c := check.Check{Rule: "SKEW-01", Library: true, Run: func(t *check.T) {
		for _, x := range []report.Skew{{Struct: "A", Size: 1, OK: true}, {Struct: "A", Size: 1, Outcome: "bad"},
			{Struct: "A", Size: 1, OK: true}, {Struct: "A", Size: 2, OK: true}} {
			t.Skew(x)
		}
	}}
	r := check.Run(t.Context(), &c, &check.Env{})
	assert.Equal(t, check.Pass, r.Verdict)
	assert.Equal(t, []report.Skew{{Struct: "A", Size: 1, Outcome: "bad", Check: "SKEW-01"}, {Struct: "A", Size: 2, OK: true, Check: "SKEW-01"}}, r.Skew)
}

func TestNoDeviceSkipsWhatNeedsAClient(t *testing.T) {
	t.Parallel()
	env := &check.Env{NoDevice: "there is no device"}
	c := check.Check{Rule: "BUF-01", Run: func(*check.T) { panic("ran") }}
	r := check.Run(context.Background(), &c, env)
	assert.Equal(t, check.SkipEnv, r.Verdict)
	assert.Equal(t, "there is no device", r.Skip)
}

func TestValidateRefusesAnUnknownRule(t *testing.T) {
	t.Parallel()
	for _, c := range []check.Check{{Rule: "LOAD-99", Run: func(*check.T) {}}, {Rule: "LOAD-01"},
		{Rule: "LOAD-01", Library: true, Devices: 2, Run: func(*check.T) {}}} {
		assert.Error(t, c.Validate())
	}
	c := check.Check{Rule: "H2D-02", Variant: "type=f32"}
	assert.Equal(t, "H2D-02/type=f32", c.Name())
	p, err := check.ParseProfile("core")
	require.NoError(t, err)
	assert.Equal(t, check.Core, p)
	_, err = check.ParseProfile("big")
	assert.Error(t, err)
}

// older returns an environment on the CPU plugin in which it states an older API.
func older(t *testing.T, minor int32) *check.Env {
	t.Helper()
	env := cpu(t)
	api := *env.Table.API()
	api.PJRTAPIVersion.MinorVersion = minor
	table, err := capi.NewTable(&api)
	require.NoError(t, err)
	return &check.Env{Table: table}
}

func TestAFieldThatIsNewerThanThePluginIsNotItsFault(t *testing.T) {
	t.Parallel()
	// Set by this check, and not known before 0.71.
	options := []byte{1}
	set := func(t *check.T) error {
		var args capi.ExecutableDeserializeAndLoadArgs
		args.OverriddenSerializedCompileOptions, args.OverriddenSerializedCompileOptionsSize = capi.BytesData(options)
		_, err := check.Try(t, args)
		return err
	}
	for name, test := range map[string]struct {
		run  func(*check.T)
		want check.Verdict
	}{
		"expected to succeed":          {func(t *check.T) { t.Errorf("expected success, got %v", set(t)) }, check.SkipAbsent},
		"and wrapped":                  {func(t *check.T) { t.Fatalf("%v", fmt.Errorf("loading: %w", set(t))) }, check.SkipAbsent},
		"expected to fail":             {func(t *check.T) { t.ErrorCode(set(t), "loading") }, check.SkipAbsent},
		"beside a fault":               {func(t *check.T) { t.Errorf("%v", set(t)); t.Errorf("a fault") }, check.Fail},
		"in a check that does without": {func(t *check.T) { _ = set(t) }, check.Pass},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := run(t, older(t, 70), check.Check{Rule: "LOAD-01", Library: true, Run: test.run})
			assert.Equal(t, test.want, r.Verdict, "%v", r)
			if test.want == check.SkipAbsent {
				assert.Contains(t, r.Skip, "the field overridden_serialized_compile_options is set, which came with API 0.71")
			}
		})
	}
}

func TestFindingsShowHandlesAsAddresses(t *testing.T) {
	t.Parallel()
	r := run(t, cpu(t), check.Check{Rule: "CLI-22", Run: func(t *check.T) {
		check.Equal(t, t.Client().Devices[0], nil, "a device")
	}})
	require.Len(t, r.Failures, 1)
	assert.Regexp(t, "^a device: expected 0x[0-9a-f]+, got null$", r.Failures[0])
}
