// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrttest

import (
	"fmt"

	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
)

// Identity is a program that returns its arguments.
func Identity(args []pjrt.HostArray) ([]pjrt.HostArray, error) { return args, nil }

// Return is a program that returns the same results for all arguments.
func Return(results ...pjrt.HostArray) Func {
	return func([]pjrt.HostArray) ([]pjrt.HostArray, error) { return results, nil }
}

// Failing is a program whose executions all fail with err.
func Failing(err error) Func {
	return func([]pjrt.HostArray) ([]pjrt.HostArray, error) { return nil, err }
}

// Elementwise is a program with one result that has the shape of the arguments. fn
// computes each element of the result from the elements at the same place of all
// arguments.
func Elementwise[In, Out dtype.Elem](fn func(x ...In) Out) Func {
	return func(args []pjrt.HostArray) ([]pjrt.HostArray, error) {
		columns := make([][]In, len(args))
		for i, a := range args {
			values, err := Values[In](a)
			if err != nil {
				return nil, fmt.Errorf("argument %d: %w", i, err)
			}
			if len(values) != len(args[0].Data)/max(args[0].Type.Size(), 1) {
				return nil, fmt.Errorf("argument %d is %v, but argument 0 is %v", i, a.Shape(), args[0].Shape())
			}
			columns[i] = values
		}
		if len(columns) == 0 {
			return []pjrt.HostArray{pjrt.ScalarOf[Out](fn())}, nil
		}
		results := make([]Out, len(columns[0]))
		row := make([]In, len(columns))
		for i := range results {
			for j, c := range columns {
				row[j] = c[i]
			}
			results[i] = fn(row...)
		}
		return []pjrt.HostArray{pjrt.ArrayOf(results, args[0].Dims...)}, nil
	}
}

// Map is like [Elementwise] for programs with one argument.
func Map[In, Out dtype.Elem](fn func(x In) Out) Func {
	return Elementwise(func(x ...In) Out { return fn(x[0]) })
}

// Values returns the elements of an array. If possible, the slice shares the array's
// memory. Values returns an error if the array has another type.
func Values[T dtype.Elem](a pjrt.HostArray) ([]T, error) {
	if want := dtype.Of[T](); a.Type != want {
		return nil, fmt.Errorf("the array is %v; its elements are not %v", a.Shape(), want)
	}
	if len(a.Data) == 0 {
		return []T{}, nil
	}
	return dtype.View[T](a.Data)
}
