// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package trial

import (
	"bytes"
	"math"
	"regexp"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/conformance/internal/check"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
	"github.com/purepjrt/purepjrt/pjrt/pjrttest"
)

// programs returns the programs of checks that the plugin knows. If several match a text, the last
// counts. The plugin names only the first three when it refuses others.
func programs() []pjrttest.Program {
	list := []pjrttest.Program{
		{Name: "add_one", Func: plus(1, 1, 1, 1)},
		{Name: "add", Func: pjrttest.Elementwise(func(x ...float32) float32 { return x[0] + x[1] })},
		{Name: "long", Func: pjrttest.Identity},
	}
	for name, f := range functions {
		list = append(list, pjrttest.Program{Match: having(name, ""), Func: f})
	}
	for name, f := range launches {
		list = append(list, pjrttest.Program{Match: having(name, ""), Launch: f})
	}
	for _, name := range compiled {
		list = append(list, pjrttest.Program{Match: having(name, ""), Func: pjrttest.Failing(errCompiled)})
	}
	four := []pjrt.Shape{{Type: dtype.F32, Dims: []int64{4}}}
	onFour := pjrttest.Signature{Parameters: four, Results: four}
	flops := []pjrt.Attribute{{Name: "flops", Value: float32(1 << 22)}}
	costs := []pjrt.Attribute{
		{Name: "flops", Value: float32(0)}, {Name: "transcendentals", Value: float32(1)}, {Name: "utilization", Value: float32(2)},
	}
	return append(list,
		pjrttest.Program{Match: named, Func: pjrttest.Identity},
		pjrttest.Program{Match: having("returning", ""), Func: pjrttest.Identity, Cost: costs},
		pjrttest.Program{Match: artifact, Signature: onFour, Func: plus(10, 20, 30, 40)},
		pjrttest.Program{Match: having("to_itself", ""), Signature: onFour, Func: double},
		pjrttest.Program{Match: having("to_itself", mustAlias), Signature: onFour, Func: double, Aliases: []pjrttest.Alias{{Must: true}}},
		pjrttest.Program{Match: having("matmul", "128x128"), Func: pjrttest.Failing(errCompiled), Cost: flops},
		// What faults make of programs.
		pjrttest.Program{Match: having("add_one", "stablehlo.multiply"), Func: pjrttest.Identity},
		pjrttest.Program{Match: having("ids", "%1 = stablehlo.replica_id"), Launch: func(l *pjrttest.Launch) error {
			return ids(l, func(p pjrttest.Place) (int, int) { return p.Replica, p.Replica })
		}},
	)
}

// functions are programs for one device, by the names of their modules.
var functions = map[string]pjrttest.Func{
	"host_result":    double,
	"layouts":        double,
	"placed":         double,
	"placed_between": pjrttest.Map(func(x float32) float32 { return 2 * x * x }),
	"pair":           join(on(0, pjrttest.Map(func(x int32) int32 { return 2 * x })), on(1, square)),
	"constants":      join(constants, pjrttest.Return(pjrt.ArrayOf([]int32{3, 1, 4}, 3))),
}

// compiled are programs that checks compile on this plugin and do not execute.
var compiled = []string{
	"constant_arrays", "in_kinds", "no_arguments", "none", "mixed", "shapes", "add_large", "donate_large",
	"one_operation", "composite", "call",
}

var errCompiled = &capi.Error{Code: capi.ErrorCodeUnimplemented, Message: "this program can be compiled, but not executed"}

// launches are programs for all devices.
var launches = map[string]func(l *pjrttest.Launch) error{
	"all_reduce": sum,
	"ids": func(l *pjrttest.Launch) error {
		return ids(l, func(p pjrttest.Place) (int, int) { return p.Replica, p.Partition })
	},
	"send": func(l *pjrttest.Launch) error { return send(l, func(x []float32) []float32 { return x }) },
	"send_transposed": func(l *pjrttest.Launch) error {
		return send(l, func(x []float32) []float32 { return []float32{x[0], x[3], x[1], x[4], x[2], x[5]} })
	},
	"recv":     receive,
	"channels": channels,
}

// artifact matches portable artifacts of StableHLO.
func artifact(code []byte, _ pjrt.Format) bool { return check.IsBytecode(string(code)) }

// named matches modules with any name that return one argument.
func named(code []byte, _ pjrt.Format) bool {
	return regexp.MustCompile(`^module @[a-z]+ {\s+func.func @main\(%a: tensor<4xf32>\) -> tensor<4xf32> {\s+return %a :`).Match(code)
}

// having returns what matches the modules with a name that contain a text.
func having(name, text string) func(code []byte, format pjrt.Format) bool {
	module := regexp.MustCompile(`^module @` + name + `\b`)
	hlo := regexp.MustCompile(`^\n.` + name) // its first field is the name
	return func(code []byte, format pjrt.Format) bool {
		if format != pjrt.FormatMLIR {
			return hlo.Match(code) && bytes.Contains(code, []byte(text))
		}
		return module.Match(code) && bytes.Contains(code, []byte(text))
	}
}

// mustAlias is the kind of an entry of an HLO module's aliases that says that the result takes the
// memory of the argument.
const mustAlias = "\x20\x02"

// plus adds four numbers to the four of its argument.
func plus(y ...float32) pjrttest.Func {
	return func(args []pjrt.HostArray) ([]pjrt.HostArray, error) {
		x, err := pjrttest.Values[float32](args[0])
		if err != nil {
			return nil, err
		}
		for i := range x {
			x[i] += y[i]
		}
		return []pjrt.HostArray{pjrt.ArrayOf(x, args[0].Dims...)}, nil
	}
}

var double = pjrttest.Map(func(x float32) float32 { return 2 * x })

// square is a program for a scalar.
func square(args []pjrt.HostArray) ([]pjrt.HostArray, error) {
	x, err := pjrttest.Values[float32](args[0])
	if err != nil {
		return nil, err
	}
	return []pjrt.HostArray{pjrt.ScalarOf(x[0] * x[0])}, nil
}

// on is a program that ignores all arguments but one.
func on(i int, f pjrttest.Func) pjrttest.Func {
	return func(args []pjrt.HostArray) ([]pjrt.HostArray, error) { return f(args[i : i+1]) }
}

// join is a program with the results of several.
func join(parts ...pjrttest.Func) pjrttest.Func {
	return func(args []pjrt.HostArray) ([]pjrt.HostArray, error) {
		var all []pjrt.HostArray
		for _, f := range parts {
			results, err := f(args)
			if err != nil {
				return nil, err
			}
			all = append(all, results...)
		}
		return all, nil
	}
}

// constants multiplies by constants and rounds.
func constants(args []pjrt.HostArray) ([]pjrt.HostArray, error) {
	x, err := pjrttest.Values[float32](args[0])
	if err != nil {
		return nil, err
	}
	y := make([]float32, len(x))
	for i, factor := range []float32{0.1, -2.5, 3.25, 1e-3} {
		y[i] = float32(math.Tanh(float64(x[i] * factor)))
	}
	return []pjrt.HostArray{pjrt.ArrayOf(y, args[0].Dims...)}, nil
}

// sum adds up the arguments of all devices.
func sum(l *pjrttest.Launch) error {
	var total []float32
	for _, args := range l.Args {
		x, err := pjrttest.Values[float32](args[0])
		if err != nil {
			return err
		}
		if total == nil {
			total = make([]float32, len(x))
		}
		for i := range x {
			total[i] += x[i]
		}
	}
	for d := range l.Results {
		l.Results[d] = []pjrt.HostArray{pjrt.ArrayOf(total, l.Args[d][0].Dims...)}
	}
	return nil
}

// ids returns two numbers of the place of each device.
func ids(l *pjrttest.Launch, of func(p pjrttest.Place) (int, int)) error {
	for d, p := range l.Places {
		a, b := of(p)
		l.Results[d] = []pjrt.HostArray{pjrt.ScalarOf(uint32(a)), pjrt.ScalarOf(uint32(b))}
	}
	return nil
}

// Channels of the programs that exchange data with the host.
const (
	sendChannel = 7
	recvChannel = 8
)

// send sends the arguments, arranged in another way, to the host and returns them.
func send(l *pjrttest.Launch, arranged func(x []float32) []float32) error {
	for d, args := range l.Args {
		x, err := pjrttest.Values[float32](args[0])
		if err != nil {
			return err
		}
		if err := l.Send(d, sendChannel, dtype.Bytes(arranged(x))); err != nil {
			return err
		}
		l.Results[d] = args
	}
	return nil
}

// receive returns a tensor<2x3xf32> that it receives from the host.
func receive(l *pjrttest.Launch) error {
	for d := range l.Places {
		data, err := l.Recv(d, recvChannel, 24)
		if err != nil {
			return err
		}
		l.Results[d] = []pjrt.HostArray{{Type: dtype.F32, Dims: []int64{2, 3}, Data: data}}
	}
	return nil
}

// channels sends the arguments to the host and returns arrays like them that it receives, each on a
// channel of its own.
func channels(l *pjrttest.Launch) error {
	const first = 11
	for d, args := range l.Args {
		for i, a := range args {
			if err := l.Send(d, int64(first+2*i), a.Data); err != nil {
				return err
			}
		}
		for i, a := range args {
			data, err := l.Recv(d, int64(first+2*i+1), len(a.Data))
			if err != nil {
				return err
			}
			l.Results[d] = append(l.Results[d], pjrt.HostArray{Type: a.Type, Dims: a.Dims, Data: data})
		}
	}
	return nil
}
