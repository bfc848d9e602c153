// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
	"github.com/purepjrt/purepjrt/tools/bench/internal/child"
)

// ours does the jobs with package pjrt.
type ours struct {
	ctx    context.Context
	plugin *pjrt.Plugin
	client *pjrt.Client

	registered bool // whether the custom call is registered
}

func serveOurs(path string) error {
	o := &ours{ctx: context.Background()}
	start := time.Now()
	var err error
	if o.plugin, err = pjrt.Open(path); err != nil {
		return err
	}
	opened := time.Now()
	if o.client, err = o.plugin.NewClient(o.ctx, &pjrt.ClientOptions{Create: createOptions(1)}); err != nil {
		return err
	}
	ready := child.Ready{Open: opened.Sub(start), Client: time.Since(opened)}
	ready.Major, ready.Minor = o.plugin.Version()
	return answer(ready, o.prepare)
}

func (o *ours) prepare(job string, param int) (*child.Job, error) {
	switch job {
	case "execute":
		return o.execute(o.ctx)
	case "execute-context":
		ctx, cancel := context.WithCancel(o.ctx)
		j, err := o.execute(ctx)
		if err != nil {
			cancel()
			return nil, err
		}
		closing := j.Close
		j.Close = func() error { cancel(); return closing() }
		return j, nil
	case "execute-steady":
		return o.executeSteady()
	case "dispatch":
		return o.dispatch()
	case "many":
		return o.executeInto("many", 200, 100)
	case "arguments":
		return o.executeInto(fmt.Sprint("arguments-", param), param, 1)
	case "devices":
		return o.executeAll(param)
	case "threads":
		return o.threads(param)
	case "inflight":
		return o.inflight(param)
	case "create":
		ctx, client, data := o.ctx, o.client, []float32{1, 2, 3, 4} // as a caller has them, not behind pointers
		return child.Timed(func(n int) error {
			for range n {
				b, err := pjrt.FromSlice(ctx, client, data, 4)
				if err != nil {
					return err
				}
				if err := b.Close(); err != nil {
					return err
				}
			}
			return nil
		}, nil), nil
	case "upload":
		return o.upload(param, pjrt.OnlyDuringCall)
	case "zerocopy":
		return o.upload(param, pjrt.ImmutableZeroCopy)
	case "download":
		return o.download(param)
	case "alive":
		return o.alive(param)
	case "compile":
		return o.compile("add")
	case "constants":
		return o.compile(fmt.Sprint("constants-", param))
	case "client":
		return child.Loop(func() error {
			c, err := o.plugin.NewClient(o.ctx, &pjrt.ClientOptions{Create: createOptions(1)})
			if err != nil {
				return err
			}
			return c.Close()
		}, nil), nil
	}
	if j, err := o.prepareAlone(job, param); j != nil || err != nil {
		return j, err
	}
	return o.prepareWhole(job, param)
}

// compiled has a program and its arguments, all of them f32[4].
type compiled struct {
	client *pjrt.Client
	exe    *pjrt.LoadedExecutable
	args   [][]*pjrt.Buffer
	own    bool // the client is this program's own
}

func (o *ours) load(name string, devices, args int) (*compiled, error) {
	code, encoded, err := program(name, devices)
	if err != nil {
		return nil, err
	}
	options, err := pjrt.DecodeCompileOptions(encoded)
	if err != nil {
		return nil, err
	}
	c := &compiled{client: o.client}
	if devices > 1 {
		create := &pjrt.ClientOptions{Create: createOptions(devices)}
		if c.client, err = o.plugin.NewClient(o.ctx, create); err != nil {
			return nil, err
		}
		c.own = true
	}
	if c.exe, err = c.client.Compile(o.ctx, pjrt.Program{Code: code}, options); err != nil {
		return nil, err
	}
	for _, d := range c.exe.Devices() {
		list := make([]*pjrt.Buffer, args)
		for i := range list {
			array := pjrt.ArrayOf([]float32{1, 2, 3, 4}, 4)
			if list[i], err = c.client.BufferFromHost(o.ctx, array, &pjrt.BufferOptions{Device: d}); err != nil {
				return nil, err
			}
		}
		c.args = append(c.args, list)
	}
	return c, nil
}

func (c *compiled) Close() error {
	errs := []error{closeAll(c.args), c.exe.Close()}
	if c.own {
		errs = append(errs, c.client.Close())
	}
	return errors.Join(errs...)
}

func closeAll(lists [][]*pjrt.Buffer) error {
	for _, l := range lists {
		for _, b := range l {
			if err := b.Close(); err != nil {
				return err
			}
		}
	}
	return nil
}

func (o *ours) execute(ctx context.Context) (*child.Job, error) {
	p, err := o.load("add", 1, 2)
	if err != nil {
		return nil, err
	}
	exe, args := p.exe, p.args[0]
	return child.Timed(func(n int) error {
		for range n {
			outs, err := exe.Execute(ctx, args, nil)
			if err != nil {
				return err
			}
			if err := outs[0].Close(); err != nil {
				return err
			}
		}
		return nil
	}, p.Close), nil
}

// executeInto passes Execute the slice for its results.
func (o *ours) executeInto(name string, args, results int) (*child.Job, error) {
	p, err := o.load(name, 1, args)
	if err != nil {
		return nil, err
	}
	outs := make([][]*pjrt.Buffer, 1)
	outs[0] = make([]*pjrt.Buffer, results)
	return child.Timed(func(n int) error {
		for range n {
			if err := p.exe.ExecuteInto(o.ctx, outs[0], p.args[0], nil); err != nil {
				return err
			}
			if err := closeAll(outs); err != nil {
				return err
			}
		}
		return nil
	}, p.Close), nil
}

// executeSteady does what a server does: the first argument is bound, and results replace the
// last ones.
func (o *ours) executeSteady() (*child.Job, error) {
	p, err := o.load("add", 1, 2)
	if err != nil {
		return nil, err
	}
	bound, err := p.exe.Bind(o.ctx, pjrt.Argument{Buffers: p.args[0][:1]})
	if err != nil {
		return nil, err
	}
	outs, options := make([]*pjrt.Buffer, 1), &pjrt.ExecuteOptions{Bound: bound, ReuseResults: true}
	ctx, exe, args := o.ctx, p.exe, p.args[0][1:]
	return child.Timed(func(n int) error {
		for range n {
			if err := exe.ExecuteInto(ctx, outs, args, options); err != nil {
				return err
			}
		}
		return nil
	}, func() error { return errors.Join(outs[0].Close(), bound.Close(), p.Close()) }), nil
}

func (o *ours) dispatch() (*child.Job, error) {
	p, err := o.load("add", 1, 2)
	if err != nil {
		return nil, err
	}
	return child.Timed(func(n int) error {
		for range n {
			outs, done, err := p.exe.Start(o.ctx, p.args[0], nil)
			if err != nil {
				return err
			}
			done.Close()
			if err := outs[0].Close(); err != nil {
				return err
			}
		}
		return nil
	}, p.Close), nil
}

func (o *ours) executeAll(devices int) (*child.Job, error) {
	p, err := o.load("add", devices, 2)
	if err != nil {
		return nil, err
	}
	return p.onAllDevices(o.ctx), nil
}

// onAllDevices is the job of executing on all devices.
func (p *compiled) onAllDevices(ctx context.Context) *child.Job {
	return child.Loop(func() error {
		outs, err := p.exe.ExecuteAll(ctx, p.args, nil)
		if err != nil {
			return err
		}
		return closeAll(outs)
	}, p.Close)
}

// threads divides executions among goroutines.
func (o *ours) threads(goroutines int) (*child.Job, error) {
	p, err := o.load("add", 1, 2)
	if err != nil {
		return nil, err
	}
	return child.Divided(goroutines, func() func() error {
		outs := make([]*pjrt.Buffer, 1)
		return func() error {
			if err := p.exe.ExecuteInto(o.ctx, outs, p.args[0], nil); err != nil {
				return err
			}
			return outs[0].Close()
		}
	}, p.Close), nil
}

// inflight starts several executions before it waits for the first.
func (o *ours) inflight(count int) (*child.Job, error) {
	p, err := o.load("add", 1, 2)
	if err != nil {
		return nil, err
	}
	outs, done := make([]*pjrt.Buffer, count), make([]*pjrt.Event, count)
	return child.Loop(func() error {
		for i := range count {
			results, e, err := p.exe.Start(o.ctx, p.args[0], nil)
			if err != nil {
				return err
			}
			outs[i], done[i] = results[0], e
		}
		for i, e := range done {
			if err := e.Wait(o.ctx); err != nil {
				return err
			}
			e.Close()
			outs[i].Close()
		}
		return nil
	}, p.Close), nil
}

func (o *ours) upload(bytes int, semantics pjrt.HostBufferSemantics) (*child.Job, error) {
	array := pjrt.ArrayOf(pjrt.AlignedSlice[float32](bytes/4), int64(bytes/4))
	for i := range array.Data {
		array.Data[i] = 1
	}
	options := &pjrt.BufferOptions{Semantics: semantics}
	return child.Timed(func(n int) error {
		for range n {
			b, err := o.client.BufferFromHost(o.ctx, array, options)
			if err != nil {
				return err
			}
			if err := b.Close(); err != nil {
				return err
			}
		}
		return nil
	}, nil), nil
}

func (o *ours) download(bytes int) (*child.Job, error) {
	b, err := pjrt.FromSlice(o.ctx, o.client, make([]float32, bytes/4), int64(bytes/4))
	if err != nil {
		return nil, err
	}
	dst := dtype.Bytes(make([]float32, bytes/4))
	return child.Loop(func() error {
		_, err := b.ToHostInto(o.ctx, dst)
		return err
	}, b.Close), nil
}

// alive makes and closes a buffer while others live.
func (o *ours) alive(count int) (*child.Job, error) {
	all := [][]*pjrt.Buffer{make([]*pjrt.Buffer, count)}
	data := []float32{1, 2, 3, 4}
	var err error
	for i := range all[0] {
		if all[0][i], err = pjrt.FromSlice(o.ctx, o.client, data, 4); err != nil {
			return nil, err
		}
	}
	return child.Timed(func(n int) error {
		for range n {
			b, err := pjrt.FromSlice(o.ctx, o.client, data, 4)
			if err != nil {
				return err
			}
			if err := b.Close(); err != nil {
				return err
			}
		}
		return nil
	}, func() error { return closeAll(all) }), nil
}

func (o *ours) compile(name string) (*child.Job, error) {
	code, encoded, err := program(name, 1)
	if err != nil {
		return nil, err
	}
	options, err := pjrt.DecodeCompileOptions(encoded)
	if err != nil {
		return nil, err
	}
	return child.Loop(func() error {
		exe, err := o.client.Compile(o.ctx, pjrt.Program{Code: code}, options)
		if err != nil {
			return err
		}
		return exe.Close()
	}, nil), nil
}
