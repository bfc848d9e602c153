// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrttest

import (
	"log/slog"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/internal/wire"
)

// Field numbers of the metadata of an executable.
const (
	fieldMetadataName        = 1
	fieldMetadataFingerprint = 2
)

const executableMetadata = "PJRT_ExecutableMetadata"

func (p *Plugin) getExecutableMetadata(a *capi.ExecutableMetadataGetExecutableMetadataArgs) error {
	e, err := find[*executable](p, a.Executable)
	if err != nil {
		return err
	}
	b := wire.AppendBytes(wire.AppendBytes(nil, fieldMetadataName, e.name), fieldMetadataFingerprint, e.fingerprint)
	metadata := make([]capi.ExecutableMetadata, 1)
	metadata[0].SerializedMetadata, metadata[0].SerializedMetadataSize = list(b)
	a.Metadata = share(p, executableMetadata, metadata)
	return nil
}

func (p *Plugin) destroyExecutableMetadata(a *capi.ExecutableMetadataDestroySerializedMetadataArgs) {
	if a.Metadata != nil && !unshare(p, executableMetadata, a.Metadata) {
		slog.Error("PJRT_ExecutableMetadata_DestroySerializedMetadata of a pjrttest plugin was called twice, " +
			"or with metadata that it did not make")
	}
}
