// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

//go:build unix

package plugins

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// limitFileSize limits the size of the files that this process can write.
func limitFileSize(bytes uint64) {
	signal.Ignore(syscall.SIGXFSZ)
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		panic(err)
	}
	limit.Cur = bytes
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		panic(err)
	}
}

func TestInstallOverTheFileSizeLimitLeavesNothing(t *testing.T) {
	t.Parallel()
	large := make([]byte, 1<<20)
	b := newBench(t, makeWheel(t, entry{name: "toy_plugins/toy/toy.so", content: string(large)}))
	c, o := b.process()
	o.FileSizeLimit = 64 << 10 // the compressed wheel fits, its content does not
	output := b.start(c, o)
	require.Error(t, c.Wait())
	assert.Contains(t, output.String(), "cannot install toy: the disk is full, or a quota or file size limit is reached: unpack \"toy_plugins/toy/toy.so\"")
	b.requireNothingLeft()
}

// change is what another user may have done to a file or directory.
type change struct {
	name string
	do   func(path string) error
	says string // the reason that the error gives
}

// changes returns changes after which other users decide what is in a file. Only root can give
// files away, as in .ci/run.
func changes(t *testing.T) []change {
	t.Helper()
	var list []change
	for _, mode := range []fs.FileMode{0o777, 0o775, 0o757, 0o722, 0o720, 0o702, 0o777 | fs.ModeSticky} {
		list = append(list, change{
			fmt.Sprintf("mode %v", mode), func(path string) error { return os.Chmod(path, mode) }, "other users can write to it",
		})
	}
	for _, uid := range []int{1, 1000, 65534} {
		if os.Geteuid() != 0 {
			t.Logf("without root, nothing can be given to user %d", uid)
			continue
		}
		list = append(list, change{
			fmt.Sprintf("user %d", uid), func(path string) error { return os.Chown(path, uid, -1) }, fmt.Sprintf("it belongs to user %d", uid),
		})
	}
	return list
}

func TestAPluginThatOthersCanChangeIsNotUsed(t *testing.T) {
	t.Parallel()
	for _, c := range changes(t) {
		for _, what := range []string{"library", "directory", "all plugins", "link"} {
			t.Run(c.name+" of "+what, func(t *testing.T) {
				t.Parallel()
				b := newBench(t, toyWheel(t))
				library, err := b.install(t.Context())
				require.NoError(t, err)
				path := map[string]string{
					"library": library, "directory": filepath.Dir(library), "all plugins": b.dir,
					"link": filepath.Join(t.TempDir(), "elsewhere"),
				}[what]
				if what == "link" { // to a library in another user's directory
					require.NoError(t, os.Mkdir(path, 0o755))
					require.NoError(t, os.Rename(library, filepath.Join(path, "toy.so")))
					require.NoError(t, os.Symlink(filepath.Join(path, "toy.so"), library))
					_, err = b.install(t.Context())
					require.NoError(t, err, "a link that the user made to a safe file")
				}
				require.NoError(t, c.do(path))

				_, err = b.install(t.Context())
				require.ErrorContains(t, err, "plugin toy: it is not safe to load: "+path+": "+c.says)
				assertOneLine(t, err)
				_, err = b.find()
				require.ErrorIs(t, err, ErrUnusable)
				require.ErrorContains(t, err, c.says)
				f := newFinder(ListOptions{NoPython: true})
				f.dir, f.table = func() (string, error) { return b.dir, nil }, b.installer.table
				_, err = f.lookupPlugin(t.Context(), "toy")
				require.ErrorContains(t, err, c.says)
				remedy := "run: pjrt install --force toy"
				if what == "all plugins" {
					remedy = map[bool]string{
						true:  "let root run: chown -R 0 " + b.dir,
						false: "run: chmod go-w " + b.dir + " && pjrt install --force toy",
					}[strings.HasPrefix(c.name, "user")]
				}
				require.ErrorContains(t, err, remedy)
				assert.Equal(t, 1, strings.Count(err.Error(), "plugin toy"))
				assert.Len(t, b.runs(), 1)

				b.installer.Force = true
				again, err := b.install(t.Context())
				if what == "all plugins" {
					require.ErrorContains(t, err, "cannot install toy: the plugin directory is not safe: "+b.dir+": "+c.says)
					assert.Len(t, b.runs(), 1, "nothing is downloaded to an unsafe directory")
					return
				}
				require.NoError(t, err)
				assert.Equal(t, library, again)
				b.requireInstalled(library)
			})
		}
	}
}

// A library and its directory that somebody put there before the first installation.
func TestAPlantedPluginIsNotUsed(t *testing.T) {
	t.Parallel()
	for _, c := range changes(t) {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, toyWheel(t))
			dir := filepath.Join(b.dir, b.pkg.id(b.pkg.wheels[b.installer.platform]))
			require.NoError(t, os.MkdirAll(dir, 0o755))
			require.NoError(t, os.WriteFile(filepath.Join(dir, "toy.so"), []byte("evil"), 0o644))
			require.NoError(t, c.do(filepath.Join(dir, "toy.so")))
			require.NoError(t, c.do(dir))
			_, err := b.install(t.Context())
			require.ErrorContains(t, err, c.says)
			_, err = b.find()
			require.ErrorContains(t, err, c.says)
			assert.Empty(t, b.runs())
		})
	}
}

func TestInstallIntoADirectoryOfOthersIsRefused(t *testing.T) {
	t.Parallel()
	for _, c := range changes(t) {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, toyWheel(t))
			require.NoError(t, os.MkdirAll(b.dir, 0o755))
			require.NoError(t, c.do(b.dir))
			_, err := b.install(context.Background())
			require.ErrorContains(t, err, c.says)
			assert.Empty(t, b.runs())
			left, err := os.ReadDir(b.dir)
			require.NoError(t, err)
			assert.Empty(t, left)
		})
	}
}
