// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package params

import (
	"errors"
	"reflect"
	"strings"
	"unicode"

	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/sharding"
)

// Place is where a buffer or an array of several devices belongs in a Go value.
type Place struct {
	Name  string // as files of weights name it, such as h.0.attn.c_attn.weight
	Field string // as Go names it, such as Blocks[0].Attention.Weight
	// One of these is set, and points into the value.
	Buffer **pjrt.Buffer
	Array  **sharding.Array
}

// Places returns the places of a value, which into points to, in the order of [Scan]. The name of
// a place joins the names of what leads to it with dots:
//
//   - a field has the name in its tag, as in `pjrt:"attn.c_attn"`, or else its Go name in lower
//     case with underscores: LayerNorm is layer_norm
//   - an embedded struct without a tag adds nothing
//   - an element of a slice or an array has its index
//
// Slices keep their length, so make them as long as the model has layers. Maps, interfaces and
// nil pointers are errors if they have room for buffers. So are two places with one name.
func Places(into any) ([]Place, error) {
	v := reflect.ValueOf(into)
	if v.Kind() != reflect.Pointer || v.IsNil() || isLeaf(v.Type()) {
		return nil, pjrt.ErrInvalidArgument.Errorf(
			"the destination is of type %T; give a pointer to the value that takes the buffers", into)
	}
	var list []Place
	seen := make(map[string]string)
	err := visit(v, path{}, 0, func(at path, leaf reflect.Value) error {
		if !leaf.CanSet() {
			return pjrt.ErrInvalidArgument.Errorf("%s cannot be changed because it is in a map or in an interface: use a slice or a struct",
				at)
		}
		if other, ok := seen[at.name]; ok {
			return pjrt.ErrInvalidArgument.Errorf("%s and %s have the same name, %q: give one of them a tag `pjrt:\"NAME\"`",
				other, at, at.name)
		}
		seen[at.name] = at.String()
		p := Place{Name: at.name, Field: at.String()}
		switch leaf.Type() {
		case bufferType:
			p.Buffer = leaf.Addr().Interface().(**pjrt.Buffer)
		case arrayType:
			p.Array = leaf.Addr().Interface().(**sharding.Array)
		default:
			return pjrt.ErrInvalidArgument.Errorf("%s is of type %v; use a *pjrt.Buffer or a *sharding.Array", at, leaf.Type())
		}
		list = append(list, p)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return list, nil
}

// Close closes all buffers and arrays in the values, which it visits like [Arguments], up to the
// first place that it cannot visit, which is an error.
func Close(values ...any) error {
	var errs []error
	err := visitAll(values, func(_ path, leaf reflect.Value) error {
		switch leaf := leaf.Interface().(type) {
		case *pjrt.Buffer:
			errs = append(errs, leaf.Close())
		case *sharding.Array:
			errs = append(errs, leaf.Close())
		case pjrt.Argument:
			for _, b := range leaf.Buffers {
				errs = append(errs, b.Close())
			}
		}
		return nil
	})
	return errors.Join(append(errs, err)...)
}

func dotted(name, more string) string {
	if name == "" {
		return more
	}
	return name + "." + more
}

// underscored writes a Go name in lower case: LayerNorm is layer_norm, MLPOut is mlp_out, and QKV2
// is qkv2.
func underscored(name string) string {
	var b strings.Builder
	letters := []rune(name)
	for i, r := range letters {
		if i > 0 && unicode.IsUpper(r) {
			afterLower := !unicode.IsUpper(letters[i-1]) && letters[i-1] != '_'
			beforeLower := i+1 < len(letters) && unicode.IsLower(letters[i+1]) && letters[i-1] != '_'
			if afterLower || beforeLower {
				b.WriteByte('_')
			}
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}
