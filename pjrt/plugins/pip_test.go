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
	refuse  func(w http.ResponseWriter, r *http.Request)

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
	if x.refuse != nil {
		x.refuse(w, r)
		return
	}
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

func TestInstallShowsWhyPipGotNothing(t *testing.T) {
	t.Parallel()
	status := func(code int) func(http.ResponseWriter, *http.Request) {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("WWW-Authenticate", `Basic realm="x"`)
			w.WriteHeader(code)
		}
	}
	page := func(kind string) func(http.ResponseWriter, *http.Request) {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", kind)
			fmt.Fprint(w, "<html><form>Who are you?</form></html>")
		}
	}
	const none = "the package index has no wheel of toy-pjrt 1.2.3 for toyland_1_0; "
	for name, c := range map[string]struct {
		refuse       func(http.ResponseWriter, *http.Request)
		config, want string
		is           error
	}{
		"unauthorised": {refuse: status(401), want: none + `pip says: Could not fetch URL http://.*/simple/toy-pjrt/: 401 Client Error: Unauthorized$`},
		"forbidden":    {refuse: status(403), want: none + `pip says: Could not fetch URL .*: 403 Client Error: Forbidden$`},
		"not there":    {refuse: status(404), want: none + `pip says: Could not fetch URL .*: 404 Client Error: Not Found$`},
		"broken":       {refuse: status(500), want: none + `pip says: Could not fetch URL http://.*/simple/toy-pjrt/: ResponseError.'too many 500 error responses'.$`},
		"login page":   {refuse: page("text/html"), want: none + `pip read http://.*/simple/toy-pjrt/, which lists none$`},
		"text":         {refuse: page("text/plain"), want: none + `pip says: Skipping page .* because the GET request got Content-Type: text/plain`},
		"no-index":     {config: "[global]\nno-index = true\n", want: `no-index is set in pip's configuration, .* see "pip config list"`, is: ErrNoIndex},
		"bad config":   {config: "[global\n", want: `pip failed: Configuration file could not be loaded.* file: '.*pip.conf', line: 1`},
		"bad value":    {config: "[global]\nno-index = maybe\n", want: `pip failed: maybe is not a valid value for no-index option`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			x := newIndex(t)
			x.refuse = c.refuse
			if c.config != "" {
				config := filepath.Join(t.TempDir(), "pip.conf")
				require.NoError(t, os.WriteFile(config, []byte(c.config), 0o644))
				x.installer.env = append(x.installer.env, "PIP_CONFIG_FILE="+config)
			}
			_, err := x.installer.install(t.Context(), "toy")
			require.Error(t, err)
			assert.Regexp(t, c.want, err.Error())
			if c.is != nil {
				require.ErrorIs(t, err, c.is)
			}
			assertOneLine(t, err)
			x.requireNothingLeft()
		})
	}
}

// Neither an index nor a network is needed: pip's own settings name a folder.
func TestInstallFromAFolderOfWheels(t *testing.T) {
	t.Parallel()
	x := newIndex(t)
	x.installer.env = append(x.installer.env, "PIP_NO_INDEX=1", "PIP_FIND_LINKS="+filepath.Dir(x.bench.pip.Wheel))
	library, err := x.installer.install(t.Context(), "toy")
	require.NoError(t, err)
	x.requireInstalled(library)
	assert.Zero(t, x.begun)
}

func TestInstallIntoADirectoryThatIsNotUTF8(t *testing.T) {
	t.Parallel()
	x := newIndex(t)
	x.dir = filepath.Join(x.dir, "\xff")
	if err := os.MkdirAll(x.dir, 0o755); err != nil {
		t.Skip("this system has no such names: ", err)
	}
	x.installer.Dir = x.dir
	_, err := x.installer.install(t.Context(), "toy")
	require.ErrorContains(t, err, `plugins/\xff", whose name is not UTF-8: set XDG_CACHE_HOME or HOME`)
	x.requireNothingLeft()
}
