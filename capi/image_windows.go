// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package capi

import (
	"debug/pe"
	"fmt"
)

// checkImage checks that the file of size bytes can be a DLL for this platform.
func checkImage(path string, size int64) error {
	f, err := pe.Open(path)
	if err != nil {
		return fmt.Errorf("%w: %v", ErrNotLibrary, err)
	}
	defer f.Close()
	if f.Machine != pe.IMAGE_FILE_MACHINE_AMD64 {
		return fmt.Errorf("%w: it is for machine %#x", ErrNotLibrary, f.Machine)
	}
	if f.Characteristics&pe.IMAGE_FILE_DLL == 0 {
		return fmt.Errorf("%w: it is not a DLL", ErrNotLibrary)
	}
	for _, s := range f.Sections {
		if end := int64(s.Offset) + int64(s.Size); s.Size > 0 && end > size {
			return fmt.Errorf("%w: it is truncated: its contents end at byte %d, and the file has %d bytes", ErrNotLibrary, end, size)
		}
	}
	return nil
}
