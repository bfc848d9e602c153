// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package executablemetadata reads the metadata that a compiler puts into an executable.
// It uses the extension ExecutableMetadata, which came with API 0.75; libtpu has it.
package executablemetadata

import (
	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/raw"
)

// Of returns the metadata of an executable: a serialized message of a type that the
// plugin defines (PJRT_ExecutableMetadata_GetExecutableMetadata). The caller owns the
// slice.
func Of(e *pjrt.Executable) ([]byte, error) {
	h, release, err := raw.AcquireExecutable(e)
	if err != nil {
		return nil, err
	}
	defer release()
	table := raw.TableOf(e)
	var c capi.Call[capi.ExecutableMetadataGetExecutableMetadataArgs]
	c.Args.Executable = h
	if err := c.Do(table); err != nil {
		return nil, err
	}
	m := c.Args.Metadata
	b := capi.Bytes(m.SerializedMetadata, m.SerializedMetadataSize)
	var d capi.Call[capi.ExecutableMetadataDestroySerializedMetadataArgs]
	d.Args.Metadata = m
	_ = d.Do(table)
	return b, nil
}
