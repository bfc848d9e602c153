// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package distributed

import (
	"math"
	"runtime"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/raw"
)

// PoisonExecution makes the execution with the launch id (see pjrt.ExecuteOptions) fail
// while it is under way on the device (PJRT_Device_PoisonExecution, API 0.85). Its
// results then fail with the code, the message and the payloads of reason; plugins take
// payloads since API 0.100. PoisonExecution reports whether it found the execution. An
// execution that is over or never existed is not an error. PoisonExecution may be called
// from any goroutine.
func PoisonExecution(device *pjrt.Device, launchID int, reason *pjrt.Error) (poisoned bool, err error) {
	h, release, err := raw.AcquireDevice(device)
	if err != nil {
		return false, err
	}
	defer release()
	switch {
	case reason == nil:
		return false, pjrt.ErrInvalidArgument.Errorf("the reason for poisoning an execution is nil; give an error")
	case reason.Code < pjrt.ErrCancelled || reason.Code > pjrt.ErrUnauthenticated:
		return false, pjrt.ErrInvalidArgument.Errorf("an execution cannot be poisoned with the error code %d", int32(reason.Code))
	case launchID < math.MinInt32 || launchID > math.MaxInt32:
		return false, pjrt.ErrInvalidArgument.Errorf("the launch id %d does not fit into 32 bits", launchID)
	}
	attributes := make([]pjrt.Attribute, len(reason.Payloads))
	for i, p := range reason.Payloads {
		attributes[i] = pjrt.Attribute{Name: p.Key, Value: string(p.Value)}
	}
	payload, err := capi.NewNamedValues(attributes)
	if err != nil {
		return false, pjrt.ErrInvalidArgument.Errorf("payloads of the error: %v", err)
	}
	var c capi.Call[capi.DevicePoisonExecutionArgs]
	c.Args.Device, c.Args.LaunchID, c.Args.ErrorCode = h, int32(launchID), reason.Code
	c.Args.ErrorMessage, c.Args.ErrorMessageSize = capi.StringData(reason.Message)
	c.Args.Payload, c.Args.NumPayload = payload.Data()
	err = c.Do(raw.Table(device.Client().Plugin()))
	runtime.KeepAlive(payload)
	if err != nil {
		return false, err
	}
	return c.Args.Poisoned, nil
}
