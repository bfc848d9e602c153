// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package kv

import "context"

// Prefix returns a view of store that prepends prefix to every key, so that several programs, or
// several runs of one, can share a store. End the prefix with a separator such as a slash: without
// one, the key "23" under "run1" is the key "3" under "run12".
func Prefix(store Store, prefix string) Store { return prefixed{store, prefix} }

type prefixed struct {
	store  Store
	prefix string
}

func (p prefixed) check(key string) error {
	switch {
	case p.store == nil:
		return errNilStore
	case key == "":
		return ErrEmptyKey
	}
	return nil
}

func (p prefixed) Get(ctx context.Context, key string) ([]byte, error) {
	if err := p.check(key); err != nil {
		return nil, err
	}
	return p.store.Get(ctx, p.prefix+key)
}

func (p prefixed) TryGet(ctx context.Context, key string) ([]byte, error) {
	if err := p.check(key); err != nil {
		return nil, err
	}
	return p.store.TryGet(ctx, p.prefix+key)
}

func (p prefixed) Put(ctx context.Context, key string, value []byte) error {
	if err := p.check(key); err != nil {
		return err
	}
	return p.store.Put(ctx, p.prefix+key, value)
}
