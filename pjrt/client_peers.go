// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/pjrt/kv"
)

// keyValueTimeout bounds a TryGet or Put, for which plugins give no timeout.
const keyValueTimeout = 2 * time.Minute

// tryGetSince is the first API minor with kv_try_get_callback.
const tryGetSince = 61

// peers connects a client to the other processes: it is the key-value store, which the
// plugin calls through C callbacks. It is nil for a client without a store.
type peers struct {
	store    kv.Store
	node     int           // of this process, when there are several
	handles  []capi.Handle // of the callbacks
	creation context.Context
	ctx      context.Context // of all calls to the store; close ends it, as does creation until created is called
	cancel   context.CancelFunc
	detach   func() bool // keeps ctx from ending with creation
}

// newPeers puts the callbacks of the store, if there is one, into args. ctx is NewClient's.
// The caller must close the result.
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
	// Older plugins do not have the field, and work without it.
	if _, minor := table.Version(); minor >= tryGetSince {
		var tryGet capi.Handle
		args.KVTryGetCallback, tryGet = capi.NewKeyValueTryGetCallback(p.tryGet)
		args.KVTryGetUserArg = uintptr(tryGet)
		p.handles = append(p.handles, tryGet)
	}
	return p
}

// failed closes p after PJRT_Client_Create returned err, and returns the error for the
// caller of NewClient.
func (p *peers) failed(err error) error {
	if p == nil {
		return err
	}
	p.close()
	if end := p.creation.Err(); end != nil && !errors.Is(err, end) {
		return fmt.Errorf("%w: %w", end, err) // the store failed because ctx ended
	}
	return err
}

// created lets p outlive the context of NewClient. It fails if that context has already
// ended, which makes p useless, or if the plugin ignored the node's number.
func (p *peers) created(c *Client) error {
	switch {
	case p == nil:
		return nil
	case !p.detach():
		return p.creation.Err()
	case c.processIndex != p.node:
		return failed(ErrUnimplemented, "the plugin (platform %s) numbered node %d as process %d: it does not seem to know %s and %s",
			c.platformName, p.node, c.processIndex, nodeIDOption, numNodesOption)
	}
	return nil
}

// close ends the callbacks after the client is destroyed. If the plugin still calls one, it
// gets an error.
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

// get waits for the value of key. XLA passes a negative timeout to wait without limit:
// then only closing the client ends the wait.
func (p *peers) get(key string, timeout time.Duration) ([]byte, error) {
	if timeout == 0 {
		v, err := p.tryGet(key)
		if errors.Is(err, ErrNotFound) {
			err = failed(ErrDeadlineExceeded, "no value for key %q, and no time to wait for one", key)
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
		return failed(ErrNotFound, "%v", err)
	case errors.Is(err, kv.ErrEmptyKey):
		return invalid("%v", err)
	}
	return err
}
