// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package inspect

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/compile"
	"github.com/purepjrt/purepjrt/pjrt/hlo"
	"github.com/purepjrt/purepjrt/pjrt/internal/abandon"
	"github.com/purepjrt/purepjrt/pjrt/sharding"
)

// Report is what a plugin reports about an executable.
type Report struct {
	Name                 string
	Replicas, Partitions int
	Parameters, Results  []Value
	Memory               *pjrt.CompiledMemoryStats // nil if the plugin does not report it
	CodeSize             int64                     // bytes of machine code; 0 if the plugin does not report it
	Cost                 []pjrt.Attribute          // the compiler's estimate of one execution, by name
	Counted              *hlo.Cost                 // what Program counts, if the compiler estimates nothing
	Program              *Program                  // the optimized program; nil if the plugin does not report it
	Schedule             *Schedule                 // of Program; nil without one
	// Allocations are the pieces of memory that the compiler planned (XLA's buffer
	// assignment), if the serialized executable has them. Those of XLA's CPU plugin do.
	Allocations []Allocation
	Kernels     []Kernel
	Absent      []string // what the plugin does not report, and why
}

// Value is an argument or a result on one device.
type Value struct {
	Shape      pjrt.Shape // of the part on one device
	Layout     string     // in XLA's notation; "" if the plugin does not report it
	MemoryKind string     // "" if the plugin does not report it
	// Sharding says how the whole array is spread over the partitions; nil for a program with
	// one partition, and if the plugin does not report it.
	Sharding *sharding.Spec
}

// Kernel is a piece of machine code that runs by itself.
type Kernel struct {
	Name string
	Kind string // how it came to be, such as kLoop; "" if unknown
	Uses int    // how many instructions of the program run it; 0 if unknown
}

// New asks the plugin about exe. What the plugin does not report is left out and named in
// Absent; only an executable that is nil or closed is an error. New does not execute anything,
// and may take as long as exe.Serialize. ctx ends the wait.
func New(ctx context.Context, exe *pjrt.Executable) (*Report, error) {
	return abandon.Call(ctx, func() (*Report, error) { return read(ctx, exe) }, func(*Report) error { return nil })
}

// read is New on a goroutine that may block in C.
func read(ctx context.Context, exe *pjrt.Executable) (*Report, error) {
	r := &Report{Name: exe.Name(), Replicas: exe.NumReplicas(), Partitions: exe.NumPartitions()}
	var fatal error
	ask := func(what string, err error) bool {
		switch {
		case err == nil:
			return true
		case errors.Is(err, pjrt.ErrClosed), errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded),
			errors.Is(err, pjrt.ErrInvalidArgument):
			fatal = errors.Join(fatal, err)
		default:
			r.Absent = append(r.Absent, what+": "+err.Error())
		}
		return false
	}
	program, err := exe.OptimizedProgram()
	if ask("the optimized program", err) {
		r.Program, err = ReadProgram(program)
		if ask("the optimized program", err) {
			r.Schedule = r.Program.Schedule()
			r.Kernels = r.Program.Kernels()
		}
	}
	if fatal != nil {
		return nil, fatal // the executable is nil or closed
	}
	shapes, err := exe.Parameters()
	ask("the parameters", err)
	r.Parameters = values(shapes)
	shapes, err = exe.Outputs()
	ask("the results", err)
	r.Results = values(shapes)
	layouts, err := exe.ParameterLayouts()
	ask("the layouts of the parameters", err)
	setLayouts(r.Parameters, layouts)
	layouts, err = exe.OutputLayouts()
	ask("the layouts of the results", err)
	setLayouts(r.Results, layouts)
	kinds, err := exe.ParameterMemoryKinds()
	ask("the memories of the parameters", err)
	setKinds(r.Parameters, kinds)
	kinds, err = exe.OutputMemoryKinds()
	ask("the memories of the results", err)
	setKinds(r.Results, kinds)
	if r.Partitions > 1 {
		shardings, err := exe.ParameterShardings()
		ask("the shardings of the parameters", err)
		setShardings(r.Parameters, shardings)
		shardings, err = exe.OutputShardings()
		ask("the shardings of the results", err)
		setShardings(r.Results, shardings)
	}
	if memory, err := exe.MemoryStats(); ask("the memory", err) {
		r.Memory = &memory
	}
	if size, err := exe.GeneratedCodeSize(); ask("the size of the code", err) && size > 0 {
		r.CodeSize = size
	}
	r.Cost, err = exe.CostAnalysis()
	ask("the cost", err)
	if len(r.Cost) == 0 && r.Program != nil {
		counted := r.Program.module.Cost()
		r.Counted = &counted
	}
	slices.SortFunc(r.Cost, func(a, b pjrt.Attribute) int { return strings.Compare(a.Name, b.Name) })
	if data, err := exe.Serialize(ctx); ask("the buffer assignment", err) {
		if s, err := compile.Decode(data); err == nil {
			r.readSerialized(s.Code)
		}
	}
	if fatal != nil {
		return nil, fatal
	}
	return r, nil
}

func values(shapes []pjrt.Shape) []Value {
	list := make([]Value, len(shapes))
	for i, s := range shapes {
		list[i].Shape = s
	}
	return list
}

func setLayouts(list []Value, layouts []pjrt.DeviceLayout) {
	for i := range min(len(list), len(layouts)) {
		list[i].Layout = layouts[i].Text
	}
}

func setKinds(list []Value, kinds []string) {
	for i := range min(len(list), len(kinds)) {
		list[i].MemoryKind = kinds[i]
	}
}

func setShardings(list []Value, shardings []pjrt.Sharding) {
	for i := range min(len(list), len(shardings)) {
		if spec, err := sharding.Decode(shardings[i]); err == nil {
			list[i].Sharding = &spec
		}
	}
}

// formatBytes returns a number of bytes with a unit, such as 1.5 MiB.
func formatBytes(n int64) string {
	if n < 1024 && n > -1024 {
		return fmt.Sprintf("%d B", n)
	}
	value, unit := float64(n), ""
	for _, unit = range []string{"KiB", "MiB", "GiB", "TiB"} {
		if value /= 1024; value < 1024 && value > -1024 {
			break
		}
	}
	return fmt.Sprintf("%.4g %s", value, unit)
}
