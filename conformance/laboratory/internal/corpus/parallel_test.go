// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package corpus

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/capi/serve"
	"github.com/purepjrt/purepjrt/conformance/internal/check"
)

// sideBySide returns a test that runs a program, (tensor<i64>) -> tensor<i64>, as a grid on
// the operands 1, 2 and so on.
func sideBySide(body, grid string, n int, check string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "module @m {\nfunc.func @f(%%x: tensor<i64>) -> tensor<i64> {\n%s\n}\nfunc.func @main() {\n", body)
	var operands, types []string
	for i := range n {
		fmt.Fprintf(&b, "%%c%d = stablehlo.constant dense<%d> : tensor<i64>\n", i, i+1)
		operands, types = append(operands, fmt.Sprintf("%%c%d", i)), append(types, "tensor<i64>")
	}
	list := strings.Join(types, ", ")
	fmt.Fprintf(&b, "%%r:%d = \"interpreter.run_parallel\"(%s) {programs = %s} : (%s) -> (%s)\n%s\nfunc.return\n}\n}\n", n, strings.Join(operands, ", "), grid, list, list, check)
	return b.String()
}

func expectScalar(name string, want int) string {
	return fmt.Sprintf("check.expect_eq_const %s, dense<%d> : tensor<i64>\n", name, want)
}

const sumOfAll = `%0 = "stablehlo.all_reduce"(%x) ({
^bb0(%a: tensor<i64>, %b: tensor<i64>):
  %s = stablehlo.add %a, %b : tensor<i64>
  stablehlo.return %s : tensor<i64>
}) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<i64>) -> tensor<i64>
return %0 : tensor<i64>`

func TestTheGridIsByReplicaAndThenPartition(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		grid                 string
		replicas, partitions int
	}{
		{"[[@f], [@f]]", 2, 1}, {"[[@f, @f]]", 1, 2}, {`[["f", "f"], ["f", "f"]]`, 2, 2}, {"[[@f]]", 1, 1},
	} {
		n := test.replicas * test.partitions
		p, err := Convert(sideBySide("return %x : tensor<i64>", test.grid, n, expectScalar("%r#0", 1)), true)
		require.NoError(t, err, test.grid)
		assert.Equal(t, []int{test.replicas, test.partitions}, []int{p.Replicas, p.Partitions})
		assert.Len(t, p.Args, n)
		require.Len(t, p.Results, n)
		for i, r := range p.Results {
			assert.Equal(t, i > 0, r.Free)
		}
		assert.Equal(t, test.partitions > 1, strings.Contains(string(p.Code), "SPMDFullToShardShape"))
		assert.NotContains(t, string(p.Code), "interpreter.")
	}
}

// The result of a device is compared with the one expected of that device.
func TestResultsOfDevicesAreToldApart(t *testing.T) {
	t.Parallel()
	env := &check.Env{Table: cpu(t)}
	run := func(env *check.Env, text string) check.Result {
		c := Case{Load: func() (*Program, error) { return Convert(text, true) }}
		return check.Run(t.Context(), &check.Check{Rule: "RUN-02", Run: func(t *check.T) { c.run(t) }}, env)
	}
	doubled := "%0 = stablehlo.add %x, %x : tensor<i64>\nreturn %0 : tensor<i64>"
	for _, grid := range []string{"[[@f], [@f], [@f], [@f]]", "[[@f, @f, @f, @f]]", "[[@f, @f], [@f, @f]]"} {
		good := expectScalar("%r#0", 2) + expectScalar("%r#1", 4) + expectScalar("%r#2", 6) + expectScalar("%r#3", 8)
		r := run(env, sideBySide(doubled, grid, 4, good))
		assert.Equal(t, check.Pass, r.Verdict, "%s: %s %q", grid, r.Skip, r.Failures)
		swapped := strings.NewReplacer("dense<4>", "dense<6>", "dense<6>", "dense<4>").Replace(good)
		r = run(env, sideBySide(doubled, grid, 4, swapped))
		assert.Equal(t, check.Fail, r.Verdict, grid)
		require.Len(t, r.Failures, 2, grid)
		assert.Contains(t, r.Failures[0], "the first is at []: expected 6, got 4")
	}
	r := run(env, sideBySide(doubled, "[[@f, @f], [@f, @f]]", 4, expectScalar("%r#2", 7)))
	assert.Equal(t, []string{"result 0 of replica 1, partition 0: 1 of 1 elements differ; the first is at []: expected 7, got 6"}, r.Failures)
	assert.NoError(t, env.Close())
}

// A plugin whose collectives do nothing, or that runs a program on other devices than it
// was told to, is found.
func TestFaultsOfSeveralDevicesAreFound(t *testing.T) {
	t.Parallel()
	text := sideBySide(sumOfAll, "[[@f], [@f]]", 2, expectScalar("%r#0", 3)+expectScalar("%r#1", 3))
	c := Case{Load: func() (*Program, error) { return Convert(text, true) }}
	run := func(env *check.Env) check.Result {
		return check.Run(t.Context(), &check.Check{Rule: "RUN-02", Run: func(t *check.T) { c.run(t) }}, env)
	}
	r := run(plain(t))
	assert.Equal(t, check.Pass, r.Verdict, "%s %q", r.Skip, r.Failures)
	r = run(swapped(t, "stablehlo.add %a, %b", "stablehlo.maximum %a, %b"))
	assert.Equal(t, check.Fail, r.Verdict)
	assert.Equal(t, []string{
		"result 0 of replica 0, partition 0: 1 of 1 elements differ; the first is at []: expected 3, got 2",
		"result 0 of replica 1, partition 0: 1 of 1 elements differ; the first is at []: expected 3, got 2",
	}, r.Failures)

	twice := make([]*capi.Device, 2) // must live as long as the plugin
	table, err := serve.Wrap(cpu(t), serve.Around(func(c *serve.Invocation, a *capi.LoadedExecutableAddressableDevicesArgs) {
		c.Forward()
		devices := capi.Slice(a.AddressableDevices, a.NumAddressableDevices)
		twice[0], twice[1] = devices[0], devices[0]
		a.AddressableDevices = &twice[0]
	}))
	require.NoError(t, err)
	env := &check.Env{Table: table.Capi()}
	r = run(env)
	assert.Equal(t, check.Fail, r.Verdict)
	assert.Equal(t, []string{"expected the executable to run on the first 2 devices of the client, as its device assignment says, got those at [0 0]"}, r.Failures)
	assert.NoError(t, env.Close())
	assert.NoError(t, table.Close())
}

func TestProgramsSideBySideThatAreNotOneExecutable(t *testing.T) {
	t.Parallel()
	good := expectScalar("%r#0", 1)
	same := "return %x : tensor<i64>"
	for says, text := range map[string]string{
		"its devices run different programs":      sideBySide(same, "[[@f], [@g]]", 2, good),
		"different numbers of partitions":         sideBySide(same, "[[@f, @f], [@f]]", 3, good),
		"are not for 2 devices":                   sideBySide(same, "[[@f], [@f]]", 3, good),
		"cannot read the programs":                sideBySide(same, "[]", 1, good),
		"is not the name of a program":            sideBySide(same, "[[f g]]", 1, good),
		"%r#0 is checked twice":                   sideBySide(same, "[[@f], [@f]]", 2, good+good),
		"there is no result %r#7":                 sideBySide(same, "[[@f], [@f]]", 2, expectScalar("%r#7", 1)),
		"computed from the results of several":    sideBySide(same, "[[@f], [@f]]", 2, "%s = stablehlo.add %r#0, %r#1 : tensor<i64>\n"+expectScalar("%s", 3)),
		"of its programs is computed":             strings.Replace(sideBySide(same, "[[@f], [@f]]", 2, good), "%c1 = stablehlo.constant dense<2>", "%c1 = stablehlo.add %c0, %c0", 1),
		"read an infeed":                          strings.Replace(sideBySide(same, "[[@f], [@f]]", 2, good), "{programs", "{infeed = [@f], programs", 1),
		"more than once":                          strings.Replace(sideBySide(same, "[[@f], [@f]]", 2, good), "%r:2", "%q:2 = \"interpreter.run_parallel\"(%c0, %c1) {programs = [[@f], [@f]]} : (tensor<i64>, tensor<i64>) -> (tensor<i64>, tensor<i64>)\n%r:2", 1),
		"!stablehlo.token, which is not an array": strings.Replace(sideBySide(same, "[[@f], [@f]]", 2, good), "-> (tensor<i64>, tensor<i64>)\ncheck", "-> (!stablehlo.token, !stablehlo.token)\ncheck", 1),
		"return values of different types":        strings.Replace(sideBySide(same, "[[@f], [@f]]", 2, good), "-> (tensor<i64>, tensor<i64>)\ncheck", "-> (tensor<i64>, tensor<i32>)\ncheck", 1),
		"the expected value of %r#0 is computed":  sideBySide(same, "[[@f], [@f]]", 2, "%s = stablehlo.add %c0, %c0 : tensor<i64>\ncheck.expect_eq %r#0, %s : tensor<i64>\n"),
		"side by side in another function":        "func.func @g() {\n%0 = \"interpreter.run_parallel\"() {programs = [[@f]]} : () -> tensor<i64>\nreturn\n}\nfunc.func @main() {\n%0 = stablehlo.constant dense<1> : tensor<i64>\n" + expectScalar("%0", 1) + "return\n}\n",
	} {
		_, err := Convert(text, true)
		var u *Unusable
		require.True(t, errors.As(err, &u), "%v for %s", err, text)
		assert.Contains(t, u.Reason, says)
	}
}
