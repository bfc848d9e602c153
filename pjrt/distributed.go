// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/pjrt/kv"
)

// keyValueTimeout is how long a call of the key-value store may take for which
// plugins say nothing.
const keyValueTimeout = 2 * time.Minute

// tryGetSince is the API minor that brought kv_try_get_callback.
const tryGetSince = 61

const (
	nodeIDOption   = "node_id"
	numNodesOption = "num_nodes"
)

// withNodes returns the create options with those of NodeID and NumNodes.
func (o *ClientOptions) withNodes() ([]Attribute, error) {
	switch {
	case o.NumNodes < 0:
		return nil, invalid("NumNodes is %d; it cannot be negative", o.NumNodes)
	case o.NumNodes == 0 && o.NodeID == 0:
		return o.Create, nil
	case o.NumNodes == 0:
		return nil, invalid("NodeID is %d without NumNodes; set both", o.NodeID)
	case o.NodeID < 0 || o.NodeID >= o.NumNodes:
		return nil, invalid("NodeID is %d; with %d nodes it is between 0 and %d", o.NodeID, o.NumNodes, o.NumNodes-1)
	case o.NumNodes > 1 && o.KeyValueStore == nil:
		return nil, invalid("%d nodes cannot find each other without a KeyValueStore", o.NumNodes)
	}
	for _, a := range o.Create {
		if a.Name == nodeIDOption || a.Name == numNodesOption {
			return nil, invalid("create option %s is given twice: in Create and as NodeID and NumNodes", a.Name)
		}
	}
	return append(slices.Clip(o.Create),
		Attribute{Name: nodeIDOption, Value: int64(o.NodeID)},
		Attribute{Name: numNodesOption, Value: int64(o.NumNodes)}), nil
}

// peers is a client's way to those in other processes, the key-value store
// behind callbacks of C. A nil one belongs to a client without a store.
type peers struct {
	store    kv.Store
	node     int           // of this process, when there are several
	handles  []capi.Handle // of the callbacks
	creation context.Context
	ctx      context.Context // of all calls of the store; ends with close, or with creation until created
	cancel   context.CancelFunc
	detach   func() bool // keeps ctx from ending with creation
}

// newPeers puts the callbacks of the store, if there is one, into the arguments
// of a client's creation, which ctx limits. close must follow.
func newPeers(ctx context.Context, table *capi.Table, opts *ClientOptions, args *capi.ClientCreateArgs) *peers {
	if opts.KeyValueStore == nil {
		return nil
	}
	p := &peers{store: opts.KeyValueStore, node: opts.NodeID, creation: ctx}
	p.ctx, p.cancel = context.WithCancel(context.WithoutCancel(ctx))
	p.detach = context.AfterFunc(ctx, p.cancel)
	var get, put capi.Handle
	args.KVGetCallback, get = capi.NewKeyValueGetCallback(p.get)
	args.KVPutCallback, put = capi.NewKeyValuePutCallback(p.put)
	args.KVGetUserArg, args.KVPutUserArg = uintptr(get), uintptr(put)
	p.handles = append(p.handles, get, put)
	// An older plugin knows no such field, and does without.
	if _, minor := table.Version(); minor >= tryGetSince {
		var tryGet capi.Handle
		args.KVTryGetCallback, tryGet = capi.NewKeyValueTryGetCallback(p.tryGet)
		args.KVTryGetUserArg = uintptr(tryGet)
		p.handles = append(p.handles, tryGet)
	}
	return p
}

// failed closes p after a creation that failed with err, and returns what to
// report.
func (p *peers) failed(err error) error {
	if p == nil {
		return err
	}
	p.close()
	if end := p.creation.Err(); end != nil && !errors.Is(err, end) {
		return fmt.Errorf("%w: %w", end, err) // the store's answer was the end of ctx
	}
	return err
}

// created lets p outlive the context of the creation of c. It fails when that
// has ended already, and p is of no use, and when the plugin took no notice of
// the node's number.
func (p *peers) created(c *Client) error {
	switch {
	case p == nil:
		return nil
	case !p.detach():
		return p.creation.Err()
	case c.processIndex != p.node:
		return &Error{Code: ErrUnimplemented, Message: fmt.Sprintf("the plugin (platform %s) makes process %d of node %d; it does not seem to know %s and %s",
			c.platformName, c.processIndex, p.node, nodeIDOption, numNodesOption)}
	}
	return nil
}

// close ends the callbacks; a call that the plugin makes after all gets an
// error. The client must have been destroyed.
func (p *peers) close() {
	if p == nil {
		return
	}
	p.detach()
	p.cancel()
	for _, h := range p.handles {
		h.Delete()
	}
}

// get waits for the value of key. A negative timeout is how XLA writes one that
// never ends; then only the client ends the wait.
func (p *peers) get(key string, timeout time.Duration) ([]byte, error) {
	if timeout == 0 {
		v, err := p.tryGet(key)
		if errors.Is(err, ErrNotFound) {
			err = &Error{Code: ErrDeadlineExceeded, Message: fmt.Sprintf("no value for key %q, and no time to wait for one", key)}
		}
		return v, err
	}
	ctx := p.ctx
	if timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, timeout)
		defer cancel()
	}
	v, err := p.store.Get(ctx, key)
	return v, keyValueError(err)
}

func (p *peers) tryGet(key string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(p.ctx, keyValueTimeout)
	defer cancel()
	v, err := p.store.TryGet(ctx, key)
	return v, keyValueError(err)
}

func (p *peers) put(key string, value []byte) error {
	ctx, cancel := context.WithTimeout(p.ctx, keyValueTimeout)
	defer cancel()
	return keyValueError(p.store.Put(ctx, key, value))
}

// keyValueError gives the errors of package kv the codes that plugins look for.
func keyValueError(err error) error {
	switch {
	case errors.Is(err, kv.ErrNotFound):
		return &Error{Code: ErrNotFound, Message: err.Error()}
	case errors.Is(err, kv.ErrEmptyKey):
		return &Error{Code: ErrInvalidArgument, Message: err.Error()}
	}
	return err
}
