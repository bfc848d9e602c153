// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package distributed_test

import (
	"context"
	"fmt"
	"log"

	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/distributed"
	"github.com/purepjrt/purepjrt/pjrt/plugins"
)

// The processes of a program tell their clients which of them are left.
func ExampleUpdateProcesses() {
	ctx := context.Background()
	client, err := plugins.Open(ctx, "cpu", nil)
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
	err = distributed.UpdateProcesses(client, []distributed.Process{
		{ID: 0, Incarnation: 1, State: distributed.Connected},
		{ID: 1, Incarnation: 1, State: distributed.Failed, Err: &pjrt.Error{Code: pjrt.ErrUnavailable, Message: "no heartbeat"}},
	})
	fmt.Println(err)
	// Output: <nil>
}
