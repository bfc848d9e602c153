// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package etcd_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/purepjrt/purepjrt/pjrt/kv/etcd"
)

// meet is what pjrt/docs/several-processes.md shows.
func meet(ctx context.Context, client *clientv3.Client) error {
	store, err := etcd.New(ctx, client, &etcd.Options{Prefix: "jobs/17/", TTL: time.Hour})
	if err != nil {
		return err
	}
	defer store.Close()
	return store.Put(ctx, "address of node 0", []byte("10.0.0.1:8476"))
}

func TestTheKeysOfARunHaveItsPrefix(t *testing.T) {
	t.Parallel()
	address, _ := serve(t, t.TempDir(), "127.0.0.1:0")
	client := connect(t, address)
	require.NoError(t, meet(soon(t), client))
	r, err := client.Get(soon(t), "jobs/17/address of node 0")
	require.NoError(t, err)
	require.Len(t, r.Kvs, 1)
	assert.NotZero(t, r.Kvs[0].Lease)
}
