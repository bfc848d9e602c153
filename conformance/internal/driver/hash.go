// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package driver

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"
	"time"
)

// A hashed file has been read once: plugins have hundreds of megabytes, and a program may run the
// suite on one many times.
type hashed struct {
	info os.FileInfo // from before the file was read
	sum  string
}

var (
	hashes  = make(map[string]hashed) // by path
	hashing = make(chan struct{}, 1)  // held by the run that uses hashes and reads a file
)

// settled is the age of a file from which on another change will give it another time, however
// coarse the times of its file system are.
const settled = 3 * time.Second

// fileHash returns the size and the SHA-256 of a file, or nothing if it cannot be read
// to its end.
func fileHash(ctx context.Context, path string) (int64, string) {
	select {
	case hashing <- struct{}{}:
		defer func() { <-hashing }()
	case <-ctx.Done():
		return 0, ""
	}
	f, err := os.Open(path)
	if err != nil {
		return 0, ""
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return 0, ""
	}
	known, ok := hashes[path]
	if ok && os.SameFile(known.info, info) && known.info.Size() == info.Size() && known.info.ModTime().Equal(info.ModTime()) {
		return info.Size(), known.sum
	}
	h := sha256.New()
	n, err := io.Copy(h, reader{ctx, f})
	if err != nil {
		return 0, ""
	}
	sum := hex.EncodeToString(h.Sum(nil))
	if n == info.Size() && time.Since(info.ModTime()) > settled {
		hashes[path] = hashed{info, sum}
	}
	return n, sum
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
