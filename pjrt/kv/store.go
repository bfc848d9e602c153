// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package kv has the key-value stores through which the processes of one
// program find each other. A plugin writes what others must know, such as the
// devices of its process or the address of its communicator, and waits for what
// they write. PJRT leaves the store to the program: a [Store] goes into
// pjrt.ClientOptions.
//
// [NewMemory] serves the clients of one process, and tests. For processes on
// several machines there is a store on etcd in a module of its own,
// github.com/purepjrt/purepjrt/pjrt/kv/etcd. Package kvtest checks others.
//
// Plugins use the same keys each time a program runs. A store that outlives the
// program therefore needs keys of its own for each run: see [Prefix]. Otherwise
// a process may meet what an earlier run left, and wait for peers that are gone.
package kv

import (
	"context"
	"errors"
)

// Store maps keys to values for the processes of one program. Its methods may be
// called from any goroutine, many at once.
//
// Keys and values are bytes: zero bytes and invalid UTF-8 are allowed. A value
// may be empty; a key may not. Values are small, a few kilobytes as a rule.
//
// Every method returns an error when ctx has ended, whether or not it could have
// succeeded, for which errors.Is(err, ctx.Err()) holds: that is
// context.DeadlineExceeded after a deadline.
type Store interface {
	// Get returns the value of key, and waits until there is one. The caller
	// owns the value. When keys are written several times, Get returns any value
	// that the key had since the call began.
	Get(ctx context.Context, key string) ([]byte, error)

	// TryGet returns the value that key has now, at least as new as any whose
	// Put has returned, in whatever process. The caller owns it. Without one the
	// error has ErrNotFound in its chain.
	TryGet(ctx context.Context, key string) ([]byte, error)

	// Put gives key a value and wakes those that wait for one. It replaces a
	// value that is there: a client whose creation failed halfway can be created
	// again. The store does not keep value, nor change it.
	Put(ctx context.Context, key string, value []byte) error
}

// ErrNotFound is in the chain of the error of Store.TryGet for a key without a
// value.
var ErrNotFound = errors.New("key not found")

// ErrEmptyKey is in the chain of the error of every method of a Store for the
// empty key.
var ErrEmptyKey = errors.New("the key is empty; a key has at least one byte")
