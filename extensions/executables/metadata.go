// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package executables

import (
	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/raw"
)

// Metadata returns the metadata of an executable: a serialized message of a type that the
// plugin defines (PJRT_ExecutableMetadata_GetExecutableMetadata). The caller owns the
// slice.
func Metadata(e *pjrt.Executable) ([]byte, error) {
	h, release, err := raw.AcquireExecutable(e)
	if err != nil {
		return nil, err
	}
	defer release()
	table := raw.TableOf(e)
	c, err := capi.Do(table, capi.ExecutableMetadataGetExecutableMetadataArgs{Executable: h})
	if err != nil {
		return nil, err
	}
	m := c.Metadata
	b := capi.Bytes(m.SerializedMetadata, m.SerializedMetadataSize)
	_, _ = capi.Do(table, capi.ExecutableMetadataDestroySerializedMetadataArgs{Metadata: m})
	return b, nil
}
