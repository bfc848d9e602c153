// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package gomlx

import (
	"container/list"
	"slices"
	"sync"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
)

// maxSpecializations is how many programs a DynamicExecutable keeps. A sequence that grows
// with each execution would otherwise fill the memory.
const maxSpecializations = 128

// DynamicExecutable is a program with dynamic axes; Builder.Compile makes one. An execution
// with sizes that have not come up lately compiles the program for them. Its methods may be
// called from any goroutine.
type DynamicExecutable struct {
	builder    *Builder
	names      []string
	parameters []shapes.Shape
	results    []shapes.Shape

	mu     sync.Mutex
	closed bool                     // guarded by mu
	bySize map[string]*list.Element // guarded by mu; of *specialization
	recent list.List                // guarded by mu; the latest first
}

var _ compute.Executable = (*DynamicExecutable)(nil)

// specialization is a program for some sizes of the dynamic axes.
type specialization struct {
	key        string
	users      int // guarded by the mu of the DynamicExecutable
	dropped    bool
	ready      chan struct{} // closed once executable and err are set
	executable *Executable
	err        error
}

func newDynamicExecutable(b *Builder) (*DynamicExecutable, error) {
	main := b.functions[0]
	e := &DynamicExecutable{builder: b, names: slices.Clone(main.names), bySize: make(map[string]*list.Element)}
	for _, v := range main.parameters {
		e.parameters = append(e.parameters, v.shape)
	}
	for _, v := range main.results {
		e.results = append(e.results, v.shape)
	}
	b.instances = nil
	return e, nil
}

// Inputs returns the names and shapes of the parameters.
func (e *DynamicExecutable) Inputs() (names []string, inputShapes []shapes.Shape) {
	return slices.Clone(e.names), slices.Clone(e.parameters)
}

// Outputs returns the shapes of the results.
func (e *DynamicExecutable) Outputs() []shapes.Shape { return slices.Clone(e.results) }

// Finalize closes the program for all sizes. Executions under way go on, and those that have not
// begun are errors.
func (e *DynamicExecutable) Finalize() {
	if e == nil {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.closed = true
	for e.recent.Len() > 0 {
		e.drop(e.recent.Back())
	}
}

// drop forgets a specialization, which the last user finalizes. The caller holds e.mu.
func (e *DynamicExecutable) drop(element *list.Element) {
	s := e.recent.Remove(element).(*specialization)
	delete(e.bySize, s.key)
	s.dropped = true
	if s.users == 0 {
		s.executable.Finalize()
	}
}

// Execute runs the program for the sizes of the inputs, as Executable.Execute does.
func (e *DynamicExecutable) Execute(inputs []compute.Buffer, donate []bool, num compute.DeviceNum) ([]compute.Buffer, error) {
	if e == nil {
		return nil, errorf("the executable is nil")
	}
	if err := e.builder.backend.usable(); err != nil {
		return nil, err
	}
	sizes, err := e.sizes(inputs)
	if err != nil {
		return nil, err
	}
	s, err := e.specialized(sizes)
	if err != nil {
		return nil, err
	}
	defer e.release(s)
	<-s.ready
	if s.err != nil {
		return nil, s.err
	}
	return s.executable.Execute(inputs, donate, num)
}

// sizes returns the sizes of the dynamic axes of the inputs.
func (e *DynamicExecutable) sizes(inputs []compute.Buffer) (shapes.AxisBindings, error) {
	name := e.builder.name
	if n := len(e.parameters); n == 0 || len(inputs)%n != 0 || len(inputs) == 0 {
		return nil, errorf("the program %q takes %d arguments on each device, and there are %d", name, n, len(inputs))
	}
	sizes := make(shapes.AxisBindings)
	for i, v := range inputs {
		k := i % len(e.parameters)
		b, err := e.builder.backend.buffer(v)
		if err != nil {
			return nil, wrapf(err, "argument %d (%s) of the program %q", i, e.names[k], name)
		}
		if want := e.parameters[k]; b.shape.DType != want.DType {
			return nil, errorf("argument %d (%s) of the program %q is %s, and the program takes %s", i, e.names[k], name, b.shape, want)
		} else if err := sizes.Extract(want, b.shape); err != nil {
			return nil, wrapf(err, "argument %d (%s) of the program %q is %s, and the program takes %s", i, e.names[k], name, b.shape, want)
		}
	}
	for _, i := range e.builder.sized {
		for k := i; k < len(inputs); k += len(e.parameters) { // one for each device
			if err := readSizes(sizes, i, inputs[k].(*Buffer)); err != nil {
				return nil, wrapf(err, "argument %d (%s) of the program %q", k, e.names[i], name)
			}
		}
	}
	return sizes, nil
}

// readSizes adds the elements of an argument, for the i-th parameter, to sizes.
func readSizes(sizes shapes.AxisBindings, i int, b *Buffer) error {
	flat := dtypes.MakeAnySlice(b.shape.DType, b.shape.Size())
	if err := b.ToFlatData(flat); err != nil {
		return err
	}
	numbers := integers(flat)
	if len(numbers) != b.shape.Size() {
		return errorf("%v has a number that is too large for the size of an axis", flat)
	}
	for k, n := range numbers {
		symbol := symbolOf(i, k)
		if other, known := sizes[symbol]; known && other != n {
			return errorf("sizes follow from element %d, which is %d, and %d on another device: all devices run one program, "+
				"so pass them the same number", k, n, other)
		}
		sizes[symbol] = n
	}
	return nil
}

// specialized returns the program for some sizes, for the caller to release.
func (e *DynamicExecutable) specialized(sizes shapes.AxisBindings) (*specialization, error) {
	key := sizes.Key()
	e.mu.Lock()
	if e.closed {
		e.mu.Unlock()
		return nil, finalized("the executable %q", e.builder.name)
	}
	if element := e.bySize[key]; element != nil {
		e.recent.MoveToFront(element)
		s := element.Value.(*specialization)
		s.users++
		e.mu.Unlock()
		return s, nil
	}
	s := &specialization{key: key, users: 1, ready: make(chan struct{})}
	e.bySize[key] = e.recent.PushFront(s)
	if e.recent.Len() > maxSpecializations {
		e.drop(e.recent.Back())
	}
	e.mu.Unlock()
	in, err := e.builder.instantiate(sizes)
	if err == nil {
		s.executable, err = in.compile()
	}
	s.err = wrapf(err, "the program %q for the sizes %s", e.builder.name, key)
	close(s.ready)
	return s, nil
}

// release ends the use of a specialization. One that failed is forgotten: the reason may have
// gone.
func (e *DynamicExecutable) release(s *specialization) {
	e.mu.Lock()
	defer e.mu.Unlock()
	s.users--
	if s.err != nil && !s.dropped {
		e.drop(e.bySize[s.key])
	} else if s.dropped && s.users == 0 {
		s.executable.Finalize()
	}
}
