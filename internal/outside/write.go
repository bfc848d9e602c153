// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package outside

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
)

// WriteFile makes the named file hold what write writes. The file appears whole or not at all:
// WriteFile writes a new file in the same folder and then renames it, so an error, such as a full
// disk, leaves an older file unchanged. It follows symbolic links, and keeps the permissions of an
// older file. It writes directly to a name that is not a regular file, such as a pipe. Errors name
// the file.
func WriteFile(name string, write func(io.Writer) error) error {
	name = behindLinks(name)
	old, err := os.Stat(name)
	switch {
	case err == nil && old.IsDir():
		return fmt.Errorf("%s is a folder: name a file in it", name)
	case err == nil && !old.Mode().IsRegular():
		f, err := os.OpenFile(name, os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		return naming(name, name, errors.Join(write(f), f.Close()))
	case err != nil:
		old = nil
	}
	return replace(name, 0o666, old, write)
}

// Replace writes a file whose name others can foresee, in a folder where they may have put
// something of that name: it neither follows a link nor opens a pipe, but takes the place of what
// is there, as a whole or not at all. perm are the permissions of the file, before the umask.
func Replace(name string, content []byte, perm fs.FileMode) error {
	return replace(name, perm, nil, func(w io.Writer) error {
		_, err := w.Write(content)
		return err
	})
}

// CanWrite returns the error that WriteFile would return before it writes anything, such as one for
// a folder that does not exist. It leaves the file as it is, and does not open a pipe, which would
// wait for a reader.
func CanWrite(name string) error {
	if info, err := os.Stat(name); err == nil && !info.IsDir() && !info.Mode().IsRegular() {
		return nil
	}
	only := errors.New("nothing to write")
	if err := WriteFile(name, func(io.Writer) error { return only }); !errors.Is(err, only) {
		return err
	}
	return nil
}

// behindLinks follows symbolic links, also to a file that does not exist yet. It does not clean
// names: behind a link to a folder, ".." is not the folder that has the link.
func behindLinks(name string) string {
	const most = 40 // as in Linux
	for range most {
		target, err := os.Readlink(name)
		if err != nil {
			break
		}
		if !filepath.IsAbs(target) {
			dir, _ := filepath.Split(name)
			target = dir + target
		}
		name = target
	}
	return name
}

// replace puts a new file in the place of the named one. If the state of the old file is given, the
// new one gets its permissions.
func replace(name string, perm fs.FileMode, old fs.FileInfo, write func(io.Writer) error) error {
	if old != nil {
		perm = old.Mode().Perm()
	}
	dir, _ := filepath.Split(name)
	temp := fmt.Sprintf("%s.pjrt.%016x.tmp", dir, rand.Uint64())
	return naming(name, temp, rename(name, temp, perm, old != nil, write))
}

// rename writes a new file called temp, and then gives it the name. exactly means that the umask
// does not apply.
func rename(name, temp string, mode fs.FileMode, exactly bool, write func(io.Writer) error) error {
	f, err := os.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode|0o200)
	if err != nil {
		return err
	}
	err = write(f)
	if err == nil && exactly {
		err = f.Chmod(mode) // the umask may have cleared bits that the old file had
	}
	if err == nil {
		err = f.Sync() // some file systems report a full disk only here
	}
	if e := f.Close(); err == nil {
		err = e
	}
	if err == nil {
		err = os.Rename(temp, name)
	}
	if err == nil {
		return nil
	}
	if e := os.Remove(temp); e != nil && !errors.Is(e, fs.ErrNotExist) {
		return fmt.Errorf("%w, and could not remove the temporary file: %w", err, e)
	}
	return err
}

// naming returns err as one about the file that the caller named, in place of a temporary one.
func naming(name, temp string, err error) error {
	var path *fs.PathError
	var link *os.LinkError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &path) && path.Path == temp:
		path.Path = name
		return err
	case errors.As(err, &link) && link.Old == temp:
		return &fs.PathError{Op: "write", Path: name, Err: link.Err}
	default:
		return fmt.Errorf("%s: %w", name, err)
	}
}
