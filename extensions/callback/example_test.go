// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package callback_test

import (
	"context"
	"errors"
	"log"

	"github.com/purepjrt/purepjrt/extensions/callback"
	"github.com/purepjrt/purepjrt/pjrt/plugins"
)

// A program on TPUs logs why it ends. InvokeFatal tests that.
func ExampleOnFatal() {
	client, err := plugins.Open(context.Background(), "tpu", nil)
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
	if err := callback.OnFatal(client, func(err error) { log.Print("the last words of the runtime: ", err) }); err != nil {
		log.Fatal(err)
	}
	if err := callback.InvokeFatal(client, errors.New("this is a test")); err != nil {
		log.Fatal(err)
	}
}
