// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt

import (
	"context"
	"slices"

	"github.com/purepjrt/purepjrt/pjrt/internal/abandon"
)

// Execute runs the program on its one device (PJRT_LoadedExecutable_Execute) and waits until it is
// done. The caller closes the results and the arguments, even those that the program consumed. opts
// may be nil. If ctx ends first, the execution goes on, and its results are dropped.
//
// Execute first checks the number of arguments, and their client, device, type, shape, layout and
// contents, as far as the plugin describes the parameters. A program that runs again and again with
// the same weights is faster with Bind and ExecuteInto.
func (e *LoadedExecutable) Execute(ctx context.Context, args []*Buffer, opts *ExecuteOptions) ([]*Buffer, error) {
	if err := e.single(); err != nil {
		return nil, err
	}
	outs, blank := e.newResults()
	if err := e.executeInto(ctx, outs, blank, args, opts); err != nil {
		return nil, err
	}
	return outs, nil
}

// Run is Execute with the arguments one by one, and without options.
func (e *LoadedExecutable) Run(ctx context.Context, args ...*Buffer) ([]*Buffer, error) {
	return e.Execute(ctx, args, nil)
}

// ExecuteInto is Execute with the results in outs, which has one element for each result.
// After an error outs is unchanged. The buffers that outs held before stay open, unless
// ExecuteOptions.ReuseResults is set. A repeated call allocates nothing but the results.
func (e *LoadedExecutable) ExecuteInto(ctx context.Context, outs []*Buffer, args []*Buffer, opts *ExecuteOptions) error {
	return e.executeInto(ctx, outs, nil, args, opts)
}

// ExecuteAll is Execute on several devices. args has one list for each of Devices, in their order,
// or a single list for all of them (see ExecuteOptions.CopyArguments), or none for a program
// without arguments. There is a list of results for each device.
func (e *LoadedExecutable) ExecuteAll(ctx context.Context, args [][]*Buffer, opts *ExecuteOptions) ([][]*Buffer, error) {
	if err := e.usable(); err != nil {
		return nil, err
	}
	if ctx.Done() == nil {
		return e.executeAll(ctx, args, opts)
	}
	lists, own := ownLists(args), opts.clone()
	return abandon.CallOn(ctx, e.subject(), func() ([][]*Buffer, error) { return e.executeAll(ctx, lists, own) }, closeAll)
}

// executeAll is ExecuteAll on a goroutine that may block in C.
func (e *LoadedExecutable) executeAll(ctx context.Context, args [][]*Buffer, opts *ExecuteOptions) ([][]*Buffer, error) {
	l := e.newLaunch(opts)
	defer l.Release()
	l.takeLists(args)
	if err := l.execute(ctx, nil); err != nil {
		return nil, err
	}
	all := e.newResultLists()
	if err := l.adoptAll(all, nil, true); err != nil {
		return nil, err
	}
	return all, nil
}

// ownLists copies lists of arguments, which a caller that has left may change.
func ownLists(args [][]*Buffer) [][]*Buffer {
	lists := slices.Clone(args)
	for i, list := range lists {
		lists[i] = slices.Clone(list)
	}
	return lists
}

// closeAll closes results.
func closeAll(all [][]*Buffer) error {
	for _, outs := range all {
		closeBuffers(outs)
	}
	return nil
}

// Start is Execute, but does not wait for the end. The arguments may be closed and the results used
// at once: what reads a result waits for its contents. The caller closes the results and done, an
// event that is ready at the end.
//
// Start waits only while as many executions are under way as LimitInFlight or the plugin allows:
// XLA's CPU plugin allows 32 on each device. A plugin may also run the program within the call, as
// XLA's CPU plugin does with small programs and those of custom calls: to go on at once, call Start
// in a goroutine.
func (e *LoadedExecutable) Start(ctx context.Context, args []*Buffer, opts *ExecuteOptions) (results []*Buffer, done *Event, err error) {
	if err := e.single(); err != nil {
		return nil, nil, err
	}
	if ctx.Done() == nil {
		return e.startOne(ctx, args, opts)
	}
	list, own := slices.Clone(args), opts.clone()
	s, err := abandon.CallOn(ctx, e.subject(), func() (started, error) {
		outs, done, err := e.startOne(ctx, list, own)
		return started{[][]*Buffer{outs}, done}, err
	}, started.close)
	if err != nil {
		return nil, nil, err
	}
	return s.results[0], s.done, nil
}

// startOne is Start on a goroutine that may block in C.
func (e *LoadedExecutable) startOne(ctx context.Context, args []*Buffer, opts *ExecuteOptions) ([]*Buffer, *Event, error) {
	l := e.newLaunch(opts)
	defer l.Release()
	l.lists = append(l.lists, args)
	results, blank := e.newResults()
	done, err := l.start(ctx, blank, results)
	if err != nil {
		return nil, nil, err
	}
	return results, done, nil
}

// StartAll is Start with the arguments and results of ExecuteAll. The event is ready when
// all devices are done. Its error is that of the first device that failed, in the order
// of Devices.
func (e *LoadedExecutable) StartAll(ctx context.Context, args [][]*Buffer, opts *ExecuteOptions) (
	results [][]*Buffer, done *Event, err error) {
	if err := e.usable(); err != nil {
		return nil, nil, err
	}
	if ctx.Done() == nil {
		s, err := e.startAll(ctx, args, opts)
		return s.results, s.done, err
	}
	lists, own := ownLists(args), opts.clone()
	s, err := abandon.CallOn(ctx, e.subject(), func() (started, error) { return e.startAll(ctx, lists, own) }, started.close)
	return s.results, s.done, err
}

// started is what an execution leaves that was started.
type started struct {
	results [][]*Buffer
	done    *Event
}

func (s started) close() error {
	s.done.Close()
	return closeAll(s.results)
}

// startAll is StartAll on a goroutine that may block in C.
func (e *LoadedExecutable) startAll(ctx context.Context, args [][]*Buffer, opts *ExecuteOptions) (started, error) {
	l := e.newLaunch(opts)
	defer l.Release()
	l.takeLists(args)
	all := e.newResultLists()
	done, err := l.start(ctx, nil, all...)
	if err != nil {
		return started{}, err
	}
	return started{all, done}, nil
}

// executeInto is ExecuteInto. The first result is made in blank, a zero Buffer, if that is not
// nil.
func (e *LoadedExecutable) executeInto(ctx context.Context, outs []*Buffer, blank *Buffer, args []*Buffer, opts *ExecuteOptions) error {
	if err := e.single(); err != nil {
		return err
	}
	if len(outs) != e.numOutputs {
		return invalid("there is room for %d results, and the program has %d", len(outs), e.numOutputs)
	}
	if opts == nil {
		opts = &defaultExecuteOptions
	}
	switch {
	case ctx.Done() == nil:
		return e.executeNow(ctx, outs, blank, args, opts)
	case ctx.Err() != nil: // a launch makes no call then, but tells observers
		return e.launchInto(ctx, outs, blank, args, opts, nil)
	}
	return e.executeAside(ctx, outs, blank, args, opts)
}
