// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package check

import "github.com/purepjrt/purepjrt/capi"

// Platform returns the name of the platform of the client that checks share.
func (t *T) Platform() string { return t.PlatformOf(t.Client().Handle) }

// PlatformOf returns the name of a client's platform.
func (t *T) PlatformOf(client *capi.Client) string {
	out := Call(t, capi.ClientPlatformNameArgs{Client: client})
	return capi.String(out.PlatformName, out.PlatformNameSize)
}

// AllDevices returns the devices of a client, including those of other processes.
func (t *T) AllDevices(c *Client) []*capi.Device {
	out := Call(t, capi.ClientDevicesArgs{Client: c.Handle})
	return capi.Slice(out.Devices, out.NumDevices)
}

// Description returns the description of a device.
func (t *T) Description(d *capi.Device) *capi.DeviceDescription {
	p := Call(t, capi.DeviceGetDescriptionArgs{Device: d}).DeviceDescription
	if p == nil {
		t.Fatalf("PJRT_Device_GetDescription: success without a description")
	}
	return p
}

// DeviceID returns the global id of a device.
func (t *T) DeviceID(d *capi.Device) int32 {
	return Call(t, capi.DeviceDescriptionIDArgs{DeviceDescription: t.Description(d)}).ID
}

// IsDeleted reports whether a buffer is deleted.
func (t *T) IsDeleted(b *capi.Buffer) bool {
	return Call(t, capi.BufferIsDeletedArgs{Buffer: b}).IsDeleted
}

// ElementType returns the element type of a buffer.
func (t *T) ElementType(b *capi.Buffer) capi.BufferType {
	return Call(t, capi.BufferElementTypeArgs{Buffer: b}).Type
}

// DeviceOf returns the device of a buffer.
func (t *T) DeviceOf(b *capi.Buffer) *capi.Device {
	return Call(t, capi.BufferDeviceArgs{Buffer: b}).Device
}

// MemoryOf returns the memory of a buffer.
func (t *T) MemoryOf(b *capi.Buffer) *capi.Memory {
	return Call(t, capi.BufferMemoryArgs{Buffer: b}).Memory
}

// SizeOnDevice returns how many bytes a buffer has on its device.
func (t *T) SizeOnDevice(b *capi.Buffer) uintptr {
	return Call(t, capi.BufferOnDeviceSizeInBytesArgs{Buffer: b}).OnDeviceSizeInBytes
}

// Texts returns copies of n texts, whose lengths are in an array of their own.
func Texts(list **byte, sizes *uintptr, n uintptr) []string {
	pointers, lengths := capi.Slice(list, n), capi.Slice(sizes, n)
	texts := make([]string, len(pointers))
	for i, p := range pointers {
		texts[i] = capi.String(p, lengths[i])
	}
	return texts
}
