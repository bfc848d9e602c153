// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package capi

// ExecutableABIVersion returns the version of the runtime that an executable was compiled for, with
// the extension AbiVersion: the number of the platform, and a message whose type the platform
// defines (PJRT_Executable_GetAbiVersion).
func (t *Table) ExecutableABIVersion(e *Executable) (platform uint64, proto []byte, err error) {
	var of Call[ExecutableGetABIVersionArgs]
	of.Args.Executable = e
	if err := of.Do(t); err != nil {
		return 0, nil, err
	}
	h := of.Args.ABIVersion
	defer func() {
		var d Call[ExecutableABIVersionDestroyArgs]
		d.Args.ABIVersion = h
		_ = d.Do(t)
	}()
	var id Call[ExecutableABIVersionPlatformIDArgs]
	id.Args.ABIVersion = h
	if err := id.Do(t); err != nil {
		return 0, nil, err
	}
	var c Call[ExecutableABIVersionToProtoArgs]
	c.Args.ABIVersion = h
	if err := c.Do(t); err != nil {
		return 0, nil, err
	}
	defer c.Args.SerializedProtoDeleter.Call(c.Args.SerializedProtoHolder)
	return id.Args.PlatformID, Bytes(c.Args.SerializedProto, c.Args.SerializedProtoSize), nil
}
