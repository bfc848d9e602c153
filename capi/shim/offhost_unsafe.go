// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package shim

import (
	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/capi/serve"
)

var functionIsOnCPU = (*capi.BufferIsOnCPUArgs)(nil).Function()

// offHost answers PJRT_Buffer_IsOnCpu with false where the plugin gives an answer.
func offHost(c *serve.Invocation) {
	c.Forward()
	args := (*capi.BufferIsOnCPUArgs)(c.Args())
	if args != nil && c.Err() == nil && c.Size() >= capi.BufferIsOnCPUArgsSize {
		args.IsOnCPU = false
	}
}
