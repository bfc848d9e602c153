// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/safetensors"
	"github.com/purepjrt/purepjrt/tools/bench/internal/child"
)

// prepareWhole prepares the jobs that users wait for: see the rows of group jobs.
func (o *ours) prepareWhole(job string, param int) (*child.Job, error) {
	job, flags, _ := strings.Cut(job, "+")
	options := &pjrt.CompileOptions{Flags: flagSets[flags]}
	switch name, of, _ := strings.Cut(job, ":"); {
	case name == "model":
		return o.model(of, options)
	case name == "load", name == "load-mapped":
		return o.loadWeights(param, name == "load-mapped"), nil
	case strings.HasPrefix(name, "devices-"):
		return o.spread(fmt.Sprintf("%s-%d", name, param), param)
	case name == "compile-together":
		return o.compileTogether(param)
	}
	return nil, nil
}

// flagSets are flags of XLA that may make programs faster, by what follows a plus in
// the name of a job.
var flagSets = map[string]map[string]any{
	// Sums may be computed in another order. Without the other flags the compiler also assumes that
	// there are no infinities, with which the transformer masks what a token must not see.
	"fast-math": {
		"xla_cpu_enable_fast_math": true, "xla_cpu_fast_math_honor_infs": true, "xla_cpu_fast_math_honor_nans": true,
		"xla_cpu_fast_math_honor_division": true, "xla_cpu_fast_math_honor_functions": true,
	},
}

// description says what to do with the program of a model: see programs/jobs/models.py.
type description struct {
	args    []argument
	carry   []carried
	read    int
	results int
}

type argument struct {
	array   pjrt.HostArray
	write   bool // it comes from the host each time
	donated bool
}

// carried is a result that takes the place of an argument.
type carried struct{ result, argument int }

func describe(name string) (d description, err error) {
	text, err := os.ReadFile(filepath.Join(os.Getenv("BENCH_PROGRAMS"), name+".job"))
	if err != nil {
		return d, err
	}
	lines := bufio.NewScanner(bytes.NewReader(text))
	for lines.Scan() {
		words := strings.Fields(lines.Text())
		var numbers []int64
		for _, w := range words {
			if n, err := strconv.ParseInt(w, 10, 64); err == nil {
				numbers = append(numbers, n)
			}
		}
		switch words[0] {
		case "arg":
			d.args = append(d.args, argument{array: filled(words[1], words[2], numbers[1:])})
		case "write":
			d.args[numbers[0]].write = true
		case "carry":
			d.args[numbers[1]].donated = true
			d.carry = append(d.carry, carried{int(numbers[0]), int(numbers[1])})
		case "read":
			d.read = int(numbers[0])
		case "results":
			d.results = int(numbers[0])
		}
	}
	return d, lines.Err()
}

// filled returns an array of numbers, the same as the other programs make, or of zeros.
func filled(kind, fill string, dims []int64) pjrt.HostArray {
	count := int64(1)
	for _, d := range dims {
		count *= d
	}
	if kind == "s32" {
		values := make([]int32, count)
		for i := range values {
			values[i] = 1
		}
		a := pjrt.ArrayOf(values)
		a.Dims = dims
		return a
	}
	values := make([]float32, count)
	if fill == "numbers" {
		for i := range values {
			values[i] = float32(uint32(i)*2654435761>>16&0xFF)/2550 - 0.05
		}
	}
	a := pjrt.ArrayOf(values)
	a.Dims = dims
	return a
}

// model writes arguments, executes, puts results in the place of arguments and reads one result, as
// the examples transformer and mlp do. The other arguments are bound.
func (o *ours) model(name string, options *pjrt.CompileOptions) (*child.Job, error) {
	d, err := describe(name)
	if err != nil {
		return nil, err
	}
	code, _, err := program(name, 1)
	if err != nil {
		return nil, err
	}
	exe, err := o.client.Compile(o.ctx, pjrt.Program{Code: code}, options)
	if err != nil {
		return nil, err
	}
	args := make([]*pjrt.Buffer, 0, len(d.args)) // those that are not bound, in their order
	place := make([]int, len(d.args))            // of an argument in args
	fixed := make([]pjrt.Argument, len(d.args))
	var all []*pjrt.Buffer
	for i := range d.args {
		b, err := o.client.BufferFromHost(o.ctx, d.args[i].array, nil)
		if err != nil {
			return nil, err
		}
		if d.args[i].write || d.args[i].donated {
			place[i] = len(args)
			args = append(args, b)
			continue
		}
		fixed[i] = pjrt.Argument{Buffers: []*pjrt.Buffer{b}}
		all = append(all, b)
	}
	bound, err := exe.Bind(o.ctx, fixed...)
	if err != nil {
		return nil, err
	}
	outs, execution := make([]*pjrt.Buffer, d.results), &pjrt.ExecuteOptions{Bound: bound}
	var result []byte
	once := func() error {
		for i := range d.args {
			if !d.args[i].write {
				continue
			}
			args[place[i]].Close()
			if args[place[i]], err = o.client.BufferFromHost(o.ctx, d.args[i].array, nil); err != nil {
				return err
			}
		}
		if err := exe.ExecuteInto(o.ctx, outs, args, execution); err != nil {
			return err
		}
		if result == nil {
			whole, err := outs[d.read].ToHost(o.ctx)
			if err != nil {
				return err
			}
			result = whole.Data
		} else if _, err := outs[d.read].ToHostInto(o.ctx, result); err != nil {
			return err
		}
		for _, c := range d.carry {
			args[place[c.argument]].Close() // its contents went to the result
			args[place[c.argument]], outs[c.result] = outs[c.result], nil
		}
		return closeAll([][]*pjrt.Buffer{outs})
	}
	return child.Loop(once, func() error {
		return errors.Join(closeAll([][]*pjrt.Buffer{args, all}), bound.Close(), exe.Close())
	}), nil
}

// loadWeights puts the arrays of a file on the device.
func (o *ours) loadWeights(size int, mapped bool) *child.Job {
	name := filepath.Join(os.Getenv("BENCH_PROGRAMS"), fmt.Sprintf("load-%d.safetensors", size))
	return child.Loop(func() error {
		f, err := safetensors.Open(name)
		if err != nil {
			return err
		}
		defer f.Close()
		arrays, err := f.Load(o.ctx, o.client, &safetensors.LoadOptions{Map: mapped})
		if err != nil {
			return err
		}
		for _, b := range arrays {
			if err := b.Close(); err != nil {
				return err
			}
		}
		return nil
	}, nil)
}

// spread executes a program on several devices.
func (o *ours) spread(name string, devices int) (*child.Job, error) {
	d, err := describe(name)
	if err != nil {
		return nil, err
	}
	p, err := o.load(name, devices, 0)
	if err != nil {
		return nil, err
	}
	for i, device := range p.exe.Devices() {
		for _, a := range d.args {
			b, err := p.client.BufferFromHost(o.ctx, a.array, &pjrt.BufferOptions{Device: device})
			if err != nil {
				return nil, err
			}
			p.args[i] = append(p.args[i], b)
		}
	}
	return p.onAllDevices(o.ctx), nil
}

// compileTogether compiles a program several times at once.
func (o *ours) compileTogether(count int) (*child.Job, error) {
	code, _, err := program("step-mlp-128", 1)
	if err != nil {
		return nil, err
	}
	return child.Loop(func() error {
		errs := make([]error, count)
		var all sync.WaitGroup
		for i := range count {
			all.Go(func() {
				exe, err := o.client.Compile(o.ctx, pjrt.Program{Code: code}, nil)
				if err == nil {
					err = exe.Close()
				}
				errs[i] = err
			})
		}
		all.Wait()
		return errors.Join(errs...)
	}, nil), nil
}
