// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package plugins

import (
	"archive/zip"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The test binary plays three parts: the tests, Python with pip, and another installing process.
// The environment says which.
const (
	actAsPip     = "PLUGINS_TEST_PIP"
	actAsInstall = "PLUGINS_TEST_INSTALL"
)

func TestMain(m *testing.M) {
	if script := os.Getenv(actAsPip); script != "" {
		os.Exit(pip(script, os.Args[1:]))
	}
	if script := os.Getenv(actAsInstall); script != "" {
		os.Exit(installProcess(script))
	}
	os.Exit(m.Run())
}

// fakePip says what the fake pip does. It is passed to the process as JSON.
type fakePip struct {
	Wheel  string // the file it "downloads"
	Log    string // file that gets one line for each run: its arguments
	Ready  string // file it creates before it hangs; if empty, it does not hang
	Stderr string // what it prints before it fails; if empty, it succeeds

	Endless bool // print Stderr again and again
}

func pip(script string, args []string) int {
	var f fakePip
	if err := json.Unmarshal([]byte(script), &f); err != nil {
		panic(err)
	}
	log, err := os.OpenFile(f.Log, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
	if err != nil {
		panic(err)
	}
	fmt.Fprintln(log, strings.Join(args[3:], " ")) // after -I -c PROGRAM
	log.Close()
	if f.Stderr != "" {
		for n, err := 0, error(nil); n == 0 || f.Endless && err == nil; n++ {
			_, err = fmt.Fprint(os.Stderr, f.Stderr)
		}
		return 1
	}
	dest := args[slices.Index(args, "--dest")+1]
	content, err := os.ReadFile(f.Wheel)
	if err == nil {
		err = os.MkdirAll(dest, 0o777)
	}
	if f.Ready != "" {
		content = content[:len(content)/2]
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(dest, filepath.Base(f.Wheel)), content, 0o666)
	}
	if err != nil {
		panic(err)
	}
	if f.Ready != "" {
		os.WriteFile(f.Ready, nil, 0o666)
		time.Sleep(time.Minute) // to be killed
	}
	return 0
}

// bench is a cache, and a fake pip that serves one package.
type bench struct {
	t         *testing.T
	dir       string
	pip       fakePip
	pkg       Package
	installer *installer
}

const libraryText = "not really an ELF file, but nobody loads it here"

func newBench(t *testing.T, wheelContent []byte) *bench {
	t.Helper()
	temp := t.TempDir()
	b := &bench{t: t, dir: filepath.Join(temp, "cache", "plugins")}
	b.pip = fakePip{Wheel: filepath.Join(temp, "toy_pjrt-1.2.3-py3-none-any.whl"), Log: filepath.Join(temp, "pip.log")}
	require.NoError(t, os.WriteFile(b.pip.Wheel, wheelContent, 0o666))
	hash := sha256.Sum256(wheelContent)
	b.pkg = Package{
		Name: "toy", Project: "toy-pjrt", Version: "1.2.3", Library: "toy_plugins/toy/toy.so",
		wheels: map[string]wheel{runtime.GOOS + "/" + runtime.GOARCH: {abi: "none", tag: "toyland_1_0", sha256: hex.EncodeToString(hash[:])}},
	}
	var err error
	b.installer, err = newInstaller(InstallOptions{Dir: b.dir, Python: executable(t)})
	require.NoError(t, err)
	b.installer.table = []Package{b.pkg}
	return b
}

func (b *bench) install(ctx context.Context) (string, error) {
	b.installer.env = append(os.Environ(), actAsPip+"="+marshal(b.t, b.pip))
	return b.installer.install(ctx, b.pkg.Name)
}

// find looks for the plugin among the installed ones, whatever is in its file.
func (b *bench) find() (string, error) {
	f := &finder{dir: func() (string, error) { return b.dir, nil }, table: b.installer.table}
	found, _ := f.cached(b.t.Context())
	if len(found) == 0 {
		return "", ErrNotFound
	}
	return found[0].Path, found[0].Problem
}

// runs returns the arguments of each run of pip so far.
func (b *bench) runs() []string {
	log, err := os.ReadFile(b.pip.Log)
	if os.IsNotExist(err) {
		return nil
	}
	require.NoError(b.t, err)
	return strings.Split(strings.TrimSpace(string(log)), "\n")
}

// requireNothingLeft checks that the cache holds no plugin and no part of one.
func (b *bench) requireNothingLeft() {
	b.t.Helper()
	_, err := b.find()
	require.ErrorIs(b.t, err, ErrNotFound)
	require.NoError(b.t, filepath.WalkDir(b.dir, func(path string, d fs.DirEntry, err error) error {
		if path != b.dir && err == nil && filepath.Ext(path) != ".lock" {
			b.t.Errorf("left behind: %s", path)
		}
		return nil
	}))
}

// requireInstalled checks that library is the whole plugin.
func (b *bench) requireInstalled(library string) {
	b.t.Helper()
	content, err := os.ReadFile(library)
	require.NoError(b.t, err)
	require.Equal(b.t, libraryText, string(content))
	found, err := b.find()
	require.NoError(b.t, err)
	require.Equal(b.t, library, found)
}

func executable(t *testing.T) string {
	t.Helper()
	path, err := os.Executable()
	require.NoError(t, err)
	return path
}

func marshal(t *testing.T, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	require.NoError(t, err)
	return string(text)
}

// entry is one file of a wheel made by makeWheel.
type entry struct {
	name, content string
	mode          fs.FileMode
}

func makeWheel(t *testing.T, entries ...entry) []byte {
	t.Helper()
	var archive bytes.Buffer
	z := zip.NewWriter(&archive)
	for _, e := range entries {
		header := &zip.FileHeader{Name: e.name, Method: zip.Deflate}
		header.SetMode(e.mode | 0o644)
		w, err := z.CreateHeader(header)
		require.NoError(t, err)
		_, err = w.Write([]byte(e.content))
		require.NoError(t, err)
	}
	require.NoError(t, z.Close())
	return archive.Bytes()
}

func toyWheel(t *testing.T) []byte {
	t.Helper()
	return makeWheel(t,
		entry{name: "toy_plugins/toy/__init__.py", content: "pass"},
		entry{name: "toy_plugins/toy/toy.so", content: libraryText},
		entry{name: "toy_plugins/toy/LICENSE", content: "free as in toys"},
		entry{name: "toy_plugins/toy/include/pjrt_c_api.h", content: "#define PJRT_API_MINOR 81"},
		entry{name: "toy_pjrt-1.2.3.dist-info/METADATA", content: "Name: toy-pjrt"},
	)
}

func TestInstallFetchesExactlyThePinnedWheelOnce(t *testing.T) {
	t.Parallel()
	b := newBench(t, toyWheel(t))
	_, err := b.find()
	require.ErrorIs(t, err, ErrNotFound)

	library, err := b.install(t.Context())
	require.NoError(t, err)
	b.requireInstalled(library)
	assert.Equal(t, filepath.Join(b.dir, b.pkg.id(b.pkg.wheels[b.installer.platform]), "toy.so"), library)
	installed, err := os.ReadDir(filepath.Dir(library))
	require.NoError(t, err)
	assert.Len(t, installed, 4, "the library, its licence, its header, a record of them, and nothing else of the wheel")

	runs := b.runs()
	require.Len(t, runs, 1)
	for _, fixed := range []string{
		"pip download ", "--require-hashes", "--no-deps", "--only-binary=:all:",
		"--implementation cp", "--python-version 3.11", "--abi none", "--platform toyland_1_0",
	} {
		assert.Contains(t, runs[0], fixed)
	}

	again, err := b.install(t.Context())
	require.NoError(t, err)
	assert.Equal(t, library, again)
	assert.Len(t, b.runs(), 1, "an installed plugin needs no pip")
}

func TestInstallNeedsNoPythonForAnInstalledPlugin(t *testing.T) {
	t.Parallel()
	b := newBench(t, toyWheel(t))
	library, err := b.install(t.Context())
	require.NoError(t, err)
	b.installer.Python = "no-such-python"
	again, err := b.install(t.Context())
	require.NoError(t, err)
	assert.Equal(t, library, again)
}

func TestInstallByForceReplacesADamagedLibrary(t *testing.T) {
	t.Parallel()
	b := newBench(t, toyWheel(t))
	library, err := b.install(t.Context())
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(library, []byte("damaged"), 0o644))
	b.installer.Force = true
	again, err := b.install(t.Context())
	require.NoError(t, err)
	assert.Equal(t, library, again)
	b.requireInstalled(library)
	assert.Len(t, b.runs(), 2)
}

func TestInstallRepairsWhatIsNotAsItWasInstalled(t *testing.T) {
	t.Parallel()
	whole := int64(len(libraryText))
	for name, c := range map[string]struct {
		record   bool
		damage   func(library string) error
		repaired bool
	}{
		"truncated":             {record: true, damage: func(l string) error { return os.Truncate(l, whole-1) }, repaired: true},
		"empty":                 {record: true, damage: func(l string) error { return os.Truncate(l, 0) }, repaired: true},
		"longer":                {record: true, damage: func(l string) error { return os.Truncate(l, whole+1) }, repaired: true},
		"without a record":      {damage: func(l string) error { return os.Truncate(l, whole/2) }},
		"a link to another one": {record: true, damage: func(l string) error { return errors.Join(os.Remove(l), os.Symlink("LICENSE", l)) }},
		"a directory":           {record: true, damage: func(l string) error { return errors.Join(os.Remove(l), os.Mkdir(l, 0o755)) }, repaired: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, toyWheel(t))
			library, err := b.install(t.Context())
			require.NoError(t, err)
			if !c.record {
				require.NoError(t, os.Remove(filepath.Join(filepath.Dir(library), recordName)))
			}
			require.NoError(t, c.damage(library))
			_, err = b.find()
			if !c.repaired {
				require.NoError(t, err)
				_, err = b.install(t.Context())
				require.NoError(t, err)
				assert.Len(t, b.runs(), 1)
				return
			}
			require.ErrorIs(t, err, ErrUnusable)
			require.ErrorContains(t, err, "the installed library is damaged: "+library)
			require.ErrorContains(t, err, "; run: pjrt install --force toy")
			var says strings.Builder
			b.installer.Progress = &says
			again, err := b.install(t.Context())
			require.NoError(t, err)
			assert.Equal(t, library, again)
			b.requireInstalled(library)
			assert.Regexp(t, "^toy: the installed library is damaged: .*\ntoy: downloading", says.String())
		})
	}
}

func TestVerifyComparesHashes(t *testing.T) {
	t.Parallel()
	b := newBench(t, toyWheel(t))
	library, err := b.install(t.Context())
	require.NoError(t, err)
	c := Candidate{Name: "toy", Path: library, Origin: OriginCache}
	require.NoError(t, c.Verify(t.Context()))
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, c.Verify(ended), context.Canceled)

	flipped := []byte(libraryText)
	flipped[3] ^= 1
	require.NoError(t, os.WriteFile(library, flipped, 0o644))
	err = c.Verify(t.Context())
	require.ErrorContains(t, err, "plugin toy: the installed library is damaged: "+library+" has the hash sha256=")
	require.ErrorContains(t, err, "; run: pjrt install --force toy")
	assertOneLine(t, err)
	c.Origin = OriginPath
	require.NoError(t, c.Verify(t.Context()))
	c.Origin = OriginCache

	b.installer.Force = true
	_, err = b.install(t.Context())
	require.NoError(t, err)
	require.NoError(t, c.Verify(t.Context()))
	require.NoError(t, os.WriteFile(filepath.Join(filepath.Dir(library), recordName), []byte("\"toy.so"), 0o644))
	require.NoError(t, c.Verify(t.Context()), "a record that says nothing")
}

func TestInstallRepairsADirectoryWithoutItsLibrary(t *testing.T) {
	t.Parallel()
	b := newBench(t, toyWheel(t))
	library, err := b.install(t.Context())
	require.NoError(t, err)
	require.NoError(t, os.Remove(library))
	_, err = b.install(t.Context())
	require.NoError(t, err)
	b.requireInstalled(library)
}

func TestInstallRefusesBadWheels(t *testing.T) {
	t.Parallel()
	whole := toyWheel(t)
	damaged := bytes.Clone(makeStored(t, "toy_plugins/toy/toy.so", libraryText))
	at := bytes.Index(damaged, []byte(libraryText))
	require.Positive(t, at)
	damaged[at] ^= 1
	for name, c := range map[string]struct {
		wheel []byte
		want  string
	}{
		"truncated":       {whole[:len(whole)/2], "toy_pjrt-1.2.3-py3-none-any.whl is not a wheel"},
		"empty":           {nil, "is not a wheel"},
		"text":            {[]byte("<html>404</html>"), "is not a wheel"},
		"damaged inside":  {damaged, "checksum error"},
		"without library": {makeWheel(t, entry{name: "toy_plugins/toy/other.so"}), "contains no toy_plugins/toy/toy.so"},
		"climbing path": {makeWheel(t, entry{name: "toy_plugins/toy/toy.so", content: libraryText},
			entry{name: "../../../evil.so", content: "evil"}), `contains the path "../../../evil.so"`},
		"absolute path": {makeWheel(t, entry{name: "toy_plugins/toy/toy.so", content: libraryText},
			entry{name: "/evil/LICENSE", content: "evil"}), `contains the path "/evil/LICENSE"`},
		"library is a link": {makeWheel(t, entry{name: "toy_plugins/toy/toy.so", content: "/etc/passwd", mode: fs.ModeSymlink}),
			`"toy_plugins/toy/toy.so" is not a regular file`},
		"licence is a link": {makeWheel(t, entry{name: "toy_plugins/toy/toy.so", content: libraryText},
			entry{name: "LICENSE", content: "/etc/passwd", mode: fs.ModeSymlink}), `"LICENSE" is not a regular file`},
		"licence is a pipe": {makeWheel(t, entry{name: "toy_plugins/toy/toy.so", content: libraryText},
			entry{name: "LICENSE", mode: fs.ModeNamedPipe}), `"LICENSE" is not a regular file`},
		"climbing from below": {makeWheel(t, entry{name: "toy_plugins/toy/toy.so", content: libraryText},
			entry{name: "toy_plugins/../../evil/LICENSE", content: "evil"}), `contains the path "toy_plugins/../../evil/LICENSE"`},
		"empty name": {makeWheel(t, entry{name: "toy_plugins/toy/toy.so", content: libraryText}, entry{}), `contains the path ""`},
		"two libraries": {makeWheel(t, entry{name: "toy_plugins/toy/toy.so", content: libraryText},
			entry{name: "toy_plugins/toy/toy.so", content: "evil"}), `contains "toy_plugins/toy/toy.so" twice`},
		"two of something else": {makeWheel(t, entry{name: "toy_plugins/toy/toy.so", content: libraryText},
			entry{name: "a.py", content: "1"}, entry{name: "a.py", content: "2"}), `contains "a.py" twice`},
		"library in two cases": {makeWheel(t, entry{name: "toy_plugins/toy/toy.so", content: libraryText},
			entry{name: "toy_plugins/toy/TOY.so", content: "evil"}), `contains "toy_plugins/toy/TOY.so", which only differs in case`},
		"line break in a name": {makeWheel(t, entry{name: "toy_plugins/toy/toy.so", content: libraryText},
			entry{name: "../a\nb", content: "evil"}), `contains the path "../a\nb"`},
		"NUL in a name": {makeWheel(t, entry{name: "toy_plugins/toy/toy.so", content: libraryText},
			entry{name: "LICENSE\x00.so", content: "evil"}), `unpack "LICENSE\x00.so"`},
		"long name": {makeWheel(t, entry{name: "toy_plugins/toy/toy.so", content: libraryText},
			entry{name: "LICENSE" + strings.Repeat("x", 4096), content: "evil"}), `unpack "LICENSExxx`},
		"huge":                  {resized(t, 1<<40), "its files have more than 8589934592 bytes"},
		"as large as can be":    {resized(t, 1<<64-1), "its files have more than 8589934592 bytes"},
		"larger than it states": {resized(t, 5), `unpack "toy_plugins/toy/toy.so"`},
		"less than it states":   {resized(t, 500), `unpack "toy_plugins/toy/toy.so"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, c.wheel)
			_, err := b.install(t.Context())
			require.ErrorContains(t, err, c.want)
			require.ErrorContains(t, err, "cannot install toy: ")
			assertOneLine(t, err)
			b.requireNothingLeft()
			escaped, _ := filepath.Glob(filepath.Join(b.dir, "..", "..", "evil*"))
			assert.Empty(t, escaped)
		})
	}
}

// makeStored returns a wheel with one uncompressed file, so that a test can damage its content in
// place.
func makeStored(t *testing.T, name, content string) []byte {
	t.Helper()
	var archive bytes.Buffer
	z := zip.NewWriter(&archive)
	w, err := z.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Store})
	require.NoError(t, err)
	_, err = w.Write([]byte(content))
	require.NoError(t, err)
	require.NoError(t, z.Close())
	return archive.Bytes()
}

// resized returns a wheel whose directory gives a wrong size for the library.
func resized(t *testing.T, size uint64) []byte {
	t.Helper()
	var archive bytes.Buffer
	z := zip.NewWriter(&archive)
	content := []byte(libraryText)
	w, err := z.CreateRaw(&zip.FileHeader{
		Name: "toy_plugins/toy/toy.so", Method: zip.Store,
		CRC32: crc32.ChecksumIEEE(content), CompressedSize64: uint64(len(content)), UncompressedSize64: size,
	})
	require.NoError(t, err)
	_, err = w.Write(content)
	require.NoError(t, err)
	require.NoError(t, z.Close())
	return archive.Bytes()
}

// Licences of several components have the same name, or names that only differ in case.
func TestInstallKeepsTheFirstOfSeveralLicences(t *testing.T) {
	t.Parallel()
	b := newBench(t, makeWheel(t, entry{name: "toy_plugins/toy/toy.so", content: libraryText},
		entry{name: "a/LICENSEa", content: "one"}, entry{name: "b/LICENSEa", content: "two"}, entry{name: "LICENSEA", content: "three"}))
	library, err := b.install(t.Context())
	require.NoError(t, err)
	b.requireInstalled(library)
	content, err := os.ReadFile(filepath.Join(filepath.Dir(library), "LICENSEa"))
	require.NoError(t, err)
	assert.Equal(t, "one", string(content))
	assert.NoFileExists(t, filepath.Join(filepath.Dir(library), "LICENSEA"))
}

func TestInstallVerifiesTheHashItself(t *testing.T) {
	t.Parallel()
	b := newBench(t, toyWheel(t))
	want := b.pkg.wheels[b.installer.platform].sha256
	other := makeWheel(t, entry{name: "toy_plugins/toy/toy.so", content: "something else"})
	require.NoError(t, os.WriteFile(b.pip.Wheel, other, 0o666))
	_, err := b.install(t.Context())
	var mismatch *HashError
	require.ErrorAs(t, err, &mismatch)
	got := sha256.Sum256(other)
	assert.Equal(t, HashError{File: filepath.Base(b.pip.Wheel), Want: want, Got: hex.EncodeToString(got[:])}, *mismatch)
	assertOneLine(t, err)
	b.requireNothingLeft()
}

func TestInstallExplainsPipsFailures(t *testing.T) {
	t.Parallel()
	got := strings.Repeat("ab", 32)
	for name, c := range map[string]struct{ stderr, want string }{
		"no pip":       {"/usr/bin/python3: No module named pip\n", "has no pip"},
		"no wheel":     {"ERROR: Could not find a version that satisfies the requirement\nERROR: No matching distribution found for toy-pjrt==1.2.3\n", "the package index has no wheel of toy-pjrt 1.2.3 for toyland_1_0"},
		"no network":   {"WARNING: Retrying (Retry(total=1)) after connection broken by 'NewConnectionError(...)': /simple/toy-pjrt/\nERROR: No matching distribution found for toy-pjrt==1.2.3\n", ErrNetwork.Error()},
		"cut":          {"error: incomplete-download\n\n× Download failed because not enough bytes were received (1.5 MB/3.0 MB)\n╰─> URL: http://index/toy.whl\n\nnote: This is an issue with network connectivity, not pip.\nhint: Use --resume-retries to configure resume attempt limit.\n", ErrNetwork.Error() + " (the download was cut off)"},
		"untrusted":    {"WARNING: The repository located at 192.0.2.1 is not a trusted or secure host and is being ignored. If it is served via HTTPS, trust it.\nERROR: No matching distribution found for toy-pjrt==1.2.3\n", "for toyland_1_0; pip says: The repository located at 192.0.2.1 is not a trusted or secure host"},
		"no room":      {"ERROR: Could not install packages due to an OSError: [Errno 28] No space left on device\n", "the disk is full"},
		"wrong hash":   {"ERROR: THESE PACKAGES DO NOT MATCH THE HASHES FROM THE REQUIREMENTS FILE.\n    toy-pjrt==1.2.3 from file:///index/toy_pjrt-1.2.3-py3-none-any.whl#sha256=x (from -r r.txt (line 1)):\n        Expected sha256 x\n             Got        " + got + "\n", "toy_pjrt-1.2.3-py3-none-any.whl has the wrong hash: expected sha256 "},
		"with a hint":  {"error: the-moon\n\n× The moon is full\n\nhint: Wait.\n", "pip failed: × The moon is full"},
		"another one":  {"Traceback (most recent call last):\n  File x\nRuntimeError: the moon is full\n\n[notice] A new release of pip is available\n", "pip failed: RuntimeError: the moon is full"},
		"just silence": {" ", "exit status 1"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, toyWheel(t))
			b.pip.Stderr = c.stderr
			_, err := b.install(t.Context())
			require.ErrorContains(t, err, c.want)
			assertOneLine(t, err)
			if name == "wrong hash" {
				require.ErrorContains(t, err, "got "+got)
			}
			b.requireNothingLeft()
		})
	}
}

func TestInstallWithoutPythonSaysSo(t *testing.T) {
	t.Parallel()
	b := newBench(t, toyWheel(t))
	b.installer.Python = "no-such-python"
	_, err := b.install(t.Context())
	require.ErrorContains(t, err, "cannot find no-such-python: install Python 3 with pip")
	assertOneLine(t, err)
	b.requireNothingLeft()
}

func TestInstallWithAnEndlessPython(t *testing.T) {
	t.Parallel()
	b := newBench(t, toyWheel(t))
	b.pip.Stderr, b.pip.Endless = strings.Repeat("hello\n", 1<<10), true
	_, err := b.install(t.Context())
	require.ErrorContains(t, err, "prints more than 1048576 bytes, so it is not Python, or is broken")
	assertOneLine(t, err)
	b.requireNothingLeft()
}

func TestInstallRefusesUnknownNamesAndPlatforms(t *testing.T) {
	t.Parallel()
	b := newBench(t, toyWheel(t))
	_, err := b.installer.install(t.Context(), "cup")
	require.EqualError(t, err, `unknown plugin "cup": the known ones are toy`)
	b.installer.platform = "plan9/mips"
	_, err = b.install(t.Context())
	require.ErrorContains(t, err, `has no wheel for plan9/mips, only for `+runtime.GOOS+"/"+runtime.GOARCH)
	assert.Empty(t, b.runs())
	assert.NoDirExists(t, b.dir)
}

func TestInstallIntoAnImpossibleDirectory(t *testing.T) {
	t.Parallel()
	b := newBench(t, toyWheel(t))
	b.installer.Dir = filepath.Join(b.pip.Wheel, "below-a-file")
	_, err := b.install(t.Context())
	require.ErrorContains(t, err, "below-a-file")
	assertOneLine(t, err)
	assert.Empty(t, b.runs(), "nothing is downloaded if it cannot be stored")
}

// fullFile writes half of the data and then fails as if the disk were full.
type fullFile struct{ file }

func (f fullFile) Write(p []byte) (int, error) {
	n, _ := f.file.Write(p[:len(p)/2])
	return n, &fs.PathError{Op: "write", Path: "toy.so", Err: noSpace[0]}
}

func TestInstallOnAFullDiskLeavesNothing(t *testing.T) {
	t.Parallel()
	b := newBench(t, toyWheel(t))
	create := b.installer.create
	b.installer.create = func(path string) (file, error) {
		f, err := os.Create(path)
		return fullFile{f}, err
	}
	_, err := b.install(t.Context())
	require.ErrorIs(t, err, noSpace[0])
	require.ErrorContains(t, err, "cannot install toy: the disk is full")
	assertOneLine(t, err)
	b.requireNothingLeft()

	b.installer.create = create
	library, err := b.install(t.Context())
	require.NoError(t, err)
	b.requireInstalled(library)
}

func TestInstallEndsWithItsContext(t *testing.T) {
	t.Parallel()
	b := newBench(t, toyWheel(t))
	b.pip.Ready = filepath.Join(t.TempDir(), "ready")
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		waitFor(b.pip.Ready)
		cancel()
	}()
	_, err := b.install(ctx)
	require.ErrorIs(t, err, context.Canceled)
	b.requireNothingLeft()
}

func TestSecondInstallWaitsAndGivesUpWithItsContext(t *testing.T) {
	t.Parallel()
	b := newBench(t, toyWheel(t))
	require.NoError(t, os.MkdirAll(b.dir, 0o755))
	unlock, err := b.installer.lock(t.Context(), b.pkg.id(b.pkg.wheels[b.installer.platform]))
	require.NoError(t, err)
	defer unlock()
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	_, err = b.install(ctx)
	require.ErrorIs(t, err, context.DeadlineExceeded)
	assert.Empty(t, b.runs())
}

// otherProcess holds the instructions for an installing child process.
type otherProcess struct {
	Dir, Python, Platform string
	Hash                  string
	Pip                   fakePip
	HangInUnpack          string // file created when half the library is written
	FileSizeLimit         uint64 // 0 means none
	Force                 bool
}

func (b *bench) process() (*exec.Cmd, *otherProcess) {
	o := &otherProcess{
		Dir: b.dir, Python: b.installer.Python, Platform: b.installer.platform,
		Hash: b.pkg.wheels[b.installer.platform].sha256, Pip: b.pip,
	}
	return exec.CommandContext(b.t.Context(), b.installer.Python), o
}

func (b *bench) start(c *exec.Cmd, o *otherProcess) *bytes.Buffer {
	var output bytes.Buffer
	c.Env = append(os.Environ(), actAsInstall+"="+marshal(b.t, o))
	c.Stdout, c.Stderr = &output, &output
	require.NoError(b.t, c.Start())
	return &output
}

func installProcess(script string) int {
	var o otherProcess
	if err := json.Unmarshal([]byte(script), &o); err != nil {
		panic(err)
	}
	if o.FileSizeLimit > 0 {
		limitFileSize(o.FileSizeLimit)
	}
	in, err := newInstaller(InstallOptions{Dir: o.Dir, Python: o.Python, Force: o.Force})
	if err != nil {
		panic(err)
	}
	in.table = []Package{{
		Name: "toy", Project: "toy-pjrt", Version: "1.2.3", Library: "toy_plugins/toy/toy.so",
		wheels: map[string]wheel{o.Platform: {abi: "none", tag: "toyland_1_0", sha256: o.Hash}},
	}}
	pip, err := json.Marshal(o.Pip)
	if err != nil {
		panic(err)
	}
	os.Unsetenv(actAsInstall)
	in.env = append(os.Environ(), actAsPip+"="+string(pip))
	if o.HangInUnpack != "" {
		in.create = func(path string) (file, error) {
			f, err := os.Create(path)
			return hangingFile{f, o.HangInUnpack}, err
		}
	}
	library, err := in.install(context.Background(), "toy")
	if err != nil {
		fmt.Println(err)
		return 1
	}
	fmt.Println(library)
	return 0
}

// hangingFile writes half of the data and then blocks.
type hangingFile struct {
	file
	ready string
}

func (f hangingFile) Write(p []byte) (int, error) {
	n, _ := f.file.Write(p[:len(p)/2])
	os.WriteFile(f.ready, nil, 0o666)
	time.Sleep(time.Minute) // to be killed
	return n, nil
}

// waitFor waits until file exists. If that never happens, a later check of the test fails.
func waitFor(file string) {
	for range 3000 {
		if _, err := os.Stat(file); err == nil {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
}

func TestProcessesThatInstallAtOnceDownloadOnce(t *testing.T) {
	t.Parallel()
	b := newBench(t, toyWheel(t))
	var children []*exec.Cmd
	var outputs []*bytes.Buffer
	for range 4 {
		c, o := b.process()
		outputs = append(outputs, b.start(c, o))
		children = append(children, c)
	}
	library := filepath.Join(b.dir, b.pkg.id(b.pkg.wheels[b.installer.platform]), "toy.so")
	for i, c := range children {
		require.NoError(t, c.Wait(), outputs[i])
		assert.Equal(t, library+"\n", outputs[i].String())
	}
	b.requireInstalled(library)
	assert.Len(t, b.runs(), 1)
}

// Half of the processes replace what the others install or use.
func TestProcessesThatInstallByForceAtOnceLeaveAWholePlugin(t *testing.T) {
	t.Parallel()
	b := newBench(t, toyWheel(t))
	var children []*exec.Cmd
	var outputs []*bytes.Buffer
	for i := range 6 {
		c, o := b.process()
		o.Force = i%2 == 0
		outputs = append(outputs, b.start(c, o))
		children = append(children, c)
	}
	for i, c := range children {
		require.NoError(t, c.Wait(), outputs[i])
	}
	b.requireInstalled(strings.TrimSpace(outputs[0].String()))
	parts, err := filepath.Glob(filepath.Join(b.dir, ".toy-*"))
	require.NoError(t, err)
	assert.Empty(t, parts)
}

func TestRemainsOfAKilledInstallAreNeverUsed(t *testing.T) {
	t.Parallel()
	for _, moment := range []string{"download", "unpack"} {
		t.Run(moment, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, toyWheel(t))
			ready := filepath.Join(t.TempDir(), "ready")
			c, o := b.process()
			if moment == "download" {
				o.Pip.Ready = ready
			} else {
				o.HangInUnpack = ready
			}
			// Otherwise Wait would wait for the pipe that the orphaned pip holds open.
			c.WaitDelay = time.Millisecond
			b.start(c, o)
			waitFor(ready)
			require.FileExists(t, ready)
			require.NoError(t, c.Process.Kill())
			require.Error(t, c.Wait())

			parts, err := filepath.Glob(filepath.Join(b.dir, ".toy-*"))
			require.NoError(t, err)
			require.Len(t, parts, 1, "killed in the middle of its work")
			_, err = b.find()
			require.ErrorIs(t, err, ErrNotFound)

			library, err := b.install(t.Context())
			require.NoError(t, err)
			b.requireInstalled(library)
			parts, err = filepath.Glob(filepath.Join(b.dir, ".toy-*"))
			require.NoError(t, err)
			assert.Empty(t, parts, "the next installation removes them")
		})
	}
}

func TestKnownPackagesAreWellFormed(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, p := range Packages() {
		require.NotEmpty(t, p.wheels, p.Name)
		for platform, w := range p.wheels {
			assert.Len(t, w.sha256, 64, p.Name)
			_, err := hex.DecodeString(w.sha256)
			assert.NoError(t, err, p.Name)
			assert.False(t, seen[w.sha256], "%s repeats a hash", p.Name)
			seen[w.sha256] = true
			arch := map[string]string{linuxAMD64: "_x86_64", linuxARM64: "_aarch64"}[platform]
			assert.True(t, strings.HasSuffix(w.tag, arch), "%s: %s for %s", p.Name, w.tag, platform)
		}
		for _, name := range []string{p.Name, p.kind() + "@" + p.Version, p.kind() + "@" + p.api} {
			found, err := known(packages, name)
			require.NoError(t, err)
			assert.Equal(t, p.Name, found.Name, "no other package has the name %s", name)
			assert.True(t, p.AnswersTo(name))
		}
	}
}

func assertOneLine(t *testing.T, err error) {
	t.Helper()
	assert.NotContains(t, err.Error(), "\n")
}
