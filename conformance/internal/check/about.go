// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package check

import (
	"fmt"
	"reflect"
)

// About returns the args of a function that takes nothing but an object, such as
// BufferDimensionsArgs for a buffer.
func About[A, H any](object *H) (args A) {
	handles := Handles[A, H](&args)
	if len(handles) == 0 {
		panic(fmt.Sprintf("check: %T is not about a %v", args, reflect.TypeFor[H]()))
	}
	*handles[0] = object
	return args
}

// Handles returns the fields of args that hold an object of type H. What a function is about comes
// first, and what it makes comes last.
func Handles[A, H any](args *A) (list []**H) {
	v := reflect.ValueOf(args).Elem()
	for i := range v.NumField() {
		if h, ok := v.Field(i).Addr().Interface().(**H); ok {
			list = append(list, h)
		}
	}
	return list
}
