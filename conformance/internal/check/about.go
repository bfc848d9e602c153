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
	v := reflect.ValueOf(&args).Elem()
	for i := range v.NumField() {
		if f := v.Field(i); f.Type() == reflect.TypeFor[*H]() {
			f.Set(reflect.ValueOf(object))
			return args
		}
	}
	panic(fmt.Sprintf("check: %T is not about a %v", args, reflect.TypeFor[H]()))
}
