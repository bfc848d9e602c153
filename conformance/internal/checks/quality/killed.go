// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package quality

import (
	"time"

	"github.com/purepjrt/purepjrt/conformance/internal/check"
)

// childPatience is how long a check's child process may take to make a client and run a
// program.
const childPatience = 90 * time.Second

// The steps of killed's child processes.
const (
	stepExecute = "execute" // and continue to do so after the step is done
	stepRun     = "run"
)

// killed ends a process in the middle of an execution, as the system may at any time.
// The next process must find the device as it was. The check itself has no client: a
// device may serve only one process.
func killed(t *check.T) {
	t.NeedsDevice()
	for _, step := range []string{stepRun, stepExecute, stepRun} {
		child := t.Spawn()
		r, ending := t.Step(child, step, childPatience)
		what := map[string]string{stepRun: "makes a client and runs a program", stepExecute: "executes without end"}[step]
		switch {
		case ending != nil:
			t.Fatalf("a process that %s: expected it to do so, but %s", what, ending.How)
		case r.Verdict.Skipped():
			t.SkipEnvf("%s", r.Skip)
		case r.Verdict != check.Pass:
			t.Fatalf("a process that %s: %q", what, r.Failures)
		}
		child.Kill()
	}
}

// killedStep is the work of killed's child processes.
func killedStep(t *check.T, step string) {
	if step == stepRun {
		c := t.Client()
		out := t.Run(t.Compile(c, check.AddOne), 1, check.Upload(t, c, []float32{1, 2, 3, 4}))
		check.ExpectBuffer(t, out[0], []float32{2, 3, 4, 5}, "a program in a new process")
		return
	}
	// The check owns nothing here, since it is all in use until the process ends.
	w := &worker{t: t, c: t.Client()}
	w.exe = check.Disown(t, t.Compile(w.c, check.Heavy))
	out, err := check.Try(t, check.HostArgs(w.c, check.HeavyInput(), check.HeavyRows, check.HeavyRows))
	if err == nil {
		err = w.wait(out.DoneWithHostBuffer)
	}
	if err != nil {
		t.Fatalf("%v", err)
	}
	executed := make(chan error, 1)
	go func() {
		for n := 1; ; n++ {
			result, err := w.addOne(out.Buffer)
			if err == nil {
				err = w.destroy(result)
			}
			if n == 2 || err != nil {
				select {
				case executed <- err:
				default:
				}
			}
			if err != nil {
				return
			}
		}
	}()
	select {
	case err := <-executed:
		if err != nil {
			t.Fatalf("%v", err)
		}
	case <-t.Context().Done():
	}
}
