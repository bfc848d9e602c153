// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package plugins

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/internal/python"
)

// index is a package index with one wheel, which cuts connections in the middle of it.
type index struct {
	*bench
	wheel []byte

	endless bool // send more than the wheel

	mu     sync.Mutex
	cuts   int // how many more downloads are cut off
	begun  int
	middle func() // called when half of the wheel was sent
}

func newIndex(t *testing.T) *index {
	t.Helper()
	noise := make([]byte, 1<<20) // does not compress
	source := rand.NewChaCha8([32]byte{})
	_, _ = source.Read(noise)
	content := makeWheel(t,
		entry{name: "toy_plugins/toy/toy.so", content: libraryText},
		entry{name: "toy_plugins/toy/NOTICE", content: string(noise)},
		entry{name: "toy_pjrt-1.2.3.dist-info/METADATA", content: "Metadata-Version: 2.1\nName: toy-pjrt\nVersion: 1.2.3\n"},
		entry{name: "toy_pjrt-1.2.3.dist-info/WHEEL", content: "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"},
		entry{name: "toy_pjrt-1.2.3.dist-info/RECORD"},
	)
	x := &index{bench: newBench(t, content), wheel: content, middle: func() {}}
	server := httptest.NewServer(x)
	t.Cleanup(server.Close)
	path, err := python.Find(python.Default())
	require.NoError(t, err, "tests need Python 3 with pip")
	x.installer.Python = path
	for _, v := range os.Environ() {
		name, _, _ := strings.Cut(strings.ToUpper(v), "=")
		if !strings.HasPrefix(name, "PIP_") && !strings.HasSuffix(name, "_PROXY") {
			x.installer.env = append(x.installer.env, v)
		}
	}
	x.installer.env = append(x.installer.env, "PIP_INDEX_URL="+server.URL+"/simple/", "PIP_CONFIG_FILE="+os.DevNull)
	return x
}

func (x *index) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	name := filepath.Base(x.bench.pip.Wheel)
	if !strings.HasSuffix(r.URL.Path, name) {
		fmt.Fprintf(w, `<a href="/wheels/%s">%[1]s</a>`, name)
		return
	}
	x.mu.Lock()
	x.begun++
	cut := x.cuts > 0
	if cut {
		x.cuts--
	}
	begun := x.begun
	x.mu.Unlock()
	if x.endless {
		endlessly(w)
		return
	}
	start := 0
	if _, err := fmt.Sscanf(r.Header.Get("Range"), "bytes=%d-", &start); err == nil {
		w.Header().Set("Content-Range", fmt.Sprintf("bytes %d-%d/%d", start, len(x.wheel)-1, len(x.wheel)))
	}
	rest := x.wheel[start:]
	w.Header().Set("Content-Length", strconv.Itoa(len(rest)))
	w.Header().Set("ETag", `"wheel"`)
	if start > 0 {
		w.WriteHeader(http.StatusPartialContent)
	}
	_, _ = w.Write(rest[:len(rest)/2-begun]) // pip may be gone
	_ = http.NewResponseController(w).Flush()
	x.middle()
	if cut {
		panic(http.ErrAbortHandler)
	}
	_, _ = w.Write(rest[len(rest)/2-begun:])
}

// endlessly writes until the reader is gone.
func endlessly(w http.ResponseWriter) {
	noise := make([]byte, 64<<10)
	for {
		if _, err := w.Write(noise); err != nil {
			return
		}
	}
}

// Some versions of pip resume the download, the others start over.
func TestADownloadThatIsCutOffIsCompleted(t *testing.T) {
	t.Parallel()
	x := newIndex(t)
	x.cuts = 2
	library, err := x.installer.install(t.Context(), "toy")
	require.NoError(t, err)
	x.requireInstalled(library)
	assert.Equal(t, 3, x.begun)
	left, err := filepath.Glob(filepath.Join(x.dir, ".toy-*"))
	require.NoError(t, err)
	assert.Empty(t, left)
}

func TestADownloadThatIsAlwaysCutOffLeavesNothing(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("waits between attempts: make test-all")
	}
	x := newIndex(t)
	x.installer.env = append(x.installer.env, "PIP_RESUME_RETRIES=1")
	x.cuts = 1000
	_, err := x.installer.install(t.Context(), "toy")
	require.ErrorIs(t, err, ErrNetwork)
	assertOneLine(t, err)
	x.requireNothingLeft()
	x.cuts = 0
	library, err := x.installer.install(t.Context(), "toy")
	require.NoError(t, err)
	x.requireInstalled(library)
}

func TestAnotherFileIsNotACutOffDownload(t *testing.T) {
	t.Parallel()
	x := newIndex(t)
	x.wheel = toyWheel(t)
	_, err := x.installer.install(t.Context(), "toy")
	var mismatch *HashError
	require.ErrorAs(t, err, &mismatch)
	assertOneLine(t, err)
	x.requireNothingLeft()
}

func TestAMeterFollowsADownload(t *testing.T) {
	t.Parallel()
	x := newIndex(t)
	w := x.pkg.wheels[x.installer.platform]
	w.size = int64(len(x.wheel))
	x.pkg.wheels[x.installer.platform] = w
	seen, once := make(chan struct{}), sync.Once{}
	x.middle = func() { <-seen }
	context.AfterFunc(t.Context(), func() { once.Do(func() { close(seen) }) })
	x.installer.Meter = func(step string, done, total int64) {
		if step != "toy: downloading" {
			return
		}
		assert.Equal(t, w.size, total)
		assert.LessOrEqual(t, done, total)
		if done > total/4 {
			once.Do(func() { close(seen) })
		}
	}
	var steps strings.Builder
	x.installer.Progress = &steps
	_, err := x.installer.install(t.Context(), "toy")
	require.NoError(t, err)
	assert.Contains(t, steps.String(), "toy: downloading toy-pjrt 1.2.3 (1 MB, unpacked ")
}
