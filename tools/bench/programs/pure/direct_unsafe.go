// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package main

import (
	"errors"
	"fmt"
	"runtime"
	"time"
	"unsafe"

	"github.com/ebitengine/purego"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/capi/serve"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/tools/bench/internal/child"
)

// direct makes calls through capi, or through purego with the structs of capi. With purego it makes
// the calls that the program in C makes; with capi it makes those that package pjrt makes, so that
// its numbers are the floor for pjrt's.
type direct struct {
	table  *capi.Table
	bare   bool
	client *capi.Client
	device *capi.Device
}

// call is a call of capi that can also be made through purego. The function is looked up for purego
// at the first use.
type call[A any] struct {
	capi.Call[A]
	code uintptr
	argv [1]uintptr
}

func (c *call[A]) do(d *direct) error {
	if !d.bare {
		return c.Do(d.table)
	}
	if c.code == 0 {
		fn := c.Function()
		c.code = *(*uintptr)(unsafe.Add(unsafe.Pointer(d.table.API()), fn.Offset))
		*(*uintptr)(unsafe.Pointer(&c.Args)) = fn.Size
	}
	c.argv[0] = uintptr(unsafe.Pointer(&c.Args)) // calls are on the heap, so the address stays valid
	r, _, _ := purego.SyscallN(c.code, c.argv[:]...)
	runtime.KeepAlive(c)
	if r != 0 && !c.Function().Void {
		return d.table.TakeError((*capi.ErrorHandle)(*(*unsafe.Pointer)(unsafe.Pointer(&r))))
	}
	return nil
}

func serveDirect(path string, bare bool) error {
	start := time.Now()
	table, err := capi.Open(path)
	if err != nil {
		return err
	}
	d := &direct{table: table, bare: bare}
	opened := time.Now()
	if d.client, err = d.newClient(1); err != nil {
		return err
	}
	made := time.Now()
	devices, err := d.devices(d.client)
	if err != nil {
		return err
	}
	d.device = devices[0]
	ready := child.Ready{Open: opened.Sub(start), Client: made.Sub(opened)}
	ready.Major, ready.Minor = table.Version()
	return answer(ready, d.prepare)
}

// newClient makes a client of the plugin's default number of devices, or of several.
func (d *direct) newClient(devices int) (*capi.Client, error) {
	create := new(call[capi.ClientCreateArgs])
	if list := createOptions(devices); len(list) > 0 {
		options, err := capi.NewNamedValues(list)
		if err != nil {
			return nil, err
		}
		create.Args.CreateOptions, create.Args.NumOptions = options.Data()
		defer runtime.KeepAlive(options)
	}
	err := create.do(d)
	return create.Args.Client, err
}

func (d *direct) closeClient(client *capi.Client) error {
	c := new(call[capi.ClientDestroyArgs])
	c.Args.Client = client
	return c.do(d)
}

func (d *direct) devices(client *capi.Client) ([]*capi.Device, error) {
	c := new(call[capi.ClientAddressableDevicesArgs])
	c.Args.Client = client
	if err := c.do(d); err != nil {
		return nil, err
	}
	return unsafe.Slice(c.Args.AddressableDevices, c.Args.NumAddressableDevices), nil
}

func (d *direct) prepare(job string, param int) (*child.Job, error) {
	switch job {
	case "getter":
		c := new(call[capi.DeviceIsAddressableArgs])
		c.Args.Device = d.device
		return child.Timed(func(n int) error {
			for range n {
				if err := c.do(d); err != nil {
					return err
				}
			}
			return nil
		}, nil), nil
	case "getter-served", "getter-hooked", "getter-hooked-3", "getter-hooked-elsewhere":
		return d.served(job)
	case "execute":
		return d.execute("add", 1, 2, 1, true)
	case "execute-steady":
		return d.executeSteady()
	case "dispatch":
		return d.execute("add", 1, 2, 1, false)
	case "many":
		return d.execute("many", 1, 200, 100, true)
	case "arguments":
		return d.execute(fmt.Sprint("arguments-", param), 1, param, 1, true)
	case "devices":
		return d.execute("add", param, 2, 1, true)
	case "inflight":
		return d.inflight(param)
	case "upload", "create":
		semantics := capi.HostBufferSemanticsImmutableOnlyDuringCall
		if d.bare {
			semantics = capi.HostBufferSemanticsImmutableUntilTransferCompletes
		}
		u := d.newUpload(make([]float32, param/4), semantics)
		return child.Timed(u.upAndFree, nil), nil
	case "zerocopy":
		u := d.newUpload(pjrt.AlignedSlice[float32](param/4), capi.HostBufferSemanticsImmutableZeroCopy)
		return child.Timed(u.upAndFree, nil), nil
	case "download":
		return d.download(param)
	case "compile":
		return d.compileOften("add")
	case "constants":
		return d.compileOften(fmt.Sprint("constants-", param))
	}
	return nil, nil
}

// upload makes and frees a buffer.
type upload struct {
	d    *direct
	both *capi.Sequence // makes the buffer and frees the event in one crossing into C, as pjrt does; nil for purego
	up   call[capi.ClientBufferFromHostBufferArgs]
	wait call[capi.EventAwaitArgs]
	done call[capi.EventDestroyArgs]
	free call[capi.BufferDestroyArgs]
	dims [1]int64
	data []float32
}

// newUpload returns the calls for the first device of the common client.
func (d *direct) newUpload(data []float32, semantics capi.HostBufferSemantics) *upload {
	u := &upload{d: d, dims: [1]int64{int64(len(data))}, data: data}
	for i := range data {
		data[i] = 1
	}
	u.up.Args.Client = d.client
	u.up.Args.Data = unsafe.Pointer(unsafe.SliceData(data))
	u.up.Args.Type = capi.BufferTypeF32
	u.up.Args.Dims, u.up.Args.NumDims = &u.dims[0], 1
	u.up.Args.HostBufferSemantics = semantics
	u.up.Args.Device = d.device
	if !d.bare && semantics == capi.HostBufferSemanticsImmutableOnlyDuringCall {
		u.both = new(capi.Sequence)
		u.both.Add(&u.up.Call)
		capi.AddFor(u.both, &u.done.Call, &u.up.Args.DoneWithHostBuffer, &u.done.Args.Event)
	}
	return u
}

func (u *upload) once() (*capi.Buffer, error) {
	if u.both != nil {
		_, err := u.both.Do(u.d.table)
		return u.up.Args.Buffer, err
	}
	if err := u.up.do(u.d); err != nil {
		return nil, err
	}
	if u.up.Args.HostBufferSemantics == capi.HostBufferSemanticsImmutableUntilTransferCompletes {
		u.wait.Args.Event = u.up.Args.DoneWithHostBuffer
		if err := u.wait.do(u.d); err != nil {
			return nil, err
		}
	}
	u.done.Args.Event = u.up.Args.DoneWithHostBuffer
	return u.up.Args.Buffer, u.done.do(u.d)
}

func (u *upload) upAndFree(n int) error {
	for range n {
		b, err := u.once()
		if err != nil {
			return err
		}
		u.free.Args.Buffer = b
		if err := u.free.do(u.d); err != nil {
			return err
		}
	}
	return nil
}

// download copies an array to the host: through the buffer's pointer if the host can read it, or,
// with purego, by the plugin.
func (d *direct) download(bytes int) (*child.Job, error) {
	u := d.newUpload(make([]float32, bytes/4), capi.HostBufferSemanticsImmutableOnlyDuringCall)
	b, err := u.once()
	if err != nil {
		return nil, err
	}
	u.free.Args.Buffer = b
	closing := func() error { return u.free.do(d) }
	onCPU := new(call[capi.BufferIsOnCPUArgs])
	onCPU.Args.Buffer = b
	if err := onCPU.do(d); err != nil {
		return nil, err
	}
	dst := make([]byte, bytes)
	if d.bare || !onCPU.Args.IsOnCPU {
		down, wait, done := new(call[capi.BufferToHostBufferArgs]), new(call[capi.EventAwaitArgs]), new(call[capi.EventDestroyArgs])
		down.Args.Src, down.Args.Dst, down.Args.DstSize = b, unsafe.Pointer(unsafe.SliceData(dst)), uintptr(bytes)
		return child.Loop(func() error {
			if err := down.do(d); err != nil {
				return err
			}
			wait.Args.Event, done.Args.Event = down.Args.Event, down.Args.Event
			return errors.Join(wait.do(d), done.do(d))
		}, closing), nil
	}
	hold, release := new(call[capi.BufferIncreaseExternalReferenceCountArgs]), new(call[capi.BufferDecreaseExternalReferenceCountArgs])
	pointer := new(call[capi.BufferUnsafePointerArgs])
	hold.Args.Buffer, release.Args.Buffer, pointer.Args.Buffer = b, b, b
	return child.Loop(func() error {
		if err := hold.do(d); err != nil {
			return err
		}
		if err := pointer.do(d); err != nil {
			return err
		}
		copy(dst, unsafe.Slice(*(**byte)(unsafe.Pointer(&pointer.Args.BufferPointer)), bytes))
		return release.do(d)
	}, closing), nil
}

func (d *direct) compile(client *capi.Client, code, options []byte) (*capi.LoadedExecutable, error) {
	c := new(call[capi.ClientCompileArgs])
	p := &capi.Program{StructSize: capi.ProgramSize}
	p.Code, p.CodeSize = capi.BytesData(code)
	p.Format, p.FormatSize = capi.StringData("mlir")
	c.Args.Client, c.Args.Program = client, p
	c.Args.CompileOptions, c.Args.CompileOptionsSize = capi.BytesData(options)
	err := c.do(d)
	return c.Args.Executable, err
}

func (d *direct) freeExecutable(exe *capi.LoadedExecutable) error {
	c := new(call[capi.LoadedExecutableDestroyArgs])
	c.Args.Executable = exe
	return c.do(d)
}

func (d *direct) compileOften(name string) (*child.Job, error) {
	code, options, err := program(name, 1)
	if err != nil {
		return nil, err
	}
	return child.Loop(func() error {
		exe, err := d.compile(d.client, code, options)
		if err != nil {
			return err
		}
		return d.freeExecutable(exe)
	}, nil), nil
}

// loaded has a program whose parameters and results are all f32[4], its arguments, and the calls
// that execute it.
type loaded struct {
	d       *direct
	client  *capi.Client
	exe     *capi.LoadedExecutable
	in      []*capi.Buffer
	out     []*capi.Buffer
	inLists []**capi.Buffer // of each device
	outList []**capi.Buffer
	done    []*capi.Event // of each device

	run        call[capi.LoadedExecutableExecuteArgs]
	await      call[capi.EventAwaitArgs]
	freeEvent  call[capi.EventDestroyArgs]
	freeBuffer call[capi.BufferDestroyArgs]
}

func (d *direct) load(name string, devices, args, results int) (*loaded, error) {
	code, options, err := program(name, devices)
	if err != nil {
		return nil, err
	}
	p := &loaded{d: d, client: d.client}
	if devices > 1 {
		if p.client, err = d.newClient(devices); err != nil {
			return nil, err
		}
	}
	if p.exe, err = d.compile(p.client, code, options); err != nil {
		return nil, err
	}
	on, err := d.devices(p.client)
	if err != nil {
		return nil, err
	}
	p.in, p.out, p.done = make([]*capi.Buffer, devices*args), make([]*capi.Buffer, devices*results), make([]*capi.Event, devices)
	u := d.newUpload(make([]float32, 4), capi.HostBufferSemanticsImmutableOnlyDuringCall)
	u.up.Args.Client = p.client
	for i := range devices {
		u.up.Args.Device = on[i]
		for k := range args {
			if p.in[i*args+k], err = u.once(); err != nil {
				return nil, err
			}
		}
		p.inLists, p.outList = append(p.inLists, &p.in[i*args]), append(p.outList, &p.out[i*results])
	}
	a := &p.run.Args
	a.Executable = p.exe
	a.Options = &capi.ExecuteOptions{StructSize: capi.ExecuteOptionsSize}
	a.ArgumentLists, a.OutputLists = unsafe.SliceData(p.inLists), unsafe.SliceData(p.outList)
	a.DeviceCompleteEvents = unsafe.SliceData(p.done)
	a.NumDevices, a.NumArgs = uintptr(devices), uintptr(args)
	return p, nil
}

// finish frees the event of one device, and waits for it first if wait is true.
func (p *loaded) finish(done *capi.Event, wait bool) error {
	if p.await.Args.Event = done; wait {
		if err := p.await.do(p.d); err != nil {
			return err
		}
	}
	p.freeEvent.Args.Event = done
	return p.freeEvent.do(p.d)
}

func (p *loaded) free(buffers ...*capi.Buffer) error {
	for _, b := range buffers {
		p.freeBuffer.Args.Buffer = b
		if err := p.freeBuffer.do(p.d); err != nil {
			return err
		}
	}
	return nil
}

func (p *loaded) close() error {
	errs := []error{p.free(p.in...), p.d.freeExecutable(p.exe)}
	if p.client != p.d.client {
		errs = append(errs, p.d.closeClient(p.client))
	}
	return errors.Join(errs...)
}

func (d *direct) execute(name string, devices, args, results int, wait bool) (*child.Job, error) {
	p, err := d.load(name, devices, args, results)
	if err != nil {
		return nil, err
	}
	if !d.bare && devices == 1 && wait {
		s := p.sequence()
		return child.Timed(func(n int) error {
			for i := range n {
				if _, err := s.Do(d.table); err != nil {
					return err
				}
				if err := p.free(p.out...); err != nil {
					return err
				}
				yield(i)
			}
			return nil
		}, p.close), nil
	}
	return child.Timed(func(n int) error {
		for range n {
			if err := p.run.do(d); err != nil {
				return err
			}
			for _, e := range p.done {
				if err := p.finish(e, wait); err != nil {
					return err
				}
			}
			if err := p.free(p.out...); err != nil {
				return err
			}
		}
		return nil
	}, p.close), nil
}

// sequence returns the calls that pjrt makes in one crossing into C: an execution, the wait for it,
// and the end of its event.
func (p *loaded) sequence() *capi.Sequence {
	s := new(capi.Sequence)
	s.Add(&p.run.Call)
	capi.AddFor(s, &p.await.Call, &p.done[0], &p.await.Args.Event)
	capi.AddFor(s, &p.freeEvent.Call, &p.done[0], &p.freeEvent.Args.Event)
	return s
}

// executeSteady also frees the result in that crossing, as pjrt does if the next one replaces it.
// It is not for purego.
func (d *direct) executeSteady() (*child.Job, error) {
	p, err := d.load("add", 1, 2, 1)
	if err != nil {
		return nil, err
	}
	s := p.sequence()
	capi.AddFor(s, &p.freeBuffer.Call, &p.out[0], &p.freeBuffer.Args.Buffer)
	return child.Timed(func(n int) error {
		for i := range n {
			if _, err := s.Do(d.table); err != nil {
				return err
			}
			yield(i)
		}
		return nil
	}, p.close), nil
}

// yield lets other goroutines run now and then, as pjrt does after executions that follow each
// other, so that Go does not take the processor from this one.
func yield(i int) {
	if i%2048 == 2047 {
		runtime.Gosched()
	}
}

// inflight starts several executions before it waits for the first.
func (d *direct) inflight(count int) (*child.Job, error) {
	p, err := d.load("add", 1, 2, 1)
	if err != nil {
		return nil, err
	}
	outs, done := make([]*capi.Buffer, count), make([]*capi.Event, count)
	return child.Loop(func() error {
		for i := range count {
			if err := p.run.do(d); err != nil {
				return err
			}
			outs[i], done[i] = p.out[0], p.done[0]
		}
		for i, e := range done {
			if err := p.finish(e, true); err != nil {
				return err
			}
			if err := p.free(outs[i]); err != nil {
				return err
			}
		}
		return nil
	}, p.close), nil
}

// served calls a getter of a plugin in Go, or of the real plugin behind hooks.
func (d *direct) served(job string) (*child.Job, error) {
	if d.bare {
		return nil, nil
	}
	var table *serve.Table
	var err error
	pass := serve.AroundAll(func(c *serve.Invocation) { c.Forward() })
	switch job {
	case "getter-served":
		table, err = (&serve.Plugin{DeviceIsAddressable: func(a *capi.DeviceIsAddressableArgs) error {
			a.IsAddressable = true
			return nil
		}}).Serve()
	case "getter-hooked":
		table, err = serve.Wrap(d.table, pass)
	case "getter-hooked-3":
		table, err = serve.Wrap(d.table, pass, pass, pass)
	case "getter-hooked-elsewhere":
		table, err = serve.Wrap(d.table, serve.Around(func(c *serve.Invocation, _ *capi.ClientCreateArgs) { c.Forward() }))
	}
	if err != nil {
		return nil, err
	}
	c := new(capi.Call[capi.DeviceIsAddressableArgs])
	c.Args.Device = d.device
	return child.Timed(func(n int) error {
		for range n {
			if err := c.Do(table.Capi()); err != nil {
				return err
			}
		}
		return nil
	}, table.Close), nil
}
