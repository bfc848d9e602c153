// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package checktest runs the checks of a package in tests: each on a real
// plugin, on which it must not raise a false alarm, and on faulty ones.
package checktest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/capi/serve"
	"github.com/purepjrt/purepjrt/conformance/internal/check"
	"github.com/purepjrt/purepjrt/conformance/internal/mutant"
	"github.com/purepjrt/purepjrt/conformance/internal/reference"
	"github.com/purepjrt/purepjrt/pjrt/plugins/plugintest"
)

// Suite is the checks of a package.
type Suite struct {
	Checks  []check.Check
	Mutants []mutant.Mutant
	Plugins []Plugin // the first is what mutants are made of
}

// Plugin is a real plugin that checks run on.
type Plugin struct {
	Name            string           // as package plugins knows it
	Options         []capi.Attribute // of every client
	NoDevice        string           // why there is no client, see check.Env
	Topology        string
	TopologyOptions []capi.Attribute
	// Known are the checks that the plugin fails, with the reasons.
	Known map[string]string
	// Races are the checks that the plugin fails at times, with the reasons.
	Races map[string]string
}

// Memory is the name of the plugin of package reference, which has no file.
const Memory = "memory"

// The environment variables by which a test process knows that it is a child,
// and what to run.
const (
	childCheck  = "PUREPJRT_CHECKTEST_CHECK"
	childPlugin = "PUREPJRT_CHECKTEST_PLUGIN" // its number
	childPath   = "PUREPJRT_CHECKTEST_PATH"
	childMutant = "PUREPJRT_CHECKTEST_MUTANT" // its number, empty for none
	marker      = "checktest result: "
)

// Main is what TestMain calls. In a child it runs one check and does not return.
func (s *Suite) Main(m *testing.M) {
	name := os.Getenv(childCheck)
	if name == "" {
		os.Exit(m.Run())
	}
	c := s.find(name)
	if c == nil {
		fmt.Fprintln(os.Stderr, "there is no check", name)
		os.Exit(1)
	}
	plugin, _ := strconv.Atoi(os.Getenv(childPlugin))
	env, err := s.Plugins[plugin].open(os.Getenv(childPath), name)
	if number := os.Getenv(childMutant); err == nil && number != "" {
		i, _ := strconv.Atoi(number)
		_, err = s.mutate(env, &s.Mutants[i])
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	r := check.Run(context.Background(), c, env)
	text, err := json.Marshal(r)
	if err != nil {
		panic(err)
	}
	fmt.Printf("\n%s%s\n", marker, text)
	os.Exit(0)
}

// uninitialized are the checks that begin before PJRT_Plugin_Initialize.
var uninitialized = map[string]bool{"ATTR-01": true, "ATTR-02": true, "ATTR-03": true, "ATTR-04": true}

func (s *Suite) find(name string) *check.Check {
	for i := range s.Checks {
		if s.Checks[i].Name() == name {
			return &s.Checks[i]
		}
	}
	return nil
}

// open loads a plugin and initializes it, but for the checks that are about
// that.
func (p *Plugin) open(path, name string) (*check.Env, error) {
	if p.Name == Memory {
		table, err := reference.New()
		return &check.Env{Table: table}, err
	}
	table, err := capi.Open(path)
	if err != nil {
		return nil, err
	}
	if !uninitialized[name] {
		if err := (&capi.Call[capi.PluginInitializeArgs]{}).Do(table); err != nil {
			return nil, err
		}
	}
	return &check.Env{
		Table: table, Path: path, Options: p.Options,
		NoDevice: p.NoDevice, Topology: p.Topology, TopologyOptions: p.TopologyOptions,
	}, nil
}

// RunChecks runs every check on every plugin. Each must pass, be skipped with a
// reason, or be one of the known ones, which must fail.
func (s *Suite) RunChecks(t *testing.T) {
	for i := range s.Plugins {
		t.Run(s.Plugins[i].Name, func(t *testing.T) { s.runChecks(t, i) })
	}
}

func (s *Suite) runChecks(t *testing.T, plugin int) {
	p := &s.Plugins[plugin]
	path := ""
	if p.Name != Memory {
		path = plugintest.Path(t, p.Name)
	}
	env, err := p.open(path, "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := env.Close(); err != nil {
			t.Error(err)
		}
	})
	seen := make(map[string]bool)
	for i := range s.Checks {
		c := &s.Checks[i]
		if err := c.Validate(); err != nil {
			t.Error(err)
			continue
		}
		if seen[c.Name()] {
			t.Errorf("there are two checks %s", c.Name())
		}
		seen[c.Name()] = true
		t.Run(c.Name(), func(t *testing.T) {
			var r check.Result
			if c.Hostile {
				t.Parallel()
				r = child(t.Context(), c, plugin, path, "")
			} else {
				r = check.Run(t.Context(), c, env)
			}
			p.judge(t, r)
		})
	}
	for name := range p.Known {
		if !seen[name] {
			t.Errorf("there is no check %s, and it is said to fail", name)
		}
	}
}

func (p *Plugin) judge(t *testing.T, r check.Result) {
	t.Helper()
	t.Logf("%s in %v %s", r.Verdict, r.Duration.Round(time.Microsecond), r.Skip)
	for _, n := range r.Notes {
		t.Logf("note: %s", n)
	}
	reason, known := p.Known[r.Check]
	switch {
	case p.Races[r.Check] != "" && r.Verdict.Failed():
		t.Logf("known to fail at times: %s: %q", p.Races[r.Check], r.Failures)
	case known && r.Verdict.Failed():
		t.Logf("known to fail: %s: %q", reason, r.Failures)
	case known:
		t.Errorf("expected a failure, since %s; got %s", reason, r.Verdict)
	case r.Verdict != check.Pass && !r.Verdict.Skipped():
		t.Errorf("%s: %s", r.Verdict, strings.Join(r.Failures, "\n"))
	case r.Verdict.Skipped() && r.Skip == "":
		t.Errorf("skipped without a reason")
	}
}

// plugin is the number of a plugin.
func (s *Suite) plugin(name string) int {
	i := slices.IndexFunc(s.Plugins, func(p Plugin) bool { return p.Name == name })
	if i < 0 {
		panic("the suite has no plugin " + name)
	}
	return i
}

// mutate puts a fault in front of the plugin of an environment.
func (s *Suite) mutate(env *check.Env, m *mutant.Mutant) (*serve.Table, error) {
	table, err := m.Table(env.Table)
	if err == nil {
		env.Table = table.Capi()
	}
	return table, err
}

// RunMutants runs the check of every mutant on it. The check must fail, and
// every check must have a mutant but those of which unproven says why not.
func (s *Suite) RunMutants(t *testing.T, unproven map[string]string) {
	path := plugintest.Path(t, s.Plugins[0].Name)
	proven := make(map[string]bool)
	for i := range s.Mutants {
		m := &s.Mutants[i]
		c := s.find(m.Check)
		if c == nil {
			t.Errorf("mutant %s: there is no such check", m.Name())
			continue
		}
		proven[m.Check] = true
		plugin, path := 0, path
		if m.Base == mutant.Memory {
			plugin, path = s.plugin(Memory), ""
		}
		t.Run(m.Name(), func(t *testing.T) {
			var r check.Result
			if c.Hostile {
				t.Parallel()
				r = child(t.Context(), c, plugin, path, strconv.Itoa(i))
			} else {
				env, err := s.Plugins[plugin].open(path, "")
				if err != nil {
					t.Fatal(err)
				}
				table, err := s.mutate(env, m)
				if err != nil {
					t.Fatal(err)
				}
				r = check.Run(t.Context(), c, env)
				if r.Verdict != check.Timeout { // a call may still be under way
					_ = env.Close() // a faulty plugin may well refuse
					if err := table.Close(); err != nil {
						t.Error(err)
					}
				}
			}
			t.Logf("%s in %v: %s%s", r.Verdict, r.Duration.Round(time.Microsecond), head(strings.Join(r.Failures, "; "), 300), r.Skip)
			if !r.Verdict.Failed() {
				t.Errorf("the check does not find the fault: %s %s %q", r.Verdict, r.Skip, r.Failures)
			}
		})
	}
	for i := range s.Checks {
		name := s.Checks[i].Name()
		reason, excused := unproven[name]
		switch {
		case proven[name] && excused:
			t.Errorf("check %s has a mutant, and it is said that it has none: %s", name, reason)
		case !proven[name] && !excused:
			t.Errorf("check %s has no mutant: nothing shows that it can fail", name)
		}
		delete(unproven, name)
	}
	for name := range unproven {
		t.Errorf("there is no check %s, of which it is said that it has no mutant", name)
	}
}

// child runs a check in a process of its own.
func child(ctx context.Context, c *check.Check, plugin int, path, mutant string) check.Result {
	ctx, cancel := context.WithTimeout(ctx, c.Limit()+30*time.Second)
	defer cancel()
	r := check.Result{Check: c.Name(), Rule: c.Rule, Verdict: check.SuiteError}
	exe, err := os.Executable()
	if err != nil {
		r.Failures = []string{err.Error()}
		return r
	}
	cmd := exec.CommandContext(ctx, exe)
	cmd.Env = append(os.Environ(), childCheck+"="+c.Name(), childPlugin+"="+strconv.Itoa(plugin), childPath+"="+path, childMutant+"="+mutant)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	start := time.Now()
	err = cmd.Run()
	r.Duration = time.Since(start)
	for line := range strings.Lines(stdout.String()) {
		if text, ok := strings.CutPrefix(line, marker); ok {
			if err := json.Unmarshal([]byte(text), &r); err != nil {
				r.Failures = []string{err.Error()}
			}
			return r
		}
	}
	r.Verdict = check.Crash
	r.Failures = []string{fmt.Sprintf("the process ended: %v\n%s", err, head(stderr.String(), 600))}
	return r
}

// head is the beginning of a text.
func head(s string, n int) string {
	if len(s) > n {
		return s[:n] + " ..."
	}
	return s
}
