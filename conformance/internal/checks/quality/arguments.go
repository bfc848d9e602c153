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
	saved   []byte // the program in bytes; nil where that cannot be
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
		s.saved = append([]byte(nil), capi.Bytes(out.SerializedBytes, out.SerializedBytesSize)...)
		out.SerializedExecutableDeleter.Call(out.SerializedExecutable)
	}
	return s
}

// orders is what a process of fuzzArguments is told to do.
type orders struct {
	Family string   `json:"family"`
	Seed   uint64   `json:"seed"`
	Random int      `json:"random"` // how many times to change several fields at once
	From   int      `json:"from"`   // the first change to make
	Count  int      `json:"count"`  // how many to make
	Avoid  []string `json:"avoid"`  // fields that are known to end the process
}

// outcome is what a process answers.
type outcome struct {
	Next      int `json:"next"` // the first change that was not made; -1 when all were
	Functions int `json:"functions"`
	Called    int `json:"called"`
}

const (
	fuzzSeed = 7
	// mostDeaths and mostHangs bound how often a plugin may end a process, or
	// make one wait, before the check has seen enough.
	mostDeaths = 20
	mostHangs  = 2
	// stepPatience is how long stepChanges changes may take: thousands of times as
	// long as they take.
	stepPatience = 60 * time.Second
	stepChanges  = 40
)

// announced is what a process says before it makes a change.
var announced = regexp.MustCompile(`(?m)change (\d+): (\S+) with (.*)$`)

// fuzzArguments calls functions with arguments that are valid but for one field,
// or with random > 0 for several, so often. The plugin may do what it is asked or
// say what is wrong, and must not end the process: each end is told with the
// change that caused it, and a new process goes on behind it.
func fuzzArguments(t *check.T, family string, random int) {
	if why := t.Env().NoDevice; why != "" && !families[family].library {
		t.SkipEnvf("%s", why)
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

// String is the orders as a process gets them.
func (o *orders) String() string {
	text, err := json.Marshal(o)
	if err != nil {
		panic(err)
	}
	return string(text)
}

// behind tells how a process ended, and lets the next one go on behind the
// change that it ended with.
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

// outcomeOf reads what a process answered. Its failures are the check's.
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

// avoid names the fields that a change is of.
func avoid(function, text string) string {
	var fields []string
	for part := range strings.SplitSeq(text, " and ") {
		field, _, _ := strings.Cut(part, " = ")
		fields = append(fields, field)
	}
	return function + " " + strings.Join(fields, " ")
}

// verdictLine is what C++ programs print when they give up.
var verdictLine = regexp.MustCompile(`(?m)^F\d{4} .*$|what\(\): .*$|^.*(?i:check failed).*$`)

// lastBut is what a process said of its end, but for what it was about to do.
func lastBut(output string) string {
	if all := announced.FindAllStringIndex(output, -1); all != nil {
		output = output[all[len(all)-1][1]:]
	}
	if line := verdictLine.FindString(output); line != "" {
		return line[:min(len(line), 300)]
	}
	return last(output)
}

// avoided reports whether the changes include some that end the process.
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

// fuzzStep makes the changes of a family, one after the other.
func fuzzStep(t *check.T, step string) {
	var o orders
	if err := json.Unmarshal([]byte(step), &o); err != nil {
		t.Fatalf("%v", err)
	}
	s := newSubject(t)
	x := outcome{Next: -1}
	number := -1
	// try makes one call, and reports whether there may be more.
	try := func(f target, choose func([]change) []change) bool {
		if x.Called == o.Count {
			x.Next = number + 1
			return false
		}
		number++
		made := false
		_ = f.call(t, s, func(list []change) []change {
			list = choose(list)
			if made = len(list) > 0 && number >= o.From && !o.avoided(f.name, list); !made {
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
