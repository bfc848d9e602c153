// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package model

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// Ordered is a JSON object that keeps the order in which its keys came, as since.json and
// history.json do, which grow at their ends. The zero value is empty.
type Ordered[T any] struct {
	Keys   []string
	Values map[string]T
}

// Set gives a key a value. A new key comes last.
func (o *Ordered[T]) Set(key string, v T) {
	if o.Values == nil {
		o.Values = make(map[string]T)
	}
	if _, ok := o.Values[key]; !ok {
		o.Keys = append(o.Keys, key)
	}
	o.Values[key] = v
}

// UnmarshalJSON reads an object.
func (o *Ordered[T]) UnmarshalJSON(b []byte) error {
	d := json.NewDecoder(bytes.NewReader(b))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return fmt.Errorf("want an object, have %s", b)
	}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return err
		}
		var v T
		if err := d.Decode(&v); err != nil {
			return fmt.Errorf("%v: %w", key, err)
		}
		o.Set(key.(string), v)
	}
	return nil
}

// Comma returns what goes in front of element i of a list or an object.
func Comma(i int) string {
	if i == 0 {
		return ""
	}
	return ","
}
