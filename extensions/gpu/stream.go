// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package gpu

import (
	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/raw"
)

// Stream is the platform's handle of a stream, such as CUDA's CUstream. The device owns
// the stream.
type Stream int

// StreamOf returns the stream on which a device waits for buffers that other libraries
// fill (PJRT_Get_Stream_For_External_Ready_Events). It is valid as long as the client.
func StreamOf(d *pjrt.Device) (Stream, error) {
	h, release, err := raw.AcquireDevice(d)
	if err != nil {
		return 0, err
	}
	defer release()
	var c capi.Call[capi.GetStreamForExternalReadyEventsArgs]
	c.Args.Device = h
	err = c.Do(raw.TableOf(d.Client()))
	return Stream(c.Args.Stream), err
}

// Wait makes a stream wait until a buffer has its contents
// (PJRT_Wait_Until_Buffer_Ready_On_Stream). The call itself does not wait. Nothing checks
// that s is a stream of the platform. A buffer without contents is an error.
func (s Stream) Wait(b *pjrt.Buffer) error {
	h, release, err := raw.AcquireBuffer(b)
	if err != nil {
		return err
	}
	defer release()
	var c capi.Call[capi.WaitUntilBufferReadyOnStreamArgs]
	c.Args.Stream, c.Args.Buffer = int(s), h
	return c.Do(raw.TableOf(b))
}
