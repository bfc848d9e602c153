// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package checktest runs the checks of a package in tests: on real plugins, on which they
// must not raise false alarms, and on faulty ones.
package checktest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/capi/serve"
	"github.com/purepjrt/purepjrt/conformance/internal/check"
	"github.com/purepjrt/purepjrt/conformance/internal/driver"
	"github.com/purepjrt/purepjrt/conformance/internal/mutant"
	"github.com/purepjrt/purepjrt/conformance/internal/reference"
	"github.com/purepjrt/purepjrt/conformance/internal/session"
	"github.com/purepjrt/purepjrt/conformance/internal/worker"
	"github.com/purepjrt/purepjrt/conformance/report"
	"github.com/purepjrt/purepjrt/pjrt/pjrttest"
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

// spawner starts the children of checks: they come here again, and learn by the
// name of the fault which plugin it is.
func (p *Plugin) spawner(number int, path, mutant string) func(context.Context) (check.Child, error) {
	return session.Spawner(worker.Command{}, p.setup(number, path, mutant))
}

func (p *Plugin) setup(number int, path, mutant string) session.Setup {
	return session.Setup{
		Plugin: path, Fault: fmt.Sprintf("%d/%s", number, mutant), Options: options(p.Options), NoDevice: p.NoDevice,
		Topology: p.Topology, TopologyOptions: options(p.TopologyOptions),
	}
}

func options(list []capi.Attribute) []session.Option {
	var all []session.Option
	for _, a := range list {
		all = append(all, session.Option(a))
	}
	return all
}

// serve makes the process a child of a check. It does not return.
func (s *Suite) serve() {
	session.Serve(session.Program{
		Check: func(_, name string) (*check.Check, error) { return check.Find(s.Checks, name) },
		Open: func(setup session.Setup) (*capi.Table, error) {
			number, mutant, _ := strings.Cut(setup.Fault, "/")
			plugin, err := strconv.Atoi(number)
			if err != nil {
				return nil, err
			}
			env, err := s.Plugins[plugin].open(plugin, setup.Plugin, check.Loaded) // those who ask initialize it
			if i, e := strconv.Atoi(mutant); err == nil && e == nil {
				_, err = s.mutate(env, i)
			}
			if err != nil {
				return nil, err
			}
			return env.Table, nil
		},
	})
}

// Main is what TestMain calls. In a child it runs one check and does not return.
func (s *Suite) Main(m *testing.M) {
	if _, ok := worker.Asked(); ok {
		s.serve()
	}
	name := os.Getenv(childCheck)
	if name == "" {
		os.Exit(m.Run())
	}
	c := s.find(name)
	if c == nil {
		fmt.Fprintln(os.Stderr, "there is no check", name)
		os.Exit(1)
	}
	number, plugin := libraryPlugin, library
	if i, _ := strconv.Atoi(os.Getenv(childPlugin)); i != libraryPlugin {
		number, plugin = i, &s.Plugins[i]
	}
	env, err := plugin.open(number, os.Getenv(childPath), c.Begins)
	if number := os.Getenv(childMutant); err == nil && number != "" {
		i, _ := strconv.Atoi(number)
		_, err = s.mutate(env, i)
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
	if c.Exits && r.Verdict != check.Timeout {
		check.Exit(0)
	}
	os.Exit(0)
}

func (s *Suite) find(name string) *check.Check {
	for i := range s.Checks {
		if s.Checks[i].Name() == name {
			return &s.Checks[i]
		}
	}
	return nil
}

// inMemory is the plugin of package reference: a process has room for some tables
// only.
var inMemory = sync.OnceValues(reference.New)

// open goes so far with a plugin, which has that number.
func (p *Plugin) open(number int, path string, until check.Stage) (*check.Env, error) {
	if p.Name == Memory {
		table, err := inMemory()
		return &check.Env{Table: table, Spawn: p.spawner(number, "", "")}, err
	}
	env := &check.Env{
		Path: path, Options: p.Options,
		NoDevice: p.NoDevice, Topology: p.Topology, TopologyOptions: p.TopologyOptions,
		Spawn: p.spawner(number, path, ""),
	}
	if until == check.Unloaded {
		return env, nil
	}
	var err error
	if env.Table, err = capi.Open(path); err != nil {
		return nil, err
	}
	if until == check.Initialized {
		if err := (&capi.Call[capi.PluginInitializeArgs]{}).Do(env.Table); err != nil {
			return nil, err
		}
	}
	return env, nil
}

// RunChecks runs every check on every plugin. Each must pass, be skipped with a
// reason, or fail as a waiver of the plugin says.
func (s *Suite) RunChecks(t *testing.T) {
	for i := range s.Plugins {
		t.Run(s.Plugins[i].Name, func(t *testing.T) {
			if !TakesPlugin(s.Plugins[i].Name) {
				t.Skip("a short run does not download this plugin: make test-all")
			}
			s.runChecks(t, i)
		})
	}
}

func (s *Suite) runChecks(t *testing.T, plugin int) {
	p := &s.Plugins[plugin]
	path := ""
	if p.Name != Memory {
		path = plugintest.Path(t, p.Name)
	}
	env, err := p.open(plugin, path, check.Initialized)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := env.Close(); err != nil {
			t.Error(err)
		}
	})
	waived := Waived(env.Table, path)
	seen := make(map[string]bool)
	sample := NewSample(s.Checks)
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
		if !sample.Takes(c) {
			continue
		}
		t.Run(c.Name(), func(t *testing.T) {
			if c.Hostile {
				t.Parallel()
				Judge(t, waived, p.apart(t.Context(), c, plugin, path))
				return
			}
			Judge(t, waived, driver.Found(c, check.Run(t.Context(), c, env)))
		})
	}
}

// apart runs a check on the plugin, which has that number, in a worker of its own.
func (p *Plugin) apart(ctx context.Context, c *check.Check, number int, path string) (x *report.Result) {
	trial := driver.Trial{Check: c, Setup: p.setup(number, path, "")}
	driver.Try(ctx, driver.Config{Jobs: 1}, []driver.Trial{trial}, func(_ int, r *report.Result) { x = r })
	if x == nil {
		return driver.Found(c, check.Result{Verdict: check.SuiteError, Failures: []string{"the test ended before the check"}})
	}
	return x
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
func (s *Suite) mutate(env *check.Env, number int) (*serve.Table, error) {
	m := &s.Mutants[number]
	plugin := 0
	if m.Base == mutant.Memory {
		plugin = s.plugin(Memory)
	}
	table, err := m.Table(env.Table)
	if err == nil {
		env.Table = table.Capi()
		env.Spawn = s.Plugins[plugin].spawner(plugin, env.Path, strconv.Itoa(number))
	}
	if m.NoDevice != "" {
		env.NoDevice = m.NoDevice
	}
	if m.Topology != "" {
		env.Topology = m.Topology
	}
	return table, err
}

// RunMutants runs the check of every mutant on it. The check must fail, and
// every check must have a mutant but those of which unproven says why not.
func (s *Suite) RunMutants(t *testing.T, unproven map[string]string) {
	path := plugintest.Path(t, s.Plugins[0].Name)
	dir := t.TempDir()
	apart := func(number int) found {
		r, err := s.apart(t.Context(), number, path, dir)
		return found{r, err}
	}
	waiting := Waiting(t, s.Mutants, apart)
	proven := make(map[string]bool)
	sample := NewSample(s.Checks)
	for i := range s.Mutants {
		m := &s.Mutants[i]
		c := s.find(m.Check)
		if c == nil {
			t.Errorf("mutant %s: there is no such check", m.Name())
			continue
		}
		proven[m.Check] = true
		if !sample.TakesMutant(m) {
			continue
		}
		t.Run(m.Name(), func(t *testing.T) {
			var r check.Result
			if m.Waits || m.Base == mutant.Library || c.Hostile {
				t.Parallel()
				var x found
				if m.Waits {
					x = <-waiting[i]
				} else {
					x = apart(i)
				}
				if errors.Is(x.err, mutant.ErrNoCompiler) {
					t.Skip(x.err)
				} else if x.err != nil {
					t.Fatal(x.err)
				}
				r = x.result
			} else {
				plugin, path := s.base(m, path)
				env, err := s.Plugins[plugin].open(plugin, path, check.Initialized)
				if err != nil {
					t.Fatal(err)
				}
				table, err := s.mutate(env, i)
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
			t.Logf("%s in %v: %s%s %q", r.Verdict, r.Duration.Round(time.Microsecond), head(strings.Join(r.Failures, "; "), 300),
				r.Skip, r.Notes)
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

// base is the number of the plugin that a mutant is made of, and its path; path
// is that of the first one.
func (s *Suite) base(m *mutant.Mutant, path string) (int, string) {
	if m.Base == mutant.Memory {
		return s.plugin(Memory), ""
	}
	return 0, path
}

// found is what the check of a mutant says of it.
type found struct {
	result check.Result
	err    error
}

// Waiting begins to run those of the mutants that wait, while others run, by
// their numbers, and returns where each result will be. The test ends after all
// of them. A short run leaves them out.
func Waiting[R any](t *testing.T, mutants []mutant.Mutant, run func(number int) R) map[int]<-chan R {
	var running sync.WaitGroup
	t.Cleanup(running.Wait)
	waiting := make(map[int]<-chan R)
	if testing.Short() {
		return waiting
	}
	for i := range mutants {
		if mutants[i].Waits {
			there := make(chan R, 1)
			waiting[i] = there
			running.Go(func() { there <- run(i) })
		}
	}
	return waiting
}

// RunForLeaks runs the checks on plugins of package pjrttest, and shows that they
// destroy what they make of them, whatever their verdicts. It returns how many
// pass. Checks of a plugin that is not loaded or initialized, and those that end the
// process, are left out. A short run skips the test.
func (s *Suite) RunForLeaks(t *testing.T) (passed int) {
	if testing.Short() {
		t.Skip("every check runs: make test-all")
	}
	for i := range s.Checks {
		c := &s.Checks[i]
		if c.Begins != check.Initialized || c.Exits {
			continue
		}
		p, err := pjrttest.Start(pjrttest.Options{Devices: 4})
		if err != nil {
			t.Fatal(err)
		}
		p.Program("add_one", pjrttest.Signature{}, pjrttest.Map(func(x float32) float32 { return x + 1 }))
		p.Program("long", pjrttest.Signature{}, pjrttest.Identity)
		env := &check.Env{Table: p.Table(), Topology: "2x3"}
		if check.Run(t.Context(), c, env).Verdict == check.Pass {
			passed++
		}
		if err := env.Close(); err != nil {
			t.Errorf("%s: %v", c.Name(), err)
		}
		if live := p.Live(); len(live) > 0 {
			t.Errorf("%s leaves %v", c.Name(), live)
		}
		_ = p.Close()
	}
	return passed
}

// apart runs the check of a mutant in a process of its own. Of one that is a
// library it shows, too, that the check passes on the library without the fault.
func (s *Suite) apart(ctx context.Context, number int, path, dir string) (check.Result, error) {
	m := &s.Mutants[number]
	c := s.find(m.Check)
	if m.Base != mutant.Library {
		plugin, path := s.base(m, path)
		return child(ctx, c, plugin, path, strconv.Itoa(number)), nil
	}
	var libraries [2]string
	for i, m := range []*mutant.Mutant{nil, m} {
		var err error
		if libraries[i], err = mutant.Compile(ctx, m, dir); err != nil {
			return check.Result{}, err
		}
	}
	if r := child(ctx, c, libraryPlugin, libraries[0], ""); r.Verdict != check.Pass {
		return r, fmt.Errorf("without the fault: %s %s %q", r.Verdict, r.Skip, r.Failures)
	}
	return child(ctx, c, libraryPlugin, libraries[1], ""), nil
}

// libraryPlugin is the number of the plugin that is such a library.
const libraryPlugin = -1

// library is that plugin.
var library = &Plugin{Name: "library", NoDevice: "the plugin is a library that offers nothing"}

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
	cmd.Env = append(os.Environ(), childCheck+"="+c.Name(), childPlugin+"="+strconv.Itoa(plugin), childPath+"="+path,
		childMutant+"="+mutant)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	start := time.Now()
	err = cmd.Run()
	r.Duration = time.Since(start)
	for line := range strings.Lines(stdout.String()) {
		text, ok := strings.CutPrefix(line, marker)
		if !ok {
			continue
		}
		if err := json.Unmarshal([]byte(text), &r); err != nil {
			r.Failures = []string{err.Error()}
			return r
		}
		if !c.Exits || err == nil {
			return r
		}
	}
	r.Verdict = check.Crash
	r.Failures = append(r.Failures, fmt.Sprintf("the process ended: %v\n%s", err, head(stderr.String(), 600)))
	return r
}

// head is the beginning of a text.
func head(s string, n int) string {
	if len(s) > n {
		return s[:n] + " ..."
	}
	return s
}
