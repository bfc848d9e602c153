// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package etcd implements kv.Store on etcd, for programs whose processes run on several machines:
//
//	client, err := clientv3.New(clientv3.Config{Endpoints: []string{"etcd.example:2379"}})
//	store, err := etcd.New(ctx, client, &etcd.Options{Prefix: "jobs/" + id + "/", TTL: time.Hour})
//	defer store.Close()
//	c, err := plugin.NewClient(ctx, &pjrt.ClientOptions{KeyValueStore: store, NodeID: node, NumNodes: nodes})
//
// The package is a separate module, so that other programs do not depend on etcd.
package etcd

import (
	"context"
	"errors"
	"fmt"
	"time"

	v3rpc "go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/purepjrt/purepjrt/pjrt/kv"
)

// Options are the options of New. The zero value puts keys at the top of etcd's key space and keeps
// them forever.
type Options struct {
	// Prefix is prepended to every key, as with kv.Prefix. Each run of a program needs a different
	// prefix, which is the same in all its processes.
	Prefix string
	// TTL is how long keys stay in etcd after the process that put them closed its Store or died.
	// It is rounded up to whole seconds, and etcd extends very short ones. While the Store is open,
	// its keys stay. 0 means that keys stay until something else deletes them.
	TTL time.Duration
}

// Store is a kv.Store on etcd. Its methods may be called from any goroutine.
//
// Reads are linearizable: they see every Put that returned before they began, in any process. etcd
// limits the size of a value, to 1.5 MiB by default.
//
// If the context of a Put ends, the Put may or may not have taken effect.
type Store struct {
	client  *clientv3.Client
	prefix  string
	session *concurrency.Session // nil without a TTL
}

var _ kv.Store = (*Store)(nil)

// New returns a Store that uses client. The caller still owns client, and closes it after the
// Store. With a TTL, New asks etcd for a lease, and ctx limits how long it waits for that. Without
// a TTL, New does not talk to etcd. opts may be nil.
func New(ctx context.Context, client *clientv3.Client, opts *Options) (*Store, error) {
	if client == nil {
		return nil, errors.New("the etcd client is nil")
	}
	if opts == nil {
		opts = &Options{}
	}
	s := &Store{client: client, prefix: opts.Prefix}
	switch {
	case opts.TTL < 0:
		return nil, fmt.Errorf("the TTL %v is negative: use 0 for keys that stay", opts.TTL)
	case opts.TTL == 0:
		return s, nil
	}
	seconds := int64(opts.TTL / time.Second)
	if opts.TTL%time.Second != 0 {
		seconds++
	}
	lease, err := client.Grant(ctx, seconds)
	if err != nil {
		return nil, fmt.Errorf("cannot get a lease of %d s from etcd: %w", seconds, s.cause(ctx, err))
	}
	// The session keeps the lease alive. It does not get ctx, which is only for New.
	s.session, err = concurrency.NewSession(client, concurrency.WithLease(lease.ID))
	if err != nil {
		return nil, fmt.Errorf("cannot keep the lease alive: %w", err)
	}
	return s, nil
}

// Close, with a TTL, stops keeping the keys of this Store alive. etcd deletes them when the TTL has
// passed, so that slower peers still find them. Later calls of Put fail. The error is always nil.
func (s *Store) Close() error {
	if s != nil && s.session != nil {
		s.session.Orphan()
	}
	return nil
}

// check rejects arguments that etcd would reject, and log, only after a round trip.
func (s *Store) check(ctx context.Context, key string) error {
	if s == nil || s.client == nil {
		return errNilStore
	}
	if key == "" {
		return kv.ErrEmptyKey
	}
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("key %q: %w", s.prefix+key, err)
	}
	return nil
}

// Get implements kv.Store. It waits with a watch. If etcd is unreachable or without a leader, Get
// keeps waiting.
func (s *Store) Get(ctx context.Context, key string) ([]byte, error) {
	if err := s.check(ctx, key); err != nil {
		return nil, err
	}
	// Canceling its context removes the watch from etcd.
	watching, cancel := context.WithCancel(ctx)
	defer cancel()
	for {
		value, revision, err := s.read(ctx, key)
		if err == nil || !errors.Is(err, kv.ErrNotFound) {
			return value, err
		}
		// The watch starts at the revision after the read, so it cannot miss a Put.
		value, err = await(s.client.Watch(watching, s.prefix+key, clientv3.WithRev(revision+1), clientv3.WithFilterDelete()))
		switch {
		case err == nil:
			return value, nil
		case errors.Is(err, v3rpc.ErrCompacted):
			// etcd has discarded the changes since that revision, so read again.
		default:
			return nil, fmt.Errorf("no value for key %q: %w", s.prefix+key, s.cause(ctx, err))
		}
	}
}

// await returns the first value that a watch reports.
func await(changes clientv3.WatchChan) ([]byte, error) {
	for c := range changes {
		if err := c.Err(); err != nil {
			return nil, err
		}
		for _, e := range c.Events {
			return value(e.Kv.Value), nil
		}
	}
	return nil, errClientClosed
}

// TryGet implements kv.Store.
func (s *Store) TryGet(ctx context.Context, key string) ([]byte, error) {
	if err := s.check(ctx, key); err != nil {
		return nil, err
	}
	value, _, err := s.read(ctx, key)
	return value, err
}

// read returns the value of key, and the revision of etcd at the time. The revision is valid even
// if there is no value.
func (s *Store) read(ctx context.Context, key string) ([]byte, int64, error) {
	r, err := s.client.Get(ctx, s.prefix+key)
	if err != nil {
		return nil, 0, fmt.Errorf("key %q: %w", s.prefix+key, s.cause(ctx, err))
	}
	if len(r.Kvs) == 0 {
		return nil, r.Header.Revision, fmt.Errorf("%w: %q", kv.ErrNotFound, s.prefix+key)
	}
	return value(r.Kvs[0].Value), r.Header.Revision, nil
}

// value turns nil, which is how an empty value arrives, into an empty slice.
func value(v []byte) []byte {
	if v == nil {
		return []byte{}
	}
	return v
}

// Put implements kv.Store. With a TTL, it fails if the lease has ended because etcd was unreachable
// for longer than the TTL. In that case the keys put earlier are gone too.
func (s *Store) Put(ctx context.Context, key string, value []byte) error {
	if err := s.check(ctx, key); err != nil {
		return err
	}
	var lease []clientv3.OpOption
	if s.session != nil {
		select {
		case <-s.session.Done():
			return fmt.Errorf("key %q: %w", s.prefix+key, errLeaseEnded)
		default:
		}
		lease = append(lease, clientv3.WithLease(s.session.Lease()))
	}
	if _, err := s.client.Put(ctx, s.prefix+key, string(value), lease...); err != nil {
		return fmt.Errorf("key %q: %w", s.prefix+key, s.cause(ctx, err))
	}
	return nil
}

var (
	errLeaseEnded   = errors.New("the lease of the keys has ended: the store was closed, or etcd was unreachable for longer than the TTL")
	errClientClosed = errors.New("the etcd client was closed")
	errNilStore     = errors.New("the etcd store is nil: make one with etcd.New")
)

// cause returns why a call of etcd failed. etcd reports the end of ctx, and of the client, by
// several different errors.
func (s *Store) cause(ctx context.Context, err error) error {
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case s.client.Ctx().Err() != nil:
		return errClientClosed
	case status.Code(err) == codes.DeadlineExceeded:
		return context.DeadlineExceeded // the server noticed the deadline before ctx did
	case errors.Is(err, v3rpc.ErrLeaseNotFound):
		return errLeaseEnded
	}
	return err
}
