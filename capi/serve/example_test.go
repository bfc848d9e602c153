// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package serve_test

import (
	"fmt"
	"log"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/capi/serve"
)

// A plugin with one function of API 0.81.
func ExamplePlugin() {
	attributes, err := capi.NewNamedValues([]capi.Attribute{{Name: "xla_version", Value: 2}})
	if err != nil {
		log.Fatal(err)
	}
	plugin := &serve.Plugin{
		Minor: 81,
		PluginAttributes: func(a *capi.PluginAttributesArgs) error {
			a.Attributes, a.NumAttributes = attributes.Data()
			return nil
		},
	}
	table, err := plugin.Serve()
	if err != nil {
		log.Fatal(err)
	}
	defer table.Close()

	// A client in C would use table.API().
	client := table.Capi()
	var attrs capi.Call[capi.PluginAttributesArgs]
	if err := attrs.Do(client); err != nil {
		log.Fatal(err)
	}
	fmt.Println(capi.Attributes(attrs.Args.Attributes, attrs.Args.NumAttributes))
	var devices capi.Call[capi.ClientDevicesArgs]
	fmt.Println(devices.Do(client))
	// Output:
	// [{xla_version 2}]
	// PJRT_Client_Devices: UNIMPLEMENTED: the plugin does not implement PJRT_Client_Devices
}

// A table that counts the calls of another plugin, and makes one of them fail.
func ExampleWrap() {
	real, err := (&serve.Plugin{
		ClientProcessIndex: func(a *capi.ClientProcessIndexArgs) error {
			a.ProcessIndex = 3
			return nil
		},
	}).Serve()
	if err != nil {
		log.Fatal(err)
	}
	defer real.Close()

	calls := make(map[string]int)
	wrapped, err := serve.Wrap(real.Capi(),
		serve.AroundAll(func(c *serve.Invocation) {
			calls[c.Function().Name]++
			c.Forward()
		}),
		serve.Around(func(c *serve.Invocation, args *capi.ClientProcessIndexArgs) {
			c.Forward()
			if args.ProcessIndex == 3 && calls["PJRT_Client_ProcessIndex"] == 2 {
				c.Fail(capi.ErrorCodeUnavailable, "process %d is away", args.ProcessIndex)
			}
		}))
	if err != nil {
		log.Fatal(err)
	}
	defer wrapped.Close()

	var index capi.Call[capi.ClientProcessIndexArgs]
	for range 2 {
		fmt.Println(index.Do(wrapped.Capi()), index.Args.ProcessIndex)
	}
	fmt.Println(calls["PJRT_Client_ProcessIndex"], calls["PJRT_Error_Message"])
	// Output:
	// <nil> 3
	// PJRT_Client_ProcessIndex: UNAVAILABLE: process 3 is away 3
	// 2 1
}
