// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package driver

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"
)

// fileHash returns the size and the SHA-256 of a file, or nothing if it cannot be read
// to its end.
func fileHash(ctx context.Context, path string) (int64, string) {
	if path == "" {
		return 0, ""
	}
	f, err := os.Open(path)
	if err != nil {
		return 0, ""
	}
	defer f.Close()
	h := sha256.New()
	n, err := io.Copy(h, reader{ctx, f})
	if err != nil {
		return 0, ""
	}
	return n, hex.EncodeToString(h.Sum(nil))
}

// reader reads until its context ends.
type reader struct {
	ctx context.Context
	r   io.Reader
}

func (r reader) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.r.Read(p)
}
