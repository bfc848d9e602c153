// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package conformance_test

import (
	"context"
	"fmt"
	"os"
	"testing"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/capi/serve"
	"github.com/purepjrt/purepjrt/conformance"
)

// A test of a library. Each check is a subtest.
func ExampleTestPlugin() {
	_ = func(t *testing.T) { // TestConformance
		conformance.TestPlugin(t, "build/my_plugin.so", conformance.With(func(o *conformance.Options) {
			o.Profile = conformance.Smoke
			o.CreateOptions = []capi.Attribute{{Name: "cpu_device_count", Value: int64(2)}}
			o.Reports = "conformance-report"
		}))
	}
}

// A test of a plugin that is written in Go.
func ExampleTest() {
	_ = func(t *testing.T) { // TestConformance
		conformance.Test(t, func(t testing.TB) *capi.API {
			table, err := (&serve.Plugin{ /* its functions */ }).Serve()
			if err != nil {
				t.Fatal(err)
			}
			return table.API()
		})
	}
}

// A program that runs the suite itself begins main with Worker.
func ExampleRun() {
	main := func() {
		conformance.Worker()
		r, err := conformance.Run(context.Background(), conformance.Options{Plugin: "build/my_plugin.so"})
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(2)
		}
		fmt.Println(r.Sentence())
	}
	_ = main
}
