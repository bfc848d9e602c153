// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package buffers

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/conformance/internal/check"
	"github.com/purepjrt/purepjrt/conformance/internal/checktest"
	"github.com/purepjrt/purepjrt/conformance/rules"
)

const (
	childCheck  = "PUREPJRT_TEST_CHECK"
	childPlugin = "PUREPJRT_TEST_PLUGIN"
	childMutant = "PUREPJRT_TEST_MUTANT" // its number, empty for none
)

// TestMain runs one check of a mutant, and prints its result, in a process that a test
// started.
func TestMain(m *testing.M) {
	name := os.Getenv(childCheck)
	if name == "" {
		suite.Main(m)
	}
	for _, c := range Checks {
		if c.Name() == name {
			env, err := open(os.Getenv(childPlugin))
			if err != nil {
				fmt.Fprintln(os.Stderr, err)
				os.Exit(3)
			}
			if i, err := strconv.Atoi(os.Getenv(childMutant)); err == nil {
				patience = time.Second
				table, err := Mutants()[i].Table(env.Table)
				if err != nil {
					fmt.Fprintln(os.Stderr, err)
					os.Exit(3)
				}
				env.Table = table.Capi()
			}
			if err := json.NewEncoder(os.Stdout).Encode(check.Run(context.Background(), &c, env)); err != nil {
				os.Exit(3)
			}
			os.Exit(0)
		}
	}
	os.Exit(3)
}

var fourDevices = []capi.Attribute{{Name: "cpu_device_count", Value: int64(4)}}

// open is an environment on a plugin with four CPU devices.
func open(path string) (*check.Env, error) {
	table, err := capi.Open(path)
	return &check.Env{Table: table, Path: path, Options: fourDevices}, err
}

// child runs a check in a process of its own, on a mutant of a plugin, which is given by its
// number.
func child(path string, c *check.Check, mutant string) check.Result {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childCheck+"="+c.Name(), childPlugin+"="+path, childMutant+"="+mutant)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	r := check.Result{Check: c.Name(), Rule: c.Rule}
	if err == nil {
		if err := json.Unmarshal(out, &r); err != nil {
			r.Verdict, r.Failures = check.SuiteError, []string{err.Error()}
		}
		return r
	}
	r.Failures = []string{err.Error() + ": " + firstLine(stderr.String())}
	var exit *exec.ExitError
	if r.Verdict = check.Abort; errors.As(err, &exit) && exit.ExitCode() == 3 {
		r.Verdict = check.SuiteError
	} else if strings.Contains(r.Failures[0], "SIGSEGV") || strings.Contains(r.Failures[0], "segmentation fault") {
		r.Verdict = check.Crash
	}
	return r
}

func firstLine(s string) string {
	for line := range strings.Lines(s) {
		if strings.Contains(line, "Check failed") || strings.Contains(line, "SIG") {
			return strings.TrimSpace(line)
		}
	}
	return strings.TrimSpace(s[:min(len(s), 200)])
}

var suite = &checktest.Suite{
	Checks:  slices.DeleteFunc(slices.Clone(Checks), func(c check.Check) bool { return c.Profile > check.Core }),
	Plugins: []checktest.Plugin{{Name: "cpu", Options: fourDevices}},
}

func TestChecksOnTheCPUPlugin(t *testing.T) { suite.RunChecks(t) }

// Every rule of the groups has a check, or a reason why not.
func TestEveryRuleIsCheckedOrSaidToBeUnobservable(t *testing.T) {
	t.Parallel()
	checked := make(map[string]bool)
	names := make(map[string]bool)
	for _, c := range Checks {
		checked[c.Rule] = true
		assert.False(t, names[c.Name()], "two checks named %s", c.Name())
		names[c.Name()] = true
	}
	groups := strings.Fields("EVT H2D STR BUF D2H RAW COPY REF VIEW UNI AH2D DMA")
	for _, r := range rules.All() {
		for _, g := range groups {
			if strings.HasPrefix(r.ID, g+"-") {
				assert.True(t, checked[r.ID] != (Unobservable[r.ID] != ""), "%s: %s", r.ID, r.Text)
			}
		}
	}
}
