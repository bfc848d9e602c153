// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt

import (
	"maps"
	"slices"

	"github.com/purepjrt/purepjrt/capi"
)

// ExecuteOptions are the options of one execution. The zero value suits most.
type ExecuteOptions struct {
	// Device is where to run a program compiled with CompileOptions.Portable; nil means the
	// device of its first argument. Other programs run only on their own devices.
	Device *Device

	// Bound holds the arguments that LoadedExecutable.Bind fixed. The call then takes the
	// arguments of the parameters that Bind left open.
	Bound *Bound

	// KeepAll and Keep protect arguments, all or those of the given parameters, from a
	// program that was compiled to put results in their place (tf.aliasing_output,
	// jax.buffer_donor): it then works on copies. Other arguments are donated: they lose
	// their contents, and using them is an error. XLA's CPU plugin 0.81 also keeps every
	// argument that comes after one it must keep. When one goroutine donates a buffer while
	// another executes with it, one of them gets an error; with XLA's CPU plugin 0.81 both
	// may never finish: order such executions, or protect the argument.
	KeepAll bool
	Keep    []int

	// CopyArguments copies arguments to the device that needs them
	// (PJRT_Buffer_CopyToDevice). Otherwise an argument on another device is an error.
	CopyArguments bool

	LaunchID     int           // number of an execution by several processes, the same in all; 32 bits, 0 for none
	Incarnations map[int]int64 // which start of each process takes part (API 0.78)
	CallLocation string        // the caller's source for messages and profiles: "train.go:42" (API 0.76)

	// Extensions add options of other packages, such as data for custom calls
	// (extensions/ffi) or the exchange of data with the host while the program runs
	// (transfer.Hosts, transfer.Outputs). Some turn NoRetry on: see ExecuteExtension.
	Extensions []ExecuteExtension

	// ReuseResults makes ExecuteInto put its results into those Buffers in outs that a call with
	// this option made, open or closed, so that a repeated call allocates nothing. All who hold
	// such a Buffer see the new contents; after an error it has the old ones. While the call runs
	// it may be closed. If a call, a Reference or a Bound still uses the old contents, they stay
	// until that ends, the Buffer is closed, and outs gets another one, as for Buffers made in
	// another way, which stay as they are.
	ReuseResults bool

	// NoRetry fails at once when a device is out of memory. Otherwise buffers that the
	// program forgot are collected, and the program runs once more.
	NoRetry bool
}

// ExecuteExtension fills in options that have no field in ExecuteOptions. Packages such as transfer
// implement it, and so can users of package raw.
//
// An execution that ran out of memory uses its options again only if each of its extensions has a
// method Repeatable() bool that returns true. One that exchanges data with the program cannot
// promise that.
type ExecuteExtension interface {
	// ExtendExecute fills in options for one execution on devices, which it must not
	// change. Memory that C reads must be reachable from options or from done. The
	// function done, which may be nil, is called once: when the execution is over on all
	// devices, or when it did not begin.
	ExtendExecute(client *Client, devices []*Device, options *capi.ExecuteOptions) (done func(), err error)
}

var defaultExecuteOptions ExecuteOptions

// clone returns a copy for a call that goes on when its caller has left. o may be nil.
func (o *ExecuteOptions) clone() *ExecuteOptions {
	if o == nil {
		return nil
	}
	own := *o
	own.Keep, own.Extensions, own.Incarnations = slices.Clone(o.Keep), slices.Clone(o.Extensions), maps.Clone(o.Incarnations)
	return &own
}

// kept adds to list, which is empty, those of the n parameters whose arguments must not be
// donated.
func (o *ExecuteOptions) kept(list []int64, n int) ([]int64, error) {
	if o.KeepAll {
		for i := range n {
			list = append(list, int64(i))
		}
		return list, nil
	}
	for _, i := range o.Keep {
		if i < 0 || i >= n {
			return list, invalid("the option Keep names parameter %d, and the program has %d", i, n)
		}
		if !slices.Contains(list, int64(i)) {
			list = append(list, int64(i))
		}
	}
	if o.Bound != nil {
		for _, i := range o.Bound.kept {
			if len(o.Keep) == 0 || !slices.Contains(list, i) {
				list = append(list, i)
			}
		}
	}
	return list, nil
}
