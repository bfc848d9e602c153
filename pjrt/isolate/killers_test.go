// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package isolate_test

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/pjrt/internal/mlir/mlirtest"
	"github.com/purepjrt/purepjrt/pjrt/isolate"
)

var updateKillers = flag.Bool("update-killers", false, "write KILLERS.md anew")

const killersFile = "KILLERS.md"

// openKiller is a program that package pjrt does not refuse, and on which XLA's CPU compiler ends
// the process.
type openKiller struct{ name, code, fault string }

// function returns a program of one statement, which makes %0.
func function(arguments, statement, result string) string {
	return fmt.Sprintf("func.func @main(%s) -> %s {\n  %s\n  return %%0 : %s\n}\n", arguments, result, statement, result)
}

// unary returns a program of one operation.
func unary(operation, argument, result string) string {
	return function("%a: "+argument, fmt.Sprintf("%%0 = stablehlo.%s : (%s) -> %s", operation, argument, result), result)
}

// divided returns a program for one device whose parameter is divided as Shardy writes it for HLO.
func divided(meshes, sharding string) string {
	attributes := `mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32`
	if meshes != "" {
		attributes += `, mhlo.frontend_attributes = {xla.sdy.meshes = "` + meshes + `"}`
	}
	argument := `%a: tensor<4xf32> {mhlo.frontend_attributes = {xla.sdy.sharding = "` + sharding + `"}}`
	return "module attributes {" + attributes + "} {\n" + function(argument, "%0 = stablehlo.negate %a : tensor<4xf32>", "tensor<4xf32>") + "}\n"
}

func aliasing(list string) string {
	return "module attributes {mhlo.input_output_alias = " + list + "} {\n" + unary("negate %a", "tensor<f32>", "tensor<f32>") + "}\n"
}

var openKillers = []openKiller{
	{"xla.sdy.sharding of a mesh that there is not", divided("", onMesh), "a fatal check of the name in place of an error"},
	{"xla.sdy.sharding of an axis that there is not", divided(mesh, `#sdy.sharding<@mesh, [{\22y\22}]>`), "a fatal check of the name in place of an error"},
	{"xla.sdy.meshes that are no dictionary", divided("x", onMesh), "reads through null, in place of an error"},
	{"mhlo.input_output_alias of an empty entry", aliasing("[{}]"), "reads through null, in place of an error"},
	{"mhlo.input_output_alias of a number", aliasing("[1]"), "reads through null, in place of an error"},
	{"mhlo.input_output_alias without an output", aliasing("[{alias = {parameter_number = 9 : i64}}]"), "reads through null, in place of an error"},
}

const (
	mesh   = `{mesh = #sdy.mesh<[\22x\22=1]>}`
	onMesh = `#sdy.sharding<@mesh, [{}]>`
)

// killerVariable names the environment variable with the program that a child process compiles
// itself.
const killerVariable = "PJRT_TEST_ISOLATE_KILLER"

// TestTheListOfKillers compiles each known killer as programs do, in a separate process, and then
// in a child of package isolate. KILLERS.md has the outcome.
func TestTheListOfKillers(t *testing.T) {
	if code := os.Getenv(killerVariable); code != "" {
		_, err := newClient(t, nil).Compile(context.Background(), text(code), nil)
		fmt.Println("returned:", err)
		return
	}
	if testing.Short() {
		t.Skip("it starts a process for each program")
	}
	t.Setenv("PJRT_TEST_CPU", "0.81") // whose compiler the list is about
	client, _ := isolated(t, isolate.Options{Timeout: time.Minute})
	signals := make([]string, len(openKillers))
	var wg sync.WaitGroup
	turns := make(chan struct{}, 4)
	for i, k := range openKillers {
		wg.Go(func() {
			turns <- struct{}{}
			defer func() { <-turns }()
			cmd := exec.Command(os.Args[0], "-test.run=^TestTheListOfKillers$")
			cmd.Env = append(os.Environ(), killerVariable+"="+k.code)
			out, err := cmd.Output()
			assert.Error(t, err, k.name)
			assert.NotContains(t, string(out), "returned:", "%s no longer ends the process", k.name)
			_, err = client.Compile(context.Background(), text(k.code), nil)
			var crash *isolate.Crash
			if assert.ErrorAs(t, err, &crash, k.name) {
				signals[i] = crash.Signal
			}
		})
	}
	wg.Wait()
	works(t, client)

	refused := mlirtest.Killers()
	var b strings.Builder
	fmt.Fprintf(&b, `# Programs that end the compiler's process

XLA's CPU plugin of API 0.81 ends the process on the programs below, of which %d are known. Package pjrt refuses %d of
them, in text however it is written, before the compiler sees them. It does not know the other %d; package isolate makes an
error of each. TestTheListOfKillers compiles all and writes this file.

| program | signal | the fault of the plugin |
|---|---|---|
`, len(refused)+len(openKillers), len(refused), len(openKillers))
	for i, k := range openKillers {
		fmt.Fprintf(&b, "| %s | %s | %s |\n", k.name, signals[i], k.fault)
	}
	var said []string              // in the order in which the programs have them
	names := map[string][]string{} // of the programs, by error
	for _, k := range refused {
		_, err := client.Compile(context.Background(), text(k.Code), nil)
		require.ErrorContains(t, err, k.Want, k.Name)
		if names[k.Want] == nil {
			said = append(said, k.Want)
		}
		names[k.Want] = append(names[k.Want], k.Name)
	}
	b.WriteString("\nThese are refused:\n\n| the error of package pjrt | programs |\n|---|---|\n")
	for _, e := range said {
		fmt.Fprintf(&b, "| ... %s | %s |\n", e, strings.Join(names[e], "; "))
	}
	if *updateKillers {
		require.NoError(t, os.WriteFile(killersFile, []byte(b.String()), 0o644))
	}
	want, err := os.ReadFile(killersFile)
	require.NoError(t, err)
	assert.Equal(t, string(want), b.String(), "run the test with -update-killers if this is right")
}
