// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package conformance

import (
	"fmt"
	"os"
	"sync/atomic"
	"testing"
	"time"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/conformance/internal/check"
	"github.com/purepjrt/purepjrt/conformance/report"
)

func TestMain(m *testing.M) {
	testSuites["fake"] = fake
	testSuites["good"] = good
	testSuites["table"] = table
	testSuites["late"] = late
	testSuites["three"] = func() []check.Check { return []check.Check{good()[0], good()[3], fake()[len(good())]} }
	Worker()
	os.Exit(m.Run())
}

// good returns checks that the CPU plugin passes.
func good() []check.Check {
	return []check.Check{
		{Rule: "LOAD-01", Library: true, Profile: check.Smoke, Run: func(t *check.T) { check.Equal(t, true, t.Table() != nil, "table") }},
		{Rule: "ERR-01", Library: true, Run: func(t *check.T) {
			check.Call(t, capi.ErrorDestroyArgs{})
		}},
		{Rule: "ATTR-01", Library: true, Hostile: true, Run: func(t *check.T) { check.Optional(t, capi.PluginInitializeArgs{}) }},
		{Rule: "CLI-14", Run: func(t *check.T) {
			check.Equal(t, "cpu", capi.String(check.Call(t, capi.ClientPlatformNameArgs{Client: t.Client().Handle}).PlatformName, 3), "platform")
		}},
		{Rule: "H2D-01", Run: func(t *check.T) {
			check.ExpectBuffer(t, check.Upload(t, t.Client(), []float32{1, 2}), []float32{1, 2}, "buffer")
		}},
		{Rule: "RUN-01", Run: func(t *check.T) {
			c := t.Client()
			out := t.Run(t.Compile(c, check.AddOne), 1, check.Upload(t, c, []float32{1, 2, 3, 4}))
			check.ExpectBuffer(t, out[0], []float32{2, 3, 4, 5}, "sum")
		}},
		{Rule: "MULTI-01", Devices: 2, Run: func(t *check.T) { t.Notef("%d devices", len(t.Client().Devices)) }},
		{Rule: "FUZZ-01", Profile: check.Full, Run: func(*check.T) {}},
	}
}

// fake returns checks with every outcome.
func fake() []check.Check {
	return append(good(), []check.Check{
		{Rule: "EVT-01", Run: func(t *check.T) {
			check.Equal(t, 1, 2, "things")
			t.Notef("a note")
		}},
		{Rule: "EVT-02", Variant: "crash", Hostile: true, Run: func(t *check.T) {
			_, _ = check.Try(t, capi.EventIsReadyArgs{Event: badPointer()})
		}},
		{Rule: "EVT-02", Variant: "shared", Run: func(t *check.T) {
			_, _ = check.Try(t, capi.EventIsReadyArgs{Event: badPointer()})
		}},
		{Rule: "EVT-03", Hostile: true, Run: func(*check.T) {
			fmt.Fprintln(os.Stderr, "I give up")
			os.Exit(7)
		}},
		{Rule: "EVT-04", Timeout: 300 * time.Millisecond, Run: func(*check.T) { time.Sleep(time.Hour) }},
		{Rule: "EVT-05", Run: func(*check.T) { panic("a mistake") }},
		{Rule: "LOAD-07", Run: func(t *check.T) { t.Errorf("a pity") }}, // SHOULD
		{Rule: "BUF-01", Run: func(t *check.T) {
			before.Add(1)
			t.Require(check.FunctionOf[capi.GPURegisterCustomCallArgs]())
		}},
		{Rule: "BUF-02", Run: func(t *check.T) {
			before.Add(1)
			t.SkipUnimplf("PJRT_Buffer_MemoryStats: UNIMPLEMENTED")
		}},
		{Rule: "BUF-03", Run: func(t *check.T) {
			// Fails in a process where another check ran before.
			if before.Add(1) > 1 {
				t.Errorf("not alone")
			}
		}},
		{Rule: "BUF-04", Run: func(*check.T) { fmt.Print("noise") }},
		{Rule: "SKEW-01", Run: func(t *check.T) {
			t.Skew(report.Skew{Struct: "PJRT_Client_Create_Args", Size: 72, Callers: "0.45-0.60", Outcome: "works", OK: true})
			t.Skew(report.Skew{Struct: "PJRT_Client_Create_Args", Size: 1 << 20, Callers: "newer", Outcome: "refused: INVALID_ARGUMENT"})
		}},
	}...)
}

// table returns checks that need no client.
func table() []check.Check {
	all := append(good()[:3], fake()[len(good()):]...)
	for i := range all {
		all[i].Library = true
	}
	return all
}

// late returns checks, one of which makes the process exit later: during another, or a moment later
// if it runs alone.
func late() []check.Check {
	exit := func() {
		fmt.Fprintln(os.Stderr, "too late")
		os.Exit(7)
	}
	return []check.Check{
		{Rule: "CLI-14", Run: func(t *check.T) {
			good()[3].Run(t)
			before.Add(1)
		}},
		{Rule: "BUF-01", Run: func(*check.T) {
			if before.Add(1) == 1 {
				time.AfterFunc(100*time.Millisecond, exit)
			}
		}},
		{Rule: "BUF-02", Run: func(*check.T) {
			if before.Load() == 2 { // not by a timer, since nobody knows when this check begins
				exit()
			}
		}},
		{Rule: "BUF-03", Run: func(*check.T) {}},
	}
}

// before counts the checks that have run in this process, of those that increment it.
var before atomic.Int32
