// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt

import (
	"context"

	"github.com/purepjrt/purepjrt/pjrt/internal/inside"
)

// waitsForHandler is the error of a wait with the context of a handler of x.
func waitsForHandler(x *inside.Execution, what string) error {
	return failed(ErrFailedPrecondition, "%s waits for the end of the execution of %s, which waits for this handler of a custom call: "+
		"return first, or use another device, since the plugin may run the executions of one device in order", what, x.Program)
}

// refuseInHandler returns an error if ctx is that of a handler. It is for waits that the
// handler's own execution may be holding up.
func refuseInHandler(ctx context.Context, why string) error {
	x := inside.Current(ctx)
	if x == nil {
		return nil
	}
	return failed(ErrFailedPrecondition, "%s, and a handler of a custom call in %s cannot wait for that: "+
		"its own execution may be in the way", why, x.Program)
}
