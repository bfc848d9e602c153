// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package kv provides key-value stores through which the processes of one program find each other.
// The plugin in each process writes what the others must know, such as its devices or the address
// of its communicator, and waits for what they write. The program supplies the store: put a [Store]
// into pjrt.ClientOptions.
//
// [NewMemory] returns a store for clients in one process, and for tests. For processes on several
// machines there is a store on etcd, in the separate module
// github.com/purepjrt/purepjrt/pjrt/kv/etcd. Package kvtest checks other implementations.
//
// Plugins use the same keys each time a program runs. So a store that outlives the program needs
// different keys for each run: see [Prefix]. Otherwise a process may find values of an earlier run,
// and wait for peers that are gone.
package kv

import (
	"context"
	"errors"
)

// Store maps keys to values for the processes of one program. Its methods may be
// called from any goroutine, many at once.
//
// Keys and values are bytes: zero bytes and invalid UTF-8 are allowed. A value may be empty; a key
// may not. Values are small, usually a few kilobytes.
//
// If ctx has ended, every method returns an error that wraps ctx.Err(), even if it could have
// succeeded. After a deadline that is context.DeadlineExceeded.
type Store interface {
	// Get waits until key has a value and returns it. The caller owns the value. If the key is
	// written several times, Get returns any value that it had since the call began.
	Get(ctx context.Context, key string) ([]byte, error)

	// TryGet returns the current value of key. It sees every Put that has returned, in any process.
	// The caller owns the value. If there is none, the error wraps ErrNotFound.
	TryGet(ctx context.Context, key string) ([]byte, error)

	// Put sets the value of key and wakes every Get that waits for it. It replaces an older value,
	// so that a client whose creation failed halfway can be created again. The store neither keeps
	// nor changes the slice value.
	Put(ctx context.Context, key string, value []byte) error
}

// ErrNotFound is wrapped by the error of Store.TryGet for a key without a value.
var ErrNotFound = errors.New("key not found")

// ErrEmptyKey is wrapped by the error of every method of a Store for the empty key.
var ErrEmptyKey = errors.New("the key is empty: a key has at least one byte")
