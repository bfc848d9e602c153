// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package conformance

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/capi/shim"
	"github.com/purepjrt/purepjrt/conformance/internal/driver"
	"github.com/purepjrt/purepjrt/conformance/internal/session"
	"github.com/purepjrt/purepjrt/conformance/internal/suite"
	"github.com/purepjrt/purepjrt/conformance/internal/worker"
	"github.com/purepjrt/purepjrt/conformance/report"
	"github.com/purepjrt/purepjrt/pjrt/plugins/plugintest"
)

// oddToken is the token of workers in which the CPU plugin has the oddity that the fault names.
const oddToken = "odd"

// TestOddWorker is a worker of TestTheSuiteNamesWhatIsOdd.
func TestOddWorker(*testing.T) {
	if token, ok := worker.Asked(); !ok || token != oddToken {
		return
	}
	session.Serve(session.Program{Check: new(Options).find, Open: func(setup session.Setup) (*capi.Table, error) {
		real, err := capi.Open(setup.Plugin)
		if err != nil {
			return nil, err
		}
		s, err := shim.New(shim.Config{Odd: oddities(setup.Fault)})
		if err != nil {
			return nil, err
		}
		table, err := s.Wrap(real)
		if err != nil {
			return nil, err
		}
		return table.Capi(), nil
	}})
}

// oddities returns the oddities that a fault names, with commas between them.
func oddities(fault string) (list []shim.Oddity) {
	for name := range strings.SplitSeq(fault, ",") {
		if name != "" {
			list = append(list, shim.Oddity(name))
		}
	}
	return list
}

// oddOptions are those to run a profile on the CPU plugin with oddities.
func oddOptions(t *testing.T, profile Profile, odd ...shim.Oddity) Options {
	t.Helper()
	o := Options{Plugin: plugintest.Path(t, "cpu"), NoKnownWaivers: true, NoReruns: true, Profile: profile, token: oddToken}
	for _, name := range odd {
		o.fault += "," + string(name)
	}
	o.WorkerArgs = []string{"-test.run=^TestOddWorker$", "-test.timeout=0", "-test.count=1"}
	return o
}

func oddRun(t *testing.T, o Options) (*Report, *driver.Config) {
	t.Helper()
	c, err := o.config()
	require.NoError(t, err)
	r, err := runConfig(t.Context(), c)
	require.NoError(t, err)
	return r, c
}

// oddRules has the rule that the profile smoke finds broken by each oddity, or "" if it passes.
// pjrt/docs/writing-a-plugin.md has it, too.
var oddRules = map[shim.Oddity]string{
	shim.ZeroSizes:           "LOAD-06",
	shim.NoCompleteEvents:    "RUN-03",
	shim.NoLookup:            "CLI-22",
	shim.NoFingerprints:      "",
	shim.SharedExecutables:   "",
	shim.ZeroSizeQuery:       "D2H-01",
	shim.FewerResults:        "EXE-07",
	shim.NoExecutableDevices: "LEX-08",
	shim.ShortTable:          "LOAD-04",
	shim.Stdout:              "",
	shim.OneClient:           "",
	shim.ArtifactsOnly:       "CMP-01",
	shim.NoOptimizedProgram:  "",
}

func TestTheSuiteNamesWhatIsOdd(t *testing.T) {
	if _, ok := worker.Asked(); ok {
		return
	}
	t.Parallel()
	var harmless []shim.Oddity
	for i, odd := range shim.Oddities() {
		want, known := oddRules[odd]
		require.True(t, known, odd)
		if want == "" {
			harmless = append(harmless, odd)
			continue
		}
		if testing.Short() && i != 0 {
			continue
		}
		o := oddOptions(t, Smoke, odd)
		o.Filter = regexp.MustCompile("^" + want + "(/|$)")
		assert.Contains(t, brokenRules(t, o), want, odd)
	}
	if !testing.Short() {
		assert.Empty(t, brokenRules(t, oddOptions(t, Smoke, harmless...)), harmless)
	}
}

// brokenRules returns the rules that a run finds broken.
func brokenRules(t *testing.T, o Options) (rules []string) {
	t.Helper()
	r, _ := oddRun(t, o)
	for i := range r.Results {
		if x := &r.Results[i]; x.Broken() {
			rules = append(rules, x.Rule)
		}
	}
	return rules
}

// noArtifacts are the rules about texts that are wrong, of which JAX makes no artifacts, and about
// a dialect that JAX lacks.
var noArtifacts = map[string]bool{"CMP-08": true, "CMP-09": true, "CMP-10": true, "CMP-11": true}

// A plugin that refuses text gets the same programs as artifacts, so what fails is what fails with
// text, which the waivers name, and the rule about text. So the suite has an artifact of each
// program: make artifacts writes them anew. A third of the checks run, to save time.
func TestAPluginThatTakesArtifactsAloneIsJudgedLikeOthers(t *testing.T) {
	t.Parallel()
	profile := Smoke
	if !testing.Short() {
		profile = Quick
	}
	o := oddOptions(t, profile, shim.ArtifactsOnly)
	o.NoKnownWaivers = false
	for _, c := range suite.Checks() {
		if driver.Compiles(c.Rule) {
			o.Only = append(o.Only, c.Name())
		}
	}
	if !testing.Short() && os.Getenv(allChecks) == "" {
		o.Shard, o.Shards = 1, 3
	}
	r, _ := oddRun(t, o)
	assert.Contains(t, r.Run.Artifacts, "INTERNAL")
	passed := 0
	for i := range r.Results {
		x := &r.Results[i]
		switch {
		case x.Rule == "CMP-01":
			assert.Equal(t, report.Fail, x.Verdict, x.Details())
		case noArtifacts[x.Rule] && x.Verdict == report.Blocked:
			assert.Contains(t, x.Skip, report.NoArtifact)
		case x.Rule == "FUZZ-01" && x.Verdict == report.Warn:
			// Before the plugin can, the switch refuses the null program that ends the process.
		default:
			assert.True(t, x.Verdict == report.Pass || x.Verdict == report.Waived || x.Verdict.Skipped(), x.Details())
		}
		if x.Verdict == report.Pass {
			passed++
		}
	}
	assert.Greater(t, 2*passed, len(r.Results))
}

func TestTheDocumentSaysWhatIsOdd(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../pjrt/docs/writing-a-plugin.md")
	require.NoError(t, err)
	for _, odd := range shim.Oddities() {
		rule := oddRules[odd]
		if rule == "" {
			rule = "none"
		}
		assert.Regexp(t, "(?m)^\\| `"+string(odd)+"` \\|.* "+rule+" \\|$", string(text))
	}
}
