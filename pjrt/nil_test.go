// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt_test

import (
	"context"
	"reflect"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/purepjrt/purepjrt/pjrt"
)

// objects are the types whose methods must accept nil and zero receivers.
var objects = []any{
	new(pjrt.Bound), new(pjrt.Buffer), new(pjrt.Client), new(pjrt.Device), new(pjrt.DeviceDescription),
	new(pjrt.Event), new(pjrt.Executable), new(pjrt.Layout), new(pjrt.LoadedExecutable), new(pjrt.Memory),
	new(pjrt.Plugin), new(pjrt.Promise), new(pjrt.Reference), new(pjrt.SharedClient), new(pjrt.Topology),
}

// Methods with an error result return one, Close returns none, and all others return zero
// values. None panics, and none waits.
func TestMethodsOnNilAndZeroReceiversDoNotPanic(t *testing.T) {
	t.Parallel()
	for _, object := range objects {
		typ := reflect.TypeOf(object)
		for name, receiver := range map[string]reflect.Value{"nil": reflect.Zero(typ), "zero": reflect.New(typ.Elem())} {
			for i := range typ.NumMethod() {
				m := typ.Method(i)
				t.Run(typ.Elem().Name()+"."+m.Name+"/"+name, func(t *testing.T) {
					t.Parallel()
					checkReceiver(t, m, receiver)
				})
			}
		}
	}
}

// checkReceiver calls the method with valid arguments, as far as their types allow, so that
// its error is about the receiver.
func checkReceiver(t *testing.T, m reflect.Method, receiver reflect.Value) {
	done := make(chan []reflect.Value, 1)
	go func() {
		defer close(done)
		defer func() {
			if v := recover(); v != nil {
				t.Errorf("it panics: %v", v)
			}
		}()
		args := []reflect.Value{receiver}
		for i := 1; i < m.Type.NumIn(); i++ {
			if m.Type.IsVariadic() && i == m.Type.NumIn()-1 {
				break
			}
			args = append(args, argumentOf(m.Type.In(i)))
		}
		done <- m.Func.Call(args)
	}()
	select {
	case results, ok := <-done:
		if ok {
			checkResults(t, m, results)
		}
	case <-time.After(time.Minute):
		t.Error("it does not return")
	}
}

func argumentOf(in reflect.Type) reflect.Value {
	switch {
	case in == reflect.TypeFor[context.Context]():
		return reflect.ValueOf(context.Background())
	case in == reflect.TypeFor[error]():
		return reflect.ValueOf(context.Canceled)
	case in.Kind() == reflect.Func:
		return reflect.MakeFunc(in, func([]reflect.Value) []reflect.Value {
			results := make([]reflect.Value, in.NumOut())
			for i := range results {
				results[i] = reflect.Zero(in.Out(i))
			}
			return results
		})
	case in.Kind() == reflect.Int:
		return reflect.ValueOf(1)
	case in.Kind() == reflect.Pointer && in.Elem().PkgPath() == reflect.TypeFor[pjrt.Client]().PkgPath():
		return reflect.New(in.Elem()) // options, or an object that is not in use
	}
	return reflect.Zero(in)
}

// plain are methods whose result for such a receiver is not the zero value.
var plain = map[string]bool{"String": true, "Done": true, "HostDone": true, "LocalHardwareID": true, "KindID": true}

func checkResults(t *testing.T, m reflect.Method, results []reflect.Value) {
	for i, r := range results {
		isError := i == len(results)-1 && r.Type() == reflect.TypeFor[error]()
		switch {
		case isError && m.Name == "Close":
			assert.True(t, r.IsNil(), "Close returns the error %v", r)
		case isError:
			assert.False(t, r.IsNil(), "there is no error")
		case !plain[m.Name]:
			assert.True(t, r.IsZero(), "result %d is %v", i, r)
		}
	}
}
