// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt

import (
	"context"
	"reflect"
	"runtime"
	"sync"
)

// SharedClient is a reference to the client that the parts of a program share.
// It can be used like a Client; pass its field Client on where one is wanted.
type SharedClient struct {
	*Client
	lease   *lease
	cleanup runtime.Cleanup
}

// Close gives the reference up. The client is closed with the last one.
func (s *SharedClient) Close() error {
	s.cleanup.Stop()
	s.lease.release()
	return nil
}

// sharing has the shared client of a plugin.
type sharing struct {
	mu      sync.Mutex
	current *sharedClient // guarded by mu; nil when there is none
}

// sharedClient is one client with those that share it. What is guarded is so by
// the mutex of its sharing.
type sharedClient struct {
	create []Attribute
	done   chan struct{} // closed when client or err is there
	client *Client
	err    error
	refs   int // guarded
}

// lease is one reference to a sharedClient.
type lease struct {
	sharing *sharing
	shared  *sharedClient
	once    sync.Once
}

// SharedClient returns a reference to the one client that the callers of this
// method share, and creates it if there is none: then ctx and opts are those of
// [Plugin.NewClient]. Each reference needs its own Close; the last one closes the
// client. After that, or after somebody closed the field Client, the next call
// creates another.
//
// Options count for the first caller. A later one passes nil, or options that come
// to the same create options: others are an error, ErrFailedPrecondition.
func (p *Plugin) SharedClient(ctx context.Context, opts *ClientOptions) (*SharedClient, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if p == nil || p.table == nil {
		return nil, errNilPlugin
	}
	var create []Attribute
	if opts != nil {
		var err error
		if create, err = opts.encode(p); err != nil {
			return nil, err
		}
	}
	s := &p.shared
	s.mu.Lock()
	c := s.current
	switch {
	case c == nil || c.over():
		c = &sharedClient{create: cloneAttributes(create), done: make(chan struct{})}
		s.current = c
		go s.create(context.WithoutCancel(ctx), p, c, opts)
	case opts != nil && !reflect.DeepEqual(c.create, create):
		s.mu.Unlock()
		return nil, &Error{Code: ErrFailedPrecondition, Message: "the shared client was created with other options: close it first, or use NewClient"}
	}
	c.refs++
	l := &lease{sharing: s, shared: c}
	s.mu.Unlock()

	select {
	case <-c.done:
	case <-ctx.Done():
		l.release()
		return nil, ctx.Err()
	}
	if c.err != nil {
		l.release()
		return nil, c.err
	}
	shared := &SharedClient{Client: c.client, lease: l}
	shared.cleanup = runtime.AddCleanup(shared, func(l *lease) { go l.release() }, l)
	return shared, nil
}

// create makes the client for all that wait for it.
func (s *sharing) create(ctx context.Context, p *Plugin, c *sharedClient, opts *ClientOptions) {
	c.client, c.err = p.NewClient(ctx, opts)
	close(c.done)
	s.mu.Lock()
	unwanted := c.refs == 0
	s.mu.Unlock()
	if unwanted && c.err == nil {
		c.client.Close()
	}
}

// over reports whether the client failed or was closed.
func (c *sharedClient) over() bool {
	select {
	case <-c.done:
		return c.err != nil || c.client.ref.Closed()
	default:
		return false
	}
}

func (l *lease) release() {
	l.once.Do(func() {
		s, c := l.sharing, l.shared
		s.mu.Lock()
		c.refs--
		last := c.refs == 0
		if last && s.current == c {
			s.current = nil
		}
		s.mu.Unlock()
		if !last {
			return
		}
		select {
		case <-c.done:
			if c.err == nil {
				c.client.Close()
			}
		default: // create will see that nobody wants it
		}
	})
}
