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
	"strings"
	"testing"
	"time"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/conformance/internal/check"
)

// Suite is the checks of a package.
type Suite struct {
	Checks  []check.Check
	Options []capi.Attribute // of every client
	// Known are the checks that the real plugin fails, with the reasons.
	Known map[string]string
}

// The environment variables by which a test process knows that it is a child,
// and what to run.
const (
	childCheck  = "PUREPJRT_CHECKTEST_CHECK"
	childPlugin = "PUREPJRT_CHECKTEST_PLUGIN"
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
	env, err := s.open(os.Getenv(childPlugin))
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

func (s *Suite) find(name string) *check.Check {
	for i := range s.Checks {
		if s.Checks[i].Name() == name {
			return &s.Checks[i]
		}
	}
	return nil
}

func (s *Suite) open(path string) (*check.Env, error) {
	table, err := capi.Open(path)
	if err != nil {
		return nil, err
	}
	return &check.Env{Table: table, Path: path, Options: s.Options}, nil
}

// RunChecks runs every check on the plugin at path. Each must pass, be skipped
// with a reason, or be one of the known ones, which must fail.
func (s *Suite) RunChecks(t *testing.T, path string) {
	env, err := s.open(path)
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
				r = child(t.Context(), c, path)
			} else {
				r = check.Run(t.Context(), c, env)
			}
			s.judge(t, r)
		})
	}
	for name := range s.Known {
		if !seen[name] {
			t.Errorf("there is no check %s, and it is said to fail", name)
		}
	}
}

func (s *Suite) judge(t *testing.T, r check.Result) {
	t.Helper()
	t.Logf("%s in %v %s", r.Verdict, r.Duration.Round(time.Microsecond), r.Skip)
	for _, n := range r.Notes {
		t.Logf("note: %s", n)
	}
	reason, known := s.Known[r.Check]
	switch {
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

// child runs a check in a process of its own.
func child(ctx context.Context, c *check.Check, path string) check.Result {
	ctx, cancel := context.WithTimeout(ctx, c.Limit()+30*time.Second)
	defer cancel()
	r := check.Result{Check: c.Name(), Rule: c.Rule, Verdict: check.SuiteError}
	exe, err := os.Executable()
	if err != nil {
		r.Failures = []string{err.Error()}
		return r
	}
	cmd := exec.CommandContext(ctx, exe)
	cmd.Env = append(os.Environ(), childCheck+"="+c.Name(), childPlugin+"="+path)
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
