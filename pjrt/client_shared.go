// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt

import (
	"context"
	"reflect"
	"runtime"
	"sync"

	"github.com/purepjrt/purepjrt/pjrt/compile"
	"github.com/purepjrt/purepjrt/pjrt/internal/abandon"
)

// SharedClient is a reference to the client that the parts of a program share.
type SharedClient struct {
	Client *Client // to be used until Close

	lease   *lease
	cleanup runtime.Cleanup
}

// Close closes the reference. Closing the last one closes the client.
func (s *SharedClient) Close() error {
	if s == nil || s.lease == nil {
		return nil
	}
	s.cleanup.Stop()
	s.lease.release()
	return nil
}

// sharing holds the shared client of a plugin.
type sharing struct {
	mu      sync.Mutex
	current *sharedClient // guarded by mu; may be nil
}

// sharedClient is one client and the number of its references.
type sharedClient struct {
	create   []Attribute
	compiler compile.Compiler
	done     chan struct{} // closed when client or err is set
	client   *Client
	err      error
	refs     int // guarded by sharing.mu
}

// lease is one reference to a sharedClient.
type lease struct {
	sharing *sharing
	shared  *sharedClient
	once    sync.Once
}

// SharedClient returns a reference to the one client that all callers share. The first call creates
// it, with ctx and opts as in [Plugin.NewClient] (plugins.Share adds what plugins.Open reads); so
// does the next call after the last SharedClient.Close or a close of the field Client. Each caller
// closes its reference. While the client exists, opts must be nil or result in the same create
// options and Compiler: others are ErrFailedPrecondition.
func (p *Plugin) SharedClient(ctx context.Context, opts *ClientOptions) (*SharedClient, error) {
	return p.share(ctx, opts, opts == nil)
}

// share is SharedClient. If join is set, a client that exists suits the caller whatever its
// options.
func (p *Plugin) share(ctx context.Context, opts *ClientOptions, join bool) (*SharedClient, error) {
	if err := abandon.Err(ctx, p, ""); err != nil {
		return nil, err
	}
	if p == nil || p.table == nil {
		return nil, errNilPlugin
	}
	var create []Attribute
	var compiler compile.Compiler
	if opts != nil {
		compiler = opts.Compiler
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
		c = &sharedClient{create: cloneAttributes(create), compiler: compiler, done: make(chan struct{})}
		s.current = c
		go s.create(context.WithoutCancel(ctx), p, c, opts)
	case !join && (!reflect.DeepEqual(c.create, create) || !sameCompiler(c.compiler, compiler)):
		s.mu.Unlock()
		return nil, failed(ErrFailedPrecondition, "the shared client was created with other options: close it first, or use NewClient")
	}
	c.refs++
	l := &lease{sharing: s, shared: c}
	s.mu.Unlock()

	select {
	case <-c.done:
	case <-ctx.Done():
		l.release()
		return nil, abandon.Err(ctx, p, "the client, which another caller creates")
	}
	if c.err != nil {
		l.release()
		return nil, c.err
	}
	shared := &SharedClient{Client: c.client, lease: l}
	shared.cleanup = runtime.AddCleanup(shared, func(l *lease) { go l.release() }, l)
	return shared, nil
}

// sameCompiler compares compilers of any types.
func sameCompiler(a, b compile.Compiler) bool {
	return reflect.TypeOf(a) == reflect.TypeOf(b) && (a == nil || reflect.ValueOf(a).Comparable() && a == b)
}

// create makes the client for all callers that wait for it.
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
		default: // create closes the client, as it has no references
		}
	})
}
