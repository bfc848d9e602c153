// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package programs

import (
	"bytes"
	"context"
	"encoding/gob"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/conformance/internal/check"
	"github.com/purepjrt/purepjrt/pjrt/plugins"
)

// Some rules need a second process. It runs this same program, which learns from its
// environment that it only has to do an errand: the suite does not know which main function
// it is linked with, so the package's init takes care of it.
const elsewhereVariable = "PUREPJRT_CONFORMANCE_ELSEWHERE"

// elsewhereMark precedes the answer: plugins print to standard output too.
const elsewhereMark = "\npurepjrt conformance answer: "

func init() {
	if os.Getenv(elsewhereVariable) == "" {
		return
	}
	answer := doElsewhere(os.Stdin)
	b, err := json.Marshal(answer)
	if err != nil {
		panic(err) // it is text and bytes only
	}
	fmt.Printf("%s%s\n", elsewhereMark, b)
	os.Exit(0)
}

// errand tells the second process what to do: make a client, compile constants there and
// load an executable.
type errand struct {
	Plugin     string
	Options    []capi.Attribute
	Executable []byte // serialized; of the program constants
}

// errandAnswer is the result of an errand.
type errandAnswer struct {
	Problem     string // of the process, not of the plugin
	LoadError   string // of the executable
	Results     string // of the executable
	Fingerprint []byte // of the program compiled there; empty when it has none
}

// doElsewhere does the errand that it reads from r.
func doElsewhere(r io.Reader) (answer errandAnswer) {
	var e errand
	if err := gob.NewDecoder(r).Decode(&e); err != nil {
		return errandAnswer{Problem: err.Error()}
	}
	if err := plugins.Prepare(e.Plugin); err != nil {
		return errandAnswer{Problem: err.Error()}
	}
	table, err := capi.Open(e.Plugin)
	if err != nil {
		return errandAnswer{Problem: err.Error()}
	}
	var initialize capi.Call[capi.PluginInitializeArgs]
	if err := initialize.Do(table); err != nil {
		return errandAnswer{Problem: err.Error()}
	}
	c := check.Check{Rule: "SER-03", Run: func(t *check.T) {
		c := t.Client()
		out := check.Call(t, capi.ExecutableFingerprintArgs{Executable: t.Executable(t.Compile(c, constants))})
		answer.Fingerprint = append(answer.Fingerprint, capi.Bytes(out.ExecutableFingerprint, out.ExecutableFingerprintSize)...)
	}}
	env := &check.Env{Table: table, Path: e.Plugin, Options: e.Options}
	check.Run(context.Background(), &c, env) // without a fingerprint, the answer has none
	c.Run = func(t *check.T) {
		exe, err := tryDeserialize(t, t.Client(), e.Executable, nil)
		if err != nil {
			answer.LoadError = err.Error()
			return
		}
		answer.Results = runConstants(t, t.Client(), exe)
	}
	if r := check.Run(context.Background(), &c, env); len(r.Failures) > 0 {
		answer.LoadError = strings.Join(r.Failures, "; ")
	}
	return answer
}

// elsewhere does an errand in a new process.
func elsewhere(t *check.T, executable []byte) errandAnswer {
	if t.Env().Path == "" {
		t.SkipEnvf("the plugin has no file that another process could open")
	}
	var in bytes.Buffer
	if err := gob.NewEncoder(&in).Encode(errand{t.Env().Path, t.Env().Options, executable}); err != nil {
		t.Fatalf("create options: %v", err)
	}
	program, err := os.Executable()
	if err != nil {
		t.SkipEnvf("another process cannot be started: %v", err)
	}
	cmd := exec.CommandContext(t.Context(), program)
	cmd.Env = append(os.Environ(), elsewhereVariable+"=1")
	cmd.Stdin = &in
	out, err := cmd.Output()
	_, text, ok := strings.Cut(string(out), elsewhereMark)
	if !ok {
		var exit *exec.ExitError
		if !errors.As(err, &exit) {
			t.SkipEnvf("another process cannot be started: %v", err)
		}
		t.Fatalf("a new process that loads an executable: expected an answer, but the process ended: %v\n%s", err,
			exit.Stderr[:min(len(exit.Stderr), 2000)])
	}
	line, _, _ := strings.Cut(text, "\n")
	var answer errandAnswer
	if err := json.Unmarshal([]byte(line), &answer); err != nil {
		t.Fatalf("the answer of a new process: %v", err)
	}
	if answer.Problem != "" {
		t.SkipEnvf("a new process cannot use the plugin: %s", answer.Problem)
	}
	return answer
}

var elsewhereChecks = []check.Check{
	{Rule: "SER-03", Run: func(t *check.T) {
		c := t.Client()
		exe := t.Compile(c, constants)
		want := runConstants(t, c, exe)
		answer := elsewhere(t, serialized(t, exe))
		check.Equal(t, "", answer.LoadError, "error of loading and running an executable in a new process")
		check.Equal(t, want, answer.Results, "bytes of the results of a program, and of the program after it was serialized and loaded in a new process")
	}},
	{Rule: "EXE-25", Variant: "later", Profile: check.Core, Run: func(t *check.T) {
		c := t.Client()
		want := fingerprint(t, t.Executable(t.Compile(c, constants)))
		time.Sleep(1100 * time.Millisecond) // clocks count seconds
		check.Equal(t, want, fingerprint(t, t.Executable(t.Compile(c, constants))), "fingerprint of a program compiled a second later")
	}},
	{Rule: "EXE-25", Variant: "processes", Run: func(t *check.T) {
		want := fingerprint(t, t.Executable(t.Compile(t.Client(), constants)))
		answer := elsewhere(t, nil)
		check.Equal(t, want, string(answer.Fingerprint), "fingerprint of a program compiled in two processes")
	}},
}
