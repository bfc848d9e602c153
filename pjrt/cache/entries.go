// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package cache

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/purepjrt/purepjrt/pjrt/compile"
	"github.com/purepjrt/purepjrt/pjrt/internal/abandon"
)

// An Entry is an executable on disk.
type Entry struct {
	// Path is its file.
	Path string
	// Bytes is the size of the file.
	Bytes int64
	// Used is when the executable was last loaded or stored.
	Used time.Time
	// Problem says why Compile would not use the entry. Only [Cache.Verify] sets it.
	Problem error
	// System is the one that the executable was compiled for. Only [Cache.Verify] sets it.
	System compile.System
}

// Entries lists what is in the directory, the last used first, without reading the executables. It
// changes nothing.
func (c *Cache) Entries() ([]Entry, error) {
	if !c.isOpen() {
		return nil, errNotOpen
	}
	files, err := c.list()
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil // nothing has been stored
	case err != nil:
		return nil, fmt.Errorf("cache: %w", err)
	}
	list := make([]Entry, len(files))
	for i, f := range files {
		list[i] = Entry{Path: f.path, Bytes: f.size, Used: f.used}
	}
	slices.SortFunc(list, func(a, b Entry) int {
		if d := b.Used.Compare(a.Used); d != 0 {
			return d
		}
		return strings.Compare(a.Path, b.Path)
	})
	return list, nil
}

// Lookup returns the executable of an entry, as [pjrt.LoadedExecutable.Serialize] gave it, for the
// key of [pjrt.Client.CompileKey]; it does not count as a use of the entry. A missing entry is
// fs.ErrNotExist. Any other error is a damaged entry, which Lookup leaves where it is, or one of
// the directory.
func (c *Cache) Lookup(key [32]byte) ([]byte, error) {
	if !c.isOpen() {
		return nil, errNotOpen
	}
	executable, _, err := c.read(key)
	if err != nil {
		return nil, fmt.Errorf("cache: %w", err)
	}
	return executable, nil
}

// Store writes an entry, or replaces it: the executable that [Cache.Compile] loads for key, in the
// form of [pjrt.LoadedExecutable.Serialize]. It removes others as [Options.MaxBytes] says, and
// refuses an executable that is larger. An executable is machine code: store only what you trust.
func (c *Cache) Store(ctx context.Context, key [32]byte, executable []byte) error {
	if !c.isOpen() {
		return errNotOpen
	}
	if size := int64(len(executable) + frameSize); c.maxBytes > 0 && size > c.maxBytes {
		return fmt.Errorf("cache: an entry of %d bytes does not fit into MaxBytes, which is %d", size, c.maxBytes)
	}
	if _, err := compile.Decode(executable); err != nil {
		return fmt.Errorf("cache: %w", err)
	}
	executable = ownCode(ctx, executable)
	if err := abandon.Do(ctx, func() error { return c.put(ctx, key, executable) }); err != nil {
		return fmt.Errorf("cache: %w", err)
	}
	return nil
}

// Verify lists what is in the directory, as [Cache.Entries] does, and reads each entry to check
// that it is whole. It removes nothing: Compile replaces a damaged entry, and [Cache.Remove]
// removes it. An error is from the directory or from ctx.
func (c *Cache) Verify(ctx context.Context) ([]Entry, error) {
	list, err := c.Entries()
	if err != nil {
		return nil, err
	}
	for i := range list {
		var err error
		verify := func() (Entry, error) { return c.verify(list[i]), nil }
		if list[i], err = abandon.Call(ctx, verify, func(Entry) error { return nil }); err != nil {
			return nil, err
		}
	}
	// Another process may have removed entries meanwhile.
	return slices.DeleteFunc(list, func(e Entry) bool { return errors.Is(e.Problem, fs.ErrNotExist) }), nil
}

// verify returns the entry with its system, or its problem.
func (c *Cache) verify(e Entry) Entry {
	key, err := keyOfFile(e.Path)
	var content []byte
	if err == nil {
		content, _, err = c.read(key)
	}
	var exe *compile.Executable
	if err == nil {
		exe, err = compile.Decode(content)
	}
	if e.Problem = err; err == nil {
		e.System = exe.System
	}
	return e
}

// keyOfFile returns the key in the name of an entry.
func keyOfFile(path string) (key entryKey, err error) {
	name := filepath.Base(path)
	if !isEntry(name) {
		return key, fmt.Errorf("cache: %s does not have the name of an entry", path)
	}
	_, err = hex.Decode(key[:], []byte(strings.TrimSuffix(name, entrySuffix)))
	return key, err
}

// Remove removes an entry of this cache. It is no error if another process has removed it already.
func (c *Cache) Remove(e Entry) error {
	if !c.isOpen() {
		return errNotOpen
	}
	key, err := keyOfFile(e.Path)
	if err != nil {
		return err
	}
	if e.Path != c.path(key) {
		return fmt.Errorf("cache: %s is not in %s", e.Path, c.dir)
	}
	err = c.locked(context.Background(), func() error { return removeFile(e.Path) })
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("cache: %w", err)
	}
	return nil
}
