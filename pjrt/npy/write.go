// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package npy

import (
	"encoding/binary"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/purepjrt/purepjrt/internal/outside"
	"github.com/purepjrt/purepjrt/pjrt/array"
)

// Write writes a as a .npy file, byte for byte as numpy.save does. Types that NumPy lacks become
// opaque words of the same width, <V1 or <V2. So does [dtype.F8E5M2]: ml_dtypes writes <f1 for it,
// which NumPy cannot load.
func Write(w io.Writer, a array.Array) error {
	if err := a.Check(); err != nil {
		return err
	}
	head, err := header(a)
	if err != nil {
		return err
	}
	w = outside.Writer(w)
	if _, err := w.Write(head); err != nil {
		return fmt.Errorf("writing the .npy header: %w", err)
	}
	if _, err := w.Write(a.Data); err != nil {
		return fmt.Errorf("writing %d bytes of data: %w", len(a.Data), err)
	}
	return nil
}

// NumPy pads headers with spaces, so that the data starts at a multiple of headerAlign and the
// first dimension has room to grow to growthDigits digits in place.
const (
	headerAlign  = 64
	growthDigits = 21
)

func header(a array.Array) ([]byte, error) {
	if len(a.Dims) > maxDims {
		return nil, fmt.Errorf("shape has %d dimensions, more than the %d that NumPy reads", len(a.Dims), maxDims)
	}
	text := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': %s, }", a.Type.Descr(), tuple(a.Dims))
	if len(a.Dims) > 0 {
		text += strings.Repeat(" ", growthDigits-len(strconv.FormatInt(a.Dims[0], 10)))
	}
	before := len(magic) + 2 + 2
	text += strings.Repeat(" ", headerAlign-(before+len(text)+1)%headerAlign) + "\n"
	b := append([]byte(magic), 1, 0)
	b = binary.LittleEndian.AppendUint16(b, uint16(len(text)))
	return append(b, text...), nil
}

// WriteFile writes a to the named file as [Write] does. The file appears whole or not at all:
// WriteFile writes a new file in the same folder and then renames it, so an error, such as a full
// disk, leaves an older file unchanged. WriteFile follows symbolic links. It writes directly to a
// name that is not a regular file, such as a pipe.
func WriteFile(name string, a array.Array) error {
	if err := a.Check(); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return outside.WriteFile(name, func(w io.Writer) error { return Write(w, a) })
}
