// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package shim

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/internal/excerpt"
)

// Faults has the rules by which calls fail or are delayed.
type Faults struct {
	Rules []FaultRule
	Seed  uint64 // of the random choices
}

// FaultRule says which calls of which functions to disturb, and how.
type FaultRule struct {
	Function    string         // C name, or a pattern with *
	Fail        capi.ErrorCode // 0 lets the call succeed
	Message     string         // of the error; "" means a message with the rule
	Delay       time.Duration  // before the call
	After       int            // calls that pass before the first disturbed one
	Times       int            // calls to disturb; 0 means all
	Probability float64        // of disturbing a call; 0 means 1
	Call        bool           // a failing call reaches the plugin, and its result is lost
}

// ParseFaults parses rules, separated by semicolons. Each is a function, a colon, and settings
// separated by commas:
//
//	PJRT_Buffer_ToHostBuffer:fail=RESOURCE_EXHAUSTED,after=3,times=1
//	PJRT_Client_Compile:delay=100ms,probability=0.1;seed=7
//
// fail is a code of PJRT_Error_Code, and message its text, which ends at the next comma. delay is a
// duration. after is the number of calls that pass first, times is how many to disturb after that,
// and probability is the chance of each. The random choices are the same in each run; a separate
// rule seed=N changes them. With call=1, a failing call still calls the plugin, and its result is
// lost.
//
// The first rule that makes a call fail decides. The delays of the rules before it add up.
func ParseFaults(text string) (Faults, error) {
	var f Faults
	for _, part := range strings.Split(text, ";") {
		part = strings.TrimSpace(part)
		if part == "" {
			continue
		}
		if seed, ok := strings.CutPrefix(part, "seed="); ok {
			n, err := strconv.ParseUint(seed, 0, 64)
			if err != nil {
				return Faults{}, fmt.Errorf("seed=%s: use a whole number", excerpt.Of(seed))
			}
			f.Seed = n
			continue
		}
		r, err := parseFault(part)
		if err != nil {
			return Faults{}, fmt.Errorf("rule %q: %w", excerpt.Of(part), err)
		}
		f.Rules = append(f.Rules, r)
	}
	return f, nil
}

func parseFault(text string) (FaultRule, error) {
	name, list, ok := strings.Cut(text, ":")
	r := FaultRule{Function: strings.TrimSpace(name)}
	if !ok || strings.TrimSpace(list) == "" {
		return r, fmt.Errorf("it does not say what to do: write FUNCTION:fail=CODE or FUNCTION:delay=100ms")
	}
	if err := checkPattern(r.Function); err != nil {
		return r, err
	}
	for _, item := range strings.Split(list, ",") {
		key, value, ok := strings.Cut(strings.TrimSpace(item), "=")
		if !ok {
			return r, fmt.Errorf("%q has no =", excerpt.Of(item))
		}
		if err := r.set(key, value); err != nil {
			return r, fmt.Errorf("%s=%s: %w", excerpt.Of(key), excerpt.Of(value), err)
		}
	}
	if r.Fail == 0 && r.Delay == 0 {
		return r, fmt.Errorf("it has neither fail nor delay, so nothing would happen")
	}
	return r, nil
}

func (r *FaultRule) set(key, value string) (err error) {
	count := func() (int, error) {
		n, err := strconv.Atoi(value)
		if err != nil || n < 0 {
			return 0, fmt.Errorf("use a whole number from 0")
		}
		return n, nil
	}
	switch key {
	case "fail":
		if r.Fail, err = parseCode(value); err != nil {
			return err
		}
	case "message":
		r.Message = value
	case "delay":
		r.Delay, err = time.ParseDuration(value)
		if err != nil || r.Delay < 0 {
			return fmt.Errorf("use a duration such as 100ms")
		}
	case "after":
		r.After, err = count()
	case "times":
		if r.Times, err = count(); err == nil && r.Times == 0 {
			return fmt.Errorf("the rule never applies: use 1 or more")
		}
	case "probability":
		r.Probability, err = strconv.ParseFloat(value, 64)
		if err != nil || !(r.Probability > 0 && r.Probability <= 1) {
			return fmt.Errorf("use a number above 0 and at most 1")
		}
	case "call":
		r.Call, err = yes(value)
	default:
		return fmt.Errorf("there is no %s: use fail, message, delay, after, times, probability or call", excerpt.Of(key))
	}
	return err
}

// parseCode parses the name of a code, such as RESOURCE_EXHAUSTED.
func parseCode(name string) (capi.ErrorCode, error) {
	var all []string
	for c := capi.ErrorCodeOK + 1; c <= capi.ErrorCodeUnauthenticated; c++ {
		if strings.EqualFold(c.String(), name) {
			return c, nil
		}
		all = append(all, c.String())
	}
	return 0, fmt.Errorf("no such code: use one of %s", strings.Join(all, ", "))
}

// faults applies the rules to the calls of one plugin.
type faults struct {
	rules []*faultState

	mu   sync.Mutex
	rand *rand.Rand // guarded by mu
}

type faultState struct {
	FaultRule
	seen, wrong int // guarded by faults.mu
}

func newFaults(f Faults) *faults {
	s := &faults{rand: rand.New(rand.NewPCG(f.Seed, 0))}
	for _, r := range f.Rules {
		s.rules = append(s.rules, &faultState{FaultRule: r})
	}
	return s
}

// of returns the rules of a function.
func (s *faults) of(f *capi.Function) []*faultState {
	var list []*faultState
	for _, r := range s.rules {
		if match(r.Function, f.Name) {
			list = append(list, r)
		}
	}
	return list
}

// next decides about the next call of a function. It returns the delay, the rule that makes the
// call fail, or nil, and the number of the call as that rule counts them.
func (s *faults) next(rules []*faultState) (delay time.Duration, fail *faultState, n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range rules {
		r.seen++
		if r.seen <= r.After || r.Times > 0 && r.wrong >= r.Times {
			continue
		}
		if r.Probability > 0 && r.Probability < 1 && s.rand.Float64() >= r.Probability {
			continue
		}
		r.wrong++
		delay += r.Delay
		if r.Fail != 0 {
			return delay, r, r.seen
		}
	}
	return delay, nil, 0
}

// message returns the text of the error that a rule makes.
func (r *faultState) message(name string, n int) string {
	if r.Message != "" {
		return r.Message
	}
	return fmt.Sprintf("%s failed by a fault rule for %s (call %d)", name, r.Function, n)
}
