// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt

import (
	"context"
	"fmt"
)

// ExecuteOptions are the options of one execution. The zero value is right for
// most.
type ExecuteOptions struct {
	// Device is where to run a portable program, one compiled with
	// CompileOptions.Portable. Nil means the device of its first argument. Other
	// programs run on their own devices, and none else can be given here.
	Device *Device

	// Donation says which arguments the execution may consume, among those that
	// the program was compiled to. The zero value is DonateAll.
	Donation Donation

	// CopyArguments copies arguments that are on another device than the one that
	// needs them there first (PJRT_Buffer_CopyToDevice). The copies live as long
	// as the execution. Without it such an argument is an error.
	CopyArguments bool

	// LaunchID numbers the executions of a program of several processes; all of
	// them pass the same. 0 means none. It has 32 bits.
	LaunchID int

	// Incarnations says, for each of the processes that take part, which start of
	// it is meant. Since API 0.78.
	Incarnations map[int]int64

	// MultiSlice says how the execution is spread over slices. Since API 0.97.
	MultiSlice *MultiSliceConfig

	// Context carries data for the handlers of custom calls. Since API 0.64.
	Context *ExecuteContext

	// CallLocation says where in the caller's source the execution comes from,
	// for messages and profiles, such as "train.go:42". Since API 0.76.
	CallLocation string

	// Transfers are the host's ends of the program's send and recv operations,
	// for each device that runs it, in the order of Devices.
	Transfers []HostTransfers

	// HLOOutputs are the host's ends of the operations by which a program puts
	// values out while it runs. Since API 0.112.
	HLOOutputs []HLOOutput

	// ReuseResults lets ExecuteInto use Buffers in outs again that are closed, so
	// that a steady call allocates nothing: they are the results then, for everyone
	// who still has them. Others in outs are replaced as without it.
	ReuseResults bool

	// NoRetry fails at once when a device is out of memory. Without it unreachable
	// buffers are collected first, and the program is tried once more.
	NoRetry bool
}

// Execute runs the program on its one device (PJRT_LoadedExecutable_Execute) and
// waits until it is done. The results are the caller's, and so are the
// arguments: those that were donated have lost their contents, but are closed
// like all others. opts may be nil.
//
// Arguments are checked first: their number, shapes, types, client, device, layouts
// if the plugin tells those of the program, and that they have contents. Plugins
// themselves would take an argument of another type of the same size for what it is
// not.
//
// When ctx ends first, Execute returns its error and the execution goes on, its
// results unseen.
func (e *LoadedExecutable) Execute(ctx context.Context, args []*Buffer, opts *ExecuteOptions) ([]*Buffer, error) {
	if err := e.single(); err != nil {
		return nil, err
	}
	outs := make([]*Buffer, e.numOutputs)
	if err := e.ExecuteInto(ctx, outs, args, opts); err != nil {
		return nil, err
	}
	return outs, nil
}

// ExecuteInto is Execute with the results in outs, which must be as long as the
// program has results. What outs held before is not closed. After an error outs
// is unchanged. A steady call allocates nothing but the results, and with
// ExecuteOptions.ReuseResults nothing at all.
func (e *LoadedExecutable) ExecuteInto(ctx context.Context, outs []*Buffer, args []*Buffer, opts *ExecuteOptions) error {
	if err := e.single(); err != nil {
		return err
	}
	if len(outs) != e.numOutputs {
		return invalid("there is room for %d results, the program has %d", len(outs), e.numOutputs)
	}
	l := e.newLaunch(opts)
	defer l.Release()
	l.lists = append(l.lists, args)
	if err := l.execute(ctx); err != nil {
		return err
	}
	return l.adopt(0, outs)
}

// ExecuteAll is Execute for a program on several devices. There is one list of
// arguments for each device of this process that runs the program, in the order
// of Devices, or a single list that all devices share. The results come in one
// list for each device.
//
// A buffer is on one device: see ExecuteOptions.CopyArguments for sharing one.
func (e *LoadedExecutable) ExecuteAll(ctx context.Context, args [][]*Buffer, opts *ExecuteOptions) ([][]*Buffer, error) {
	if err := e.usable(); err != nil {
		return nil, err
	}
	l := e.newLaunch(opts)
	defer l.Release()
	l.lists = append(l.lists, args...)
	if err := l.execute(ctx); err != nil {
		return nil, err
	}
	return l.adoptAll()
}

// Start is Execute without waiting for the end: it returns once the program is
// launched. The outputs can be used at once, as arguments of other executions
// for instance; what uses them waits for their contents. The arguments may be
// closed at once.
//
// Start waits only while as many executions are under way as LimitInFlight, or
// the plugin, allows: XLA's CPU plugin allows 32 on each device. When ctx ends
// first, Start returns its error; an execution that waits in the plugin by then
// goes on, its results unseen.
func (e *LoadedExecutable) Start(ctx context.Context, args []*Buffer, opts *ExecuteOptions) (*Execution, error) {
	if err := e.single(); err != nil {
		return nil, err
	}
	l := e.newLaunch(opts)
	defer l.Release()
	l.lists = append(l.lists, args)
	return l.start(ctx)
}

// StartAll is Start for a program on several devices, with arguments as for
// ExecuteAll.
func (e *LoadedExecutable) StartAll(ctx context.Context, args [][]*Buffer, opts *ExecuteOptions) (*Execution, error) {
	if err := e.usable(); err != nil {
		return nil, err
	}
	l := e.newLaunch(opts)
	defer l.Release()
	l.lists = append(l.lists, args...)
	return l.start(ctx)
}

var errNilExecutable = invalid("the executable is nil")

func (e *LoadedExecutable) usable() error {
	if e == nil || e.client == nil {
		return errNilExecutable
	}
	return nil
}

// single returns an error when an execution would be one on several devices.
func (e *LoadedExecutable) single() error {
	if err := e.usable(); err != nil {
		return err
	}
	if len(e.devices) > 1 {
		return invalid("the program runs on %d devices of this process: use ExecuteAll or StartAll", len(e.devices))
	}
	return nil
}

// chooseDevices sets the devices of the launch, and the one device to name to
// the plugin, if any.
func (l *launch) chooseDevices() error {
	e, want := l.exe, l.opts.Device
	l.devices, l.only = e.devices, nil
	if want != nil {
		if _, err := want.handleFor(e.client); err != nil {
			return err
		}
	}
	if len(e.devices) == 0 {
		if want == nil {
			want = l.firstDevice()
		}
		if want == nil {
			return &Error{Code: ErrFailedPrecondition, Message: "the client has no device that this process can use"}
		}
		l.one[0], l.only = want, want
		l.devices = l.one[:]
		return nil
	}
	if want == nil {
		return nil
	}
	if len(e.devices) > 1 {
		// Plugins wait for the other devices, some inside of the call, and end the
		// process when they do not come.
		return invalid("the program runs on its %d devices together, it cannot run on %v alone: use ExecuteAll or StartAll", len(e.devices), want)
	}
	if e.devices[0] == want {
		return nil
	}
	return invalid("the program was compiled for %v, not for %v: compile it there, or compile it as portable", e.devices[0], want)
}

// firstDevice returns the device of the first argument, or the first device
// that there is.
func (l *launch) firstDevice() *Device {
	c := l.exe.client
	if len(l.lists) > 0 && len(l.lists[0]) > 0 {
		if b := l.lists[0][0]; b != nil && b.client == c {
			if h, err := b.ref.Acquire(); err == nil {
				defer b.ref.Release()
				if d := c.deviceFor(l.deviceOf(h)); d != nil {
					return d
				}
			}
		}
	}
	if len(c.addressable) == 0 {
		return nil
	}
	return c.addressable[0]
}

// checkArguments compares the arguments with the program's parameters, as far
// as the plugin tells what these are. It makes one list for each device of them.
func (l *launch) checkArguments() error {
	switch n := len(l.devices); {
	case len(l.lists) == n:
	case len(l.lists) == 1:
		for range n - 1 {
			l.lists = append(l.lists, l.lists[0])
		}
	default:
		return invalid("there are %d lists of arguments for the %d devices that run the program", len(l.lists), n)
	}
	for d, args := range l.lists {
		if len(args) != len(l.lists[0]) {
			return invalid("there are %d arguments for %v and %d for %v", len(l.lists[0]), l.devices[0], len(args), l.devices[d])
		}
		for i, b := range args {
			switch {
			case b == nil:
				return invalid("%s is nil", l.argument(d, i))
			case b.client != l.exe.client:
				return invalid("%s belongs to another client", l.argument(d, i))
			}
		}
	}
	given := len(l.lists[0])
	if l.bound != nil && given != len(l.bound.open) {
		return invalid("the bound program takes %d more arguments, not %d", len(l.bound.open), given)
	}
	shapes, err := l.exe.parameters()
	if err != nil {
		return nil // the plugin does not tell
	}
	if n := l.numArguments(); n != len(shapes) {
		return invalid("the program takes %d arguments, not %d", len(shapes), n)
	}
	for d, args := range l.lists {
		for i, b := range args {
			if want := shapes[l.parameter(i)]; !b.shape.Equal(want) {
				return invalid("%s is %v, the program takes %v", l.argument(d, i), b.shape, want)
			}
		}
	}
	return l.checkLayouts()
}

// checkLayouts compares the layouts of the arguments with those that the program
// was compiled for.
func (l *launch) checkLayouts() error {
	if len(l.exe.layouts()) != l.numArguments() {
		return nil // the plugin does not tell
	}
	for d, args := range l.lists {
		for i, b := range args {
			if got, want := l.exe.wrongLayout(l.parameter(i), b); got != nil {
				return wrongLayout(l.argument(d, i), got, want)
			}
		}
	}
	return nil
}

// wrongLayout returns the layout of an argument and the one that the program was
// compiled for, if they differ.
func (e *Executable) wrongLayout(parameter int, b *Buffer) (got, want *Layout) {
	layouts := e.layouts()
	if parameter >= len(layouts) || layouts[parameter] == nil {
		return nil, nil
	}
	if got := b.knownLayout(); got != nil && got.differs(layouts[parameter], b.shape) {
		return got, layouts[parameter]
	}
	return nil, nil
}

func wrongLayout(argument string, got, want *Layout) error {
	return invalid("%s has the layout %v in the memory of the device, the program was compiled for %v: "+
		"make the buffer with that layout, or compile with CompileOptions.ArgumentLayouts", argument, got, want)
}

// numArguments returns the number of arguments on each device.
func (l *launch) numArguments() int {
	if l.bound != nil {
		return l.bound.arguments
	}
	return len(l.lists[0])
}

// parameter returns the position of argument i of a call among the parameters of
// the program.
func (l *launch) parameter(i int) int {
	if l.bound != nil && i < len(l.bound.open) {
		return l.bound.open[i]
	}
	return i
}

// argument names argument i of device number d in errors.
func (l *launch) argument(d, i int) string {
	name := fmt.Sprintf("argument %d", i)
	if p := l.parameter(i); p != i {
		name += fmt.Sprintf(" (parameter %d)", p)
	}
	if len(l.devices) > 1 {
		name += fmt.Sprintf(" for %v", l.devices[d])
	}
	return name
}

// Donation says which arguments an execution may consume: programs may be
// compiled to put results where arguments were (tf.aliasing_output,
// jax.buffer_donor). A consumed argument has lost its contents, and using it is
// an error. Plugins may keep more than they were told to: XLA's CPU plugin 0.81
// consumes nothing behind an argument that it has to keep.
//
// A buffer that one goroutine donates while another executes with it goes to
// either; the other gets an error. XLA's CPU plugin 0.81 may not finish either
// execution then, and a context that ends is what gets the goroutines back: keep
// such executions apart there, or donate with DonateNone.
type Donation struct {
	kind    donationKind
	indices []int
}

type donationKind uint8

const (
	donateAll donationKind = iota
	donateNone
	donateOnly
	donateExcept
)

// DonateAll lets an execution consume all that the program was compiled to
// consume. It is the zero Donation.
func DonateAll() Donation { return Donation{} }

// DonateNone keeps all arguments. The program then copies what it would have
// changed in place.
func DonateNone() Donation { return Donation{kind: donateNone} }

// DonateOnly keeps all arguments but those at the given positions.
func DonateOnly(arguments ...int) Donation { return Donation{donateOnly, arguments} }

// DonateExcept keeps the arguments at the given positions.
func DonateExcept(arguments ...int) Donation { return Donation{donateExcept, arguments} }

// keep appends the positions of the arguments to keep, out of n, to list.
func (o Donation) keep(list []int64, n int) ([]int64, error) {
	for _, i := range o.indices {
		if i < 0 || i >= n {
			return nil, invalid("the donation names argument %d, there are %d", i, n)
		}
	}
	switch o.kind {
	case donateNone:
		for i := range n {
			list = append(list, int64(i))
		}
	case donateExcept:
		for _, i := range o.indices {
			list = append(list, int64(i))
		}
	case donateOnly:
	next:
		for i := range n {
			for _, donated := range o.indices {
				if i == donated {
					continue next
				}
			}
			list = append(list, int64(i))
		}
	}
	return list, nil
}
