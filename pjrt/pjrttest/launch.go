// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrttest

import (
	"fmt"
	"runtime/debug"
	"sync"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/pjrt"
)

// launch is one execution of a program, on all its devices.
type launch struct {
	p       *Plugin
	exe     *loaded
	id      int32
	devices []*device
	ids     []capi.LogicalDeviceIDs
	args    [][]argument
	results [][]result
	over    *future
	op      *Operation

	sends   []map[int64]capi.SendCallbackInfo // by device and channel
	recvs   []map[int64]capi.RecvCallbackInfo
	outputs []capi.HLOOutputCallbackInfo

	mu       sync.Mutex
	ended    bool  // guarded by mu
	poisoned error // guarded by mu
}

func (l *launch) runsOn(d *device) bool {
	for _, x := range l.devices {
		if x == d {
			return true
		}
	}
	return false
}

// poison makes the execution fail. It reports whether the execution was still under way.
func (l *launch) poison(reason error) bool {
	l.mu.Lock()
	if l.ended || l.poisoned != nil {
		l.mu.Unlock()
		return false
	}
	l.poisoned = reason
	l.mu.Unlock()
	l.op.abort(reason)
	return true
}

// run executes the program. If err is not nil, the execution fails with it.
func (l *launch) run(err error) {
	if err == nil {
		end := l.p.record(l.exe.name, l.devices)
		err = l.compute()
		end()
	}
	l.mu.Lock()
	if l.poisoned != nil {
		err = l.poisoned
	}
	l.ended = true
	l.mu.Unlock()
	c := l.exe.client
	c.mu.Lock()
	delete(c.launches, l)
	c.mu.Unlock()
	for d := range l.args {
		for i := range l.args[d] {
			l.args[d][i].contents.release()
		}
	}
	for _, row := range l.results {
		for _, r := range row {
			r.contents.end(err)
		}
	}
	l.over.complete(err)
}

// compute calls the program's function and stores the results.
func (l *launch) compute() error {
	x := &Launch{l: l, Results: make([][]pjrt.HostArray, len(l.devices))}
	for d, device := range l.devices {
		x.Places = append(x.Places, Place{Device: device.id, Replica: int(l.ids[d].Replica), Partition: int(l.ids[d].Partition)})
		row := make([]pjrt.HostArray, len(l.args[d]))
		for i, a := range l.args[d] {
			row[i] = a.contents.data.array(a.buffer.shape, a.buffer.order)
		}
		x.Args = append(x.Args, row)
	}
	if err := l.call(x); err != nil {
		return err
	}
	if len(x.Results) != len(l.devices) {
		return capi.ErrorCodeInternal.Errorf("the program %s returned results for %d devices, but runs on %d",
			l.exe.name, len(x.Results), len(l.devices))
	}
	for d, row := range x.Results {
		if len(row) != len(l.exe.results) {
			return capi.ErrorCodeInternal.Errorf("the program %s returned %d results for device %d instead of %d",
				l.exe.name, len(row), l.devices[d].id, len(l.exe.results))
		}
		for i, r := range row {
			want := l.exe.results[i]
			if !r.Shape().Equal(want) || int64(len(r.Data)) != hostSize(want) {
				return capi.ErrorCodeInternal.Errorf("the program %s returned %v of %d bytes as result %d instead of %v",
					l.exe.name, r.Shape(), len(r.Data), i, want)
			}
		}
	}
	for d, row := range x.Results {
		for i, r := range row {
			src := strided{span{bytes: r.Data}, rowMajor(len(r.Dims)).strides(r.Shape())}
			toDevice(l.results[d][i].contents.data.bytes, l.exe.resultOrders[i], src, l.exe.results[i])
		}
	}
	return nil
}

// call runs the program's function in a separate goroutine, because the function may end
// its goroutine. That is an error, and so is a panic.
func (l *launch) call(x *Launch) (err error) {
	err = capi.ErrorCodeInternal.Errorf("the program %s ended its goroutine, as testing.T.FailNow does", l.exe.name)
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer func() {
			if v := recover(); v != nil {
				err = capi.ErrorCodeInternal.Errorf("the program %s panicked: %v\n%s", l.exe.name, v, debug.Stack())
			}
		}()
		err = programError(l.exe.program.call(x))
	}()
	<-done
	return err
}

// call runs Func or Launch, whichever the program has.
func (p *Program) call(x *Launch) (err error) {
	if p.Launch != nil {
		return p.Launch(x)
	}
	for d := range x.Places {
		if x.Results[d], err = p.Func(x.Args[d]); err != nil {
			return err
		}
	}
	return nil
}

// programError returns the error of a program with its code, or with INTERNAL if it has
// none.
func programError(err error) error {
	if err == nil {
		return nil
	}
	e := asError(err)
	if e.Code == capi.ErrorCodeUnknown {
		e = &capi.Error{Code: capi.ErrorCodeInternal, Message: err.Error()}
	}
	return e
}

// array copies the contents of a buffer into their host form.
func (s *storage) array(shape pjrt.Shape, o order) pjrt.HostArray {
	a := pjrt.HostArray{Type: shape.Type, Dims: append([]int64{}, shape.Dims...), Data: make([]byte, hostSize(shape))}
	fromDevice(strided{span{bytes: a.Data}, rowMajor(len(shape.Dims)).strides(shape)}, s.bytes, o, shape)
	return a
}

// Place is where one part of an execution runs.
type Place struct {
	Device             int // id
	Replica, Partition int
}

// Launch is one execution of a program on all its devices. Only one goroutine may use it,
// and only until the function that received it returns.
type Launch struct {
	// Places are the devices, in the order of the lists below.
	Places []Place
	// Args are the arguments for each device; the function may change them.
	Args [][]pjrt.HostArray
	// Results are the results of each device; the function sets them.
	Results [][]pjrt.HostArray

	l *launch
}

// ID returns the launch id of the execution.
func (x *Launch) ID() int { return int(x.l.id) }

// Send passes data to the host as a send operation of the program does, on a channel for
// which the caller of the execution gave a function. device is an index into Places.
func (x *Launch) Send(device int, channel int64, data []byte) error {
	return x.l.send(device, channel, data)
}

// Recv gets size bytes from the host as a recv operation of the program does, on a
// channel for which the caller of the execution gave a function. device is an index into
// Places.
func (x *Launch) Recv(device int, channel int64, size int) ([]byte, error) {
	return x.l.recv(device, channel, size)
}

// Output passes the operands of the output operation with the id to the host if the
// caller of the execution asked for them, and reports whether it did.
func (x *Launch) Output(device int, id int64, operands ...pjrt.HostArray) bool {
	return x.l.output(device, id, operands)
}

// String says which program runs where.
func (x *Launch) String() string {
	if x == nil || x.l == nil {
		return "no launch"
	}
	return fmt.Sprintf("%s on %v", x.l.exe.name, x.Places)
}
