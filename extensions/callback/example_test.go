// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package callback_test

import (
	"errors"
	"fmt"
	"log"

	"github.com/purepjrt/purepjrt/extensions/callback"
	"github.com/purepjrt/purepjrt/pjrt/pjrttest"
)

// A program on TPUs says why it ends. InvokeFatal tests that.
func ExampleOnFatal() {
	plugin, err := pjrttest.Start(pjrttest.Options{}) // in place of a plugin for TPUs
	if err != nil {
		log.Fatal(err)
	}
	defer plugin.Close()
	client := plugin.Client()
	if err := callback.OnFatal(client, func(err error) { fmt.Println("the last words of the runtime:", err) }); err != nil {
		log.Fatal(err)
	}
	if err := callback.InvokeFatal(client, errors.New("this is a test")); err != nil {
		log.Fatal(err)
	}
	// Output: the last words of the runtime: UNKNOWN: this is a test
}
