// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package dtype

import (
	"encoding/binary"
	"fmt"
)

// CheckBools returns an error that names the first byte that is neither 0 nor 1, if there is one.
// It reads a few bytes at a time, so it takes much less time than copying them.
func CheckBools(data []byte) error {
	const (
		odd  = 0xfefefefefefefefe
		step = 32
	)
	at := 0
	for ; at+step <= len(data); at += step {
		b := data[at : at+step : at+step]
		if (binary.LittleEndian.Uint64(b)|binary.LittleEndian.Uint64(b[8:])|
			binary.LittleEndian.Uint64(b[16:])|binary.LittleEndian.Uint64(b[24:]))&odd != 0 {
			break
		}
	}
	for i, v := range data[at:] {
		if v > 1 {
			return fmt.Errorf("byte %d of the bools is %d: it must be 0 or 1, as dtype.Convert from u8 makes it", at+i, v)
		}
	}
	return nil
}
