// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package quality

import (
	"bytes"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/conformance/internal/check"
)

// The random numbers are the same in every run: a check that fails fails again.

func fuzzChecks() []check.Check {
	var list []check.Check
	for _, family := range slices.Sorted(maps.Keys(families)) {
		arguments := func(variant string, p check.Profile, limit time.Duration, random int) check.Check {
			return check.Check{
				Rule: "FUZZ-01", Variant: "functions=" + family + variant, Profile: p, Timeout: limit, Library: true, Hostile: true,
				Run: func(t *check.T) { fuzzArguments(t, family, random) }, Helper: fuzzStep,
			}
		}
		list = append(list, arguments("", check.Quick, 4*time.Minute, 0),
			arguments(",fields=several", check.Full, 10*time.Minute, families[family].several))
	}
	list = append(list, counted("FUZZ-02", 150, 5000, true, mutatedPrograms)...)
	list = append(list,
		check.Check{Rule: "FUZZ-02", Variant: "options", Hostile: true, Run: mutatedOptions},
		check.Check{Rule: "FUZZ-03", Hostile: true, Run: truncatedExecutables},
		check.Check{Rule: "FUZZ-03", Variant: "changed bytes", Profile: check.Core, Timeout: time.Minute, Hostile: true,
			Run: damagedExecutables},
	)
	return append(list, counted("FUZZ-04", 400, 20000, false, sequences)...)
}

// seeds are the programs that mutations begin with.
var seeds = []string{check.AddOne, check.Add, check.Pair, check.Donate}

// mutate changes a text a little: bytes dropped, doubled, replaced, or a piece
// moved elsewhere.
func mutate(r *rand.Rand, text string) string {
	b := []byte(text)
	for range 1 + r.IntN(3) {
		if len(b) == 0 {
			return ""
		}
		at := r.IntN(len(b))
		n := min(1+r.IntN(8), len(b)-at)
		switch r.IntN(5) {
		case 0:
			b = slices.Delete(b, at, at+n)
		case 1:
			b = slices.Insert(b, at, bytes.Clone(b[at:at+n])...)
		case 2:
			b[at] = byte(r.IntN(256))
		case 3:
			b[at] = "0123456789<>(){}%x:,=-\"\n"[r.IntN(24)]
		case 4:
			piece := bytes.Clone(b[at : at+n])
			b = slices.Delete(b, at, at+n)
			b = slices.Insert(b, r.IntN(len(b)+1), piece...)
		}
	}
	return string(b)
}

// compileOnce compiles a program and destroys the executable.
func compileOnce(t *check.T, args capi.ClientCompileArgs) error {
	out, err := check.Try(t, args)
	if err != nil {
		return err
	}
	_, err = check.Try(t, capi.LoadedExecutableDestroyArgs{Executable: out.Executable})
	return err
}

// mutatedPrograms compiles texts that are nearly programs. They compile or are refused;
// afterwards an intact program still compiles.
func mutatedPrograms(t *check.T, n int) {
	r := rand.New(rand.NewPCG(2, 2))
	c := t.Client()
	compiled := 0
	for i := range n {
		text := mutate(r, seeds[i%len(seeds)])
		t.Doing("PJRT_Client_Compile of %q", text)
		out, err := check.Try(t, t.CompileArgs(c, text, check.Devices(1, 1)))
		if err == nil {
			compiled++
			check.Call(t, capi.LoadedExecutableDestroyArgs{Executable: out.Executable})
		}
	}
	t.Notef("%d of %d changed programs compile", compiled, n)
	if compiled == n {
		t.Errorf("expected most of %d damaged programs to be refused, but all succeeded", n)
	}
	w := &worker{t: t, c: c, rand: r}
	w.exe = t.Compile(c, check.AddOne)
	if err := w.round(); err != nil {
		t.Errorf("after the damaged programs: %v", err)
	}
}

// mutatedOptions compiles with options that are nearly a CompileOptionsProto.
func mutatedOptions(t *check.T) {
	r := rand.New(rand.NewPCG(3, 3))
	c := t.Client()
	refused := 0
	for range 150 {
		options := []byte(mutate(r, string(check.Devices(1, 1))))
		t.Doing("PJRT_Client_Compile with the options % x", options)
		out, err := check.Try(t, t.CompileArgs(c, check.AddOne, options))
		if err != nil {
			refused++
			continue
		}
		check.Call(t, capi.LoadedExecutableDestroyArgs{Executable: out.Executable})
	}
	if refused == 0 {
		t.Errorf("expected some of 150 damaged options to be refused, but all succeeded")
	}
	t.Compile(c, check.AddOne)
}

// saved returns a serialized program.
func saved(t *check.T) []byte {
	return t.Serialize(t.Executable(t.Compile(t.Client(), check.AddOne)))
}

// load loads an executable and destroys it.
func load(t *check.T, data []byte) error {
	args := capi.ExecutableDeserializeAndLoadArgs{Client: t.Client().Handle}
	args.SerializedExecutable, args.SerializedExecutableSize = capi.BytesData(data)
	out, err := check.Try(t, args)
	if err != nil {
		return err
	}
	_, err = check.Try(t, capi.LoadedExecutableDestroyArgs{Executable: out.LoadedExecutable})
	return err
}

func truncatedExecutables(t *check.T) {
	data := saved(t)
	loaded := 0
	for i := range 16 {
		short := data[:len(data)*i/16]
		t.Doing("PJRT_Executable_DeserializeAndLoad of the first %d of %d bytes", len(short), len(data))
		if load(t, short) == nil {
			loaded++
		}
	}
	if loaded > 0 {
		t.Errorf("expected truncated executables to be refused, got success for %d of 16", loaded)
	}
	t.NoError(load(t, data), "the whole executable")
}

func damagedExecutables(t *check.T) {
	r := rand.New(rand.NewPCG(4, 4))
	data := saved(t)
	refused := 0
	for range 100 {
		damaged := bytes.Clone(data)
		for range 1 + r.IntN(4) {
			damaged[r.IntN(len(damaged))] ^= 1 << r.IntN(8)
		}
		t.Doing("PJRT_Executable_DeserializeAndLoad of %d bytes, some of them changed", len(damaged))
		if load(t, damaged) != nil {
			refused++
		}
	}
	t.Notef("%d of 100 executables with changed bytes are refused", refused)
	t.NoError(load(t, data), "the whole executable")
}

// modelled is a buffer of the model: what it must hold, or that it was deleted.
type modelled struct {
	buffer  *capi.Buffer
	data    []float32
	deleted bool
}

// sequences makes random calls on a few buffers, and keeps a model of what each
// must hold.
func sequences(t *check.T, n int) {
	r := rand.New(rand.NewPCG(5, 5))
	w := &worker{t: t, c: t.Client(), rand: r}
	w.exe = t.Compile(w.c, check.AddOne)
	var live []*modelled
	var trace []string
	note := func(format string, args ...any) {
		trace = append(trace, fmt.Sprintf(format, args...))
		if len(trace) > 12 {
			trace = trace[1:]
		}
	}
	fail := func(format string, args ...any) {
		t.Fatalf("%s; the last calls were %q", fmt.Sprintf(format, args...), trace)
	}
	for step := range n {
		if len(live) == 0 || len(live) < 6 && r.IntN(3) == 0 {
			data := []float32{float32(step), 1, 2, 3}
			b, err := w.upload(data)
			if err != nil {
				fail("upload: %v", err)
			}
			note("upload")
			live = append(live, &modelled{buffer: b, data: data})
			continue
		}
		i := r.IntN(len(live))
		m := live[i]
		switch r.IntN(6) {
		case 0:
			note("download %d", i)
			got, err := w.download(m.buffer, 4)
			switch {
			case m.deleted && err == nil:
				fail("expected an error of a download after Delete, got %v", got)
			case !m.deleted && err != nil:
				fail("download: %v", err)
			case !m.deleted && !slices.Equal(got, m.data):
				fail("expected %v, got %v", m.data, got)
			}
		case 1:
			note("execute %d", i)
			out, err := w.addOne(m.buffer)
			switch {
			case m.deleted && err == nil:
				fail("expected an error of an execution on a deleted buffer, got success")
			case !m.deleted && err != nil:
				fail("execute: %v", err)
			case !m.deleted:
				data := make([]float32, 4)
				for k := range data {
					data[k] = m.data[k] + 1
				}
				live = append(live, &modelled{buffer: out, data: data})
			}
		case 2:
			note("delete %d", i)
			if _, err := check.Try(t, capi.BufferDeleteArgs{Buffer: m.buffer}); err != nil {
				fail("delete: %v", err)
			}
			m.deleted = true
		case 3:
			note("is deleted %d", i)
			out, err := check.Try(t, capi.BufferIsDeletedArgs{Buffer: m.buffer})
			if err != nil || out.IsDeleted != m.deleted {
				fail("is_deleted: expected %v, got %v, %v", m.deleted, out.IsDeleted, err)
			}
		case 4:
			note("dimensions %d", i)
			if _, err := check.Try(t, capi.BufferDimensionsArgs{Buffer: m.buffer}); err != nil {
				fail("dimensions: %v", err)
			}
		case 5:
			note("destroy %d", i)
			if err := w.destroy(m.buffer); err != nil {
				fail("destroy: %v", err)
			}
			live = slices.Delete(live, i, i+1)
		}
	}
	for _, m := range live {
		if err := w.destroy(m.buffer); err != nil {
			fail("destroy: %v", err)
		}
	}
}
