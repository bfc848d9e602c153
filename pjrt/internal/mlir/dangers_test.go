// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package mlir_test

import (
	"encoding/json"
	"flag"
	"math/rand/v2"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/pjrt/internal/mlir"
	"github.com/purepjrt/purepjrt/pjrt/internal/mlir/mlirtest"
)

var updateForms = flag.String("update-forms", "", "write mlirtest/forms.zip anew with this `python`, which has JAX")

func TestTheFormsAreThoseOfTheDangers(t *testing.T) {
	programs := make(map[string]string)
	for _, d := range mlirtest.Dangers() {
		programs[d.Name] = d.Code
	}
	if *updateForms != "" {
		input, err := json.Marshal(programs)
		require.NoError(t, err)
		c := exec.Command(*updateForms, "mlirtest/forms.py")
		c.Stdin = strings.NewReader(string(input))
		out, err := c.CombinedOutput()
		require.NoError(t, err, "%s", out)
		return // this test has the old ones
	}
	for name, code := range programs {
		_, text, err := mlirtest.Forms(name)
		require.NoError(t, err)
		assert.Equal(t, code, text, "%s has no other forms yet: make bin/jobs/ready, then "+
			"go test ./pjrt/internal/mlir -run TheForms -update-forms $PWD/bin/jobs/bin/python", name)
	}
}

func TestDangersAreRefusedForThePluginsThatDie(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 1))
	for _, d := range mlirtest.Dangers() {
		forms := map[string]string{"as it is": d.Code, "rewritten in all ways": mlirtest.All(random, d.Code)}
		for _, r := range mlirtest.Rewrites {
			forms[r.Name] = r.Rewrite(random, d.Code)
		}
		others, _, err := mlirtest.Forms(d.Name)
		require.NoError(t, err)
		for form, code := range others {
			if strings.HasSuffix(form, ".mlirbc") {
				forms[form] = string(code)
			}
		}
		for form, code := range forms {
			for _, minor := range []int{81, 106, 115} {
				err := check([]byte(code), mlir.Limits{CPU: minor, Permutes: true})
				if slices.Contains(d.Refused(), minor) {
					assert.ErrorContains(t, err, d.Want, "%s, %s, API 0.%d (checks of operations see those that checked of package dataflow names):\n%q",
						d.Name, form, minor, code)
				} else {
					assert.NoError(t, err, "%s, %s, API 0.%d:\n%q", d.Name, form, minor, code)
				}
			}
			err := check([]byte(code), mlir.Limits{})
			if d.DiesEverywhere() {
				assert.ErrorContains(t, err, d.Want, "%s, %s, on another plugin:\n%q", d.Name, form, code)
			} else {
				assert.NoError(t, err, "%s, %s, on another plugin", d.Name, form)
			}
		}
	}
}

// What is no module is left to the plugin, in reasonable time.
func TestDamagedProgramsAreReadToTheirEnd(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(2, 3))
	pieces := strings.Fields("%0 = ( ) { } < > [ ] , : -> \" # ! @f ^bb0 tensor< 4x ?x f32> stablehlo.sort \"stablehlo.reduce_window\"( dense< loc( applies cond do reducer tuple<")
	for _, d := range mlirtest.Dangers() {
		for range 60 {
			code := []byte(d.Code)
			for range 1 + random.IntN(4) {
				at := random.IntN(len(code))
				piece := []byte(pieces[random.IntN(len(pieces))])
				code = slices.Concat(code[:at], piece, code[min(len(code), at+random.IntN(20)):])
			}
			_ = check(code, mlir.Limits{CPU: 81})
			_ = check(code, mlir.Limits{CPU: 115})
		}
	}
	var aliases strings.Builder
	aliases.WriteString("#a0 = [1, 2]\n")
	for i := range 40 {
		n := string(rune('0'+i/10)) + string(rune('0'+i%10))
		aliases.WriteString("#b" + n + " = [" + strings.Repeat("#a0, #b00, ", 20) + "#b" + n + "]\n")
	}
	_ = check([]byte(aliases.String()+"module attributes {sort = #b39} {}"), mlir.Limits{CPU: 81})
}
