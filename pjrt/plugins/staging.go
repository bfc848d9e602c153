// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package plugins

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/gofrs/flock"
)

// lockPath returns the path of the lock of a wheel. The file stays when the lock is released.
func (in *installer) lockPath(id string) string { return filepath.Join(in.Dir, id+".lock") }

// lock keeps other processes from installing the same wheel. The kernel releases the lock of a
// process that dies, so a stale lock file is harmless.
func (in *installer) lock(ctx context.Context, id string) (unlock func(), err error) {
	l := flock.New(in.lockPath(id))
	held, err := l.TryLock()
	if err == nil && !held {
		fmt.Fprintf(in.Progress, "waiting for another process that is installing %s\n", id)
		_, err = l.TryLockContext(ctx, lockPoll)
	}
	if err != nil {
		return nil, fmt.Errorf("lock %s: %w", l.Path(), err)
	}
	return func() { _ = l.Unlock() }, nil
}

// partInfix is what the names of directories to install in have between the id of their wheel and a
// random number.
const partInfix = ".part-"

func stagingPrefix(id string) string { return "." + id + partInfix }

// stage makes a directory to install in, which remove removes. It first removes the directories of
// killed processes. Those that cannot be removed do no harm, and the next installation tries again.
// The caller holds the lock of id.
func (in *installer) stage(id string) (dir string, remove func(), err error) {
	in.clear(id)
	dir, err = os.MkdirTemp(in.Dir, stagingPrefix(id))
	return dir, func() { _ = os.RemoveAll(dir) }, err
}

// clear removes what killed processes left of installations of a wheel, and returns how many bytes
// that was. The caller holds the lock of id, so none of it is in use.
func (in *installer) clear(id string) (bytes int64) {
	for _, dir := range glob(in.Dir, stagingPrefix(id)+"*") {
		n, _ := sizesBelow(dir)
		if os.RemoveAll(dir) == nil {
			bytes += n
		}
	}
	return bytes
}

// sweep removes what killed processes left of installations of any wheel, that of other versions of
// this package too, and leaves alone what another process works on: that one holds the lock.
func (in *installer) sweep() {
	for _, dir := range glob(in.Dir, ".*"+partInfix+"*") {
		id, _, _ := strings.Cut(filepath.Base(dir)[1:], partInfix)
		l := flock.New(in.lockPath(id), flock.SetFlag(os.O_RDONLY))
		// A process takes the lock before it makes the directory.
		if held, err := l.TryLock(); held || errors.Is(err, fs.ErrNotExist) {
			_ = os.RemoveAll(dir)
			_ = l.Unlock()
		}
	}
}
