// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package quality

import (
	"encoding/json"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/conformance/internal/check"
)

// subject is what the calls of targets work on.
type subject struct {
	worker
	program *capi.Executable
	buffer  *capi.Buffer
	saved   []byte // the serialized program; nil if the plugin cannot serialize it
}

func newSubject(t *check.T) *subject {
	s := &subject{worker: worker{t: t, rand: rand.New(rand.NewPCG(1, 2))}}
	if t.Env().NoDevice != "" {
		return s
	}
	s.c = t.Client()
	s.exe = t.Compile(s.c, check.AddOne)
	s.program = t.Executable(s.exe)
	s.buffer = check.Upload(t, s.c, []float32{1, 2, 3, 4})
	if out, err := check.Try(t, capi.ExecutableSerializeArgs{Executable: s.program}); err == nil {
		s.saved = capi.Bytes(out.SerializedBytes, out.SerializedBytesSize)
		out.SerializedExecutableDeleter.Call(out.SerializedExecutable)
	}
	return s
}

// orders tells a child process of fuzzArguments which changes to make.
type orders struct {
	Family string   `json:"family"`
	Seed   uint64   `json:"seed"`
	Random int      `json:"random"` // how many times to change several fields at once
	From   int      `json:"from"`   // the first change to make
	Count  int      `json:"count"`  // how many to make
	Avoid  []string `json:"avoid"`  // fields that are known to end the process
}

// outcome is what a child process answers.
type outcome struct {
	Next      int `json:"next"` // the first change that was not made; -1 when all were
	Functions int `json:"functions"`
	Called    int `json:"called"`
}

const (
	fuzzSeed = 7
	// mostDeaths and mostHangs limit how often a plugin may end a process, or make it
	// hang, before the check stops.
	mostDeaths = 20
	mostHangs  = 2
	// stepPatience is how long stepChanges changes may take: thousands of times longer
	// than they need.
	stepPatience = 60 * time.Second
	stepChanges  = 40
)

// announced matches what a child process says before it makes a change.
var announced = regexp.MustCompile(`(?m)change (\d+): (\S+) with (.*)$`)

// fuzzArguments calls functions with arguments that are valid except for one field, and
// then random times with several fields changed. The plugin may do what it is asked or
// return an error, but must not end the process: each such end is reported with the
// change that caused it, and a new process continues after that change.
func fuzzArguments(t *check.T, family string, random int) {
	if !families[family].library {
		t.NeedsDevice()
	}
	o := orders{Family: family, Seed: fuzzSeed, Random: random, Count: stepChanges}
	t.Notef("the seed of random changes is %d", o.Seed)
	var total outcome
	var child check.Child
	for deaths, hangs := 0, 0; o.From >= 0; {
		if deaths == mostDeaths || hangs == mostHangs {
			t.Errorf("the search ended here; there may be more")
			return
		}
		if child == nil {
			child = t.Spawn()
		}
		r, ending := t.Step(child, o.String(), stepPatience)
		if ending == nil {
			x := outcomeOf(t, r)
			o.From, total.Functions = x.Next, x.Functions
			total.Called += x.Called
			continue
		}
		child = nil
		if deaths++; ending.Hung {
			hangs++
		}
		from := o.From
		o.behind(t, ending)
		total.Called += o.From - from
	}
	t.Notef("%d functions, some %d calls of them with changed arguments", total.Functions, total.Called)
}

// String encodes the orders for the child process.
func (o *orders) String() string {
	text, err := json.Marshal(o)
	if err != nil {
		panic(err)
	}
	return string(text)
}

// behind reports how a child process ended, and makes the next one continue after the
// change that ended it.
func (o *orders) behind(t *check.T, ending *check.Ending) {
	all := announced.FindAllStringSubmatch(ending.Output, -1)
	if all == nil {
		t.Fatalf("before any argument was changed: %s", ending.How)
	}
	last := all[len(all)-1]
	number, _ := strconv.Atoi(last[1])
	end := ending.How
	if ending.Hung {
		end = "it did not return, or never finished what it returned an event for"
	}
	t.Errorf("%s with %s: expected success or an error, but %s; its last words: %s", last[2], last[3], end, lastBut(ending.Output))
	o.From = number + 1
	o.Avoid = append(o.Avoid, avoid(last[2], last[3]))
}

// outcomeOf reads a child process's answer, and reports its failures as the check's.
func outcomeOf(t *check.T, r *check.Result) (x outcome) {
	for _, f := range r.Failures {
		t.Errorf("%s", f)
	}
	if r.Verdict.Skipped() {
		t.SkipEnvf("%s", r.Skip)
	}
	if len(r.Notes) == 0 || json.Unmarshal([]byte(r.Notes[len(r.Notes)-1]), &x) != nil {
		x.Next = -1
	}
	return x
}

// avoid names the function and the fields of a change.
func avoid(function, text string) string {
	var fields []string
	for part := range strings.SplitSeq(text, " and ") {
		field, _, _ := strings.Cut(part, " = ")
		fields = append(fields, field)
	}
	return function + " " + strings.Join(fields, " ")
}

// verdictLine matches what C++ programs print when they give up.
var verdictLine = regexp.MustCompile(`(?m)^F\d{4} .*$|what\(\): .*$|^.*(?i:check failed).*$`)

// lastBut returns what a process said about its end, without the announcement of the
// change.
func lastBut(output string) string {
	if all := announced.FindAllStringIndex(output, -1); all != nil {
		output = output[all[len(all)-1][1]:]
	}
	if line := verdictLine.FindString(output); line != "" {
		return line[:min(len(line), 300)]
	}
	return last(output)
}

// avoided reports whether the changes include some that are known to end the process.
func (o *orders) avoided(function string, list []change) bool {
	for _, a := range o.Avoid {
		words := strings.Fields(a)
		if words[0] != function {
			continue
		}
		if !slices.ContainsFunc(words[1:], func(field string) bool {
			return !slices.ContainsFunc(list, func(c change) bool { return c.field == field })
		}) {
			return true
		}
	}
	return false
}

// fuzzStep makes the ordered changes of a family, one after the other.
func fuzzStep(t *check.T, step string) {
	var o orders
	if err := json.Unmarshal([]byte(step), &o); err != nil {
		t.Fatalf("%v", err)
	}
	s := newSubject(t)
	x := outcome{Next: -1}
	number := -1
	// try makes one call, and reports whether more are allowed.
	try := func(f target, choose func([]change) []change) bool {
		if x.Called == o.Count {
			x.Next = number + 1
			return false
		}
		if number++; number < o.From {
			return true // a call without the change takes as long, and shows nothing
		}
		made := false
		_ = f.call(t, s, func(list []change) []change {
			list = choose(list)
			if made = len(list) > 0 && !o.avoided(f.name, list); !made {
				return nil
			}
			t.Doing("change %d: %s", number, describeChanges(f.name, list))
			return list
		})
		if made {
			x.Called++
		}
		return true
	}
	targets := slices.DeleteFunc(families[o.Family].targets(), func(f target) bool { return !f.offered(t, s) })
	if x.Functions = len(targets); x.Functions == 0 {
		t.SkipEnvf("the plugin has none of these functions, or does not do what they are for")
	}
	o.changeAll(t, s, targets, try)
	s.works(t)
	text, err := json.Marshal(x)
	if err != nil {
		panic(err)
	}
	t.Notef("%s", text)
}

// changeAll makes each change alone, and then several at once.
func (o *orders) changeAll(t *check.T, s *subject, targets []target, try func(target, func([]change) []change) bool) {
	for _, f := range targets {
		size := 0
		_ = f.call(t, s, func(list []change) []change {
			size = len(list)
			return nil
		})
		for n := range size {
			if !try(f, func(list []change) []change { return list[n : n+1] }) {
				return
			}
		}
	}
	r := rand.New(rand.NewPCG(o.Seed, 1))
	for range o.Random {
		f, some, order := targets[r.IntN(len(targets))], 2+r.IntN(2), r.Uint64()
		if !try(f, func(list []change) (chosen []change) {
			for _, i := range rand.New(rand.NewPCG(order, 2)).Perm(len(list)) {
				if len(chosen) < some && !slices.ContainsFunc(chosen, func(c change) bool { return c.field == list[i].field }) {
					chosen = append(chosen, list[i])
				}
			}
			return chosen
		}) {
			return
		}
	}
}

// offered reports whether the plugin does what the function is for when nothing
// is changed.
func (x *target) offered(t *check.T, s *subject) bool {
	return x.call(t, s, func([]change) []change { return nil }) == nil
}

// works fails the check unless the client still computes.
func (s *subject) works(t *check.T) {
	if s.c == nil {
		return
	}
	if err := s.round(); err != nil {
		t.Fatalf("after calls with changed arguments: %v", err)
	}
}
