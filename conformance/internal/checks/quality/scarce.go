// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package quality

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/conformance/internal/check"
)

// plenty is more memory than there is when an action of scarce runs; spare is how much
// there is.
const (
	plenty = 256 << 20
	spare  = 48 << 20
)

// The names of the actions of scarce.
const (
	anUpload     = "an upload"
	anExecution  = "an execution"
	aCompilation = "a compilation"
)

// scarceActions need plenty bytes of memory. Each prepares what it can and returns the
// call to try without that memory.
var scarceActions = []struct {
	name    string
	prepare func(t *check.T, w *worker, memory []byte) (func() error, error)
}{
	{anUpload, func(t *check.T, w *worker, memory []byte) (func() error, error) {
		return func() error {
			args := check.HostArgs(w.c, memory)
			args.HostBufferSemantics = capi.HostBufferSemanticsImmutableOnlyDuringCall
			out, err := check.Try(t, args)
			if err != nil {
				return err
			}
			if err := w.wait(out.DoneWithHostBuffer); err != nil {
				return err
			}
			return w.destroyReady(out.Buffer)
		}, nil
	}},
	{anExecution, func(t *check.T, w *worker, _ []byte) (func() error, error) {
		out, err := check.Try(t, t.CompileArgs(w.c, fmt.Sprintf(`module @large {
  func.func @main(%%a: tensor<f32>) -> tensor<%[1]dxf32> {
    %%0 = stablehlo.broadcast_in_dim %%a, dims = [] : (tensor<f32>) -> tensor<%[1]dxf32>
    return %%0 : tensor<%[1]dxf32>
  }
}`, plenty/4), check.Devices(1, 1)))
		if err != nil {
			return nil, err
		}
		in := check.Upload(t, w.c, []float32{1}, []int64{}...)
		x := check.NewExecution(out.Executable, 1, []*capi.Buffer{in})
		return func() error {
			if err := x.Execute(t); err != nil {
				return err
			}
			err := w.wait(x.Events[0])
			if e := w.destroy(x.Outputs[0][0]); err == nil {
				err = e
			}
			return err
		}, nil
	}},
	{aCompilation, func(t *check.T, w *worker, _ []byte) (func() error, error) {
		const size = spare // the text has twice that, and exists before
		args := t.CompileArgs(w.c, fmt.Sprintf(`module @constant {
  func.func @main() -> tensor<%[1]dxui8> {
    %%0 = stablehlo.constant dense<"0x%[2]s"> : tensor<%[1]dxui8>
    return %%0 : tensor<%[1]dxui8>
  }
}`, size, strings.Repeat("0123456789abcdef", size/8)), check.Devices(1, 1))
		return func() error { return compileOnce(t, args) }, nil
	}},
}

// destroyReady waits for a buffer and destroys it.
func (w *worker) destroyReady(b *capi.Buffer) error {
	out, err := check.Try(w.t, capi.BufferReadyEventArgs{Buffer: b})
	if err == nil {
		err = w.wait(out.Event)
	}
	if e := w.destroy(b); err == nil {
		err = e
	}
	return err
}

// scarce lets actions run out of memory, each in a process of its own with a limited
// address space. An error is as good as success. If the process's Go runtime runs out
// first, that proves nothing.
func scarce(t *check.T, actions ...string) {
	t.NeedsDevice()
	told := 0
	for _, action := range actions {
		child := t.Spawn()
		r, ending := t.Step(child, action, childPatience)
		child.Kill()
		switch {
		case ending != nil && (ending.Suite || goWords.MatchString(ending.Output)):
			t.Notef("%s: the Go runtime ran out of memory before the plugin", action)
			continue
		case ending != nil:
			t.Errorf("%s that needs more memory than there is: expected an error, but %s; its last words: %s", action, ending.How,
				last(ending.Output))
		case r.Verdict.Skipped():
			t.SkipEnvf("%s", r.Skip)
		case r.Verdict != check.Pass:
			t.Errorf("%s that needs more memory than there is: %s", action, strings.Join(r.Failures, "; "))
		default:
			t.Notef("%s: %s", action, strings.Join(r.Notes, "; "))
		}
		told++
	}
	if told == 0 {
		t.SkipEnvf("the Go runtime ran out of the memory that the plugin should lack")
	}
}

// goWords matches what the Go runtime prints when it runs out of memory itself.
var goWords = regexp.MustCompile(`(?m)^(fatal error|runtime|runtime/cgo): `)

// last returns the last line that is not empty.
func last(output string) string {
	lines := strings.Split(strings.TrimSpace(output), "\n")
	for i := len(lines) - 1; i >= 0; i-- {
		if l := strings.TrimSpace(lines[i]); l != "" {
			return l[:min(len(l), 300)]
		}
	}
	return "nothing"
}
