// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package plugins

import (
	"debug/elf"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestNeededLibrariesAreFoundAsTheLinkerFindsThem(t *testing.T) {
	t.Parallel()
	empty := elfLibrary{}.bytes()
	for name, c := range map[string]struct {
		library elfLibrary
		env     map[string]string
		files   map[string][]byte // below the directory of the test
		want    []string
	}{
		"nothing needed":     {},
		"missing":            {library: elfLibrary{needs: []string{"liba.so", "libb.so.1"}}, want: []string{"liba.so", "libb.so.1"}},
		"system":             {library: elfLibrary{needs: []string{"liba.so"}}, files: map[string][]byte{"root/usr/lib64/liba.so": empty}},
		"multiarch":          {library: elfLibrary{needs: []string{"liba.so"}}, files: map[string][]byte{"root/lib/x86_64-linux-gnu/liba.so": empty}},
		"ld.so.conf":         {library: elfLibrary{needs: []string{"liba.so"}}, files: map[string][]byte{"root/etc/ld.so.conf": []byte("/opt/x # here\n"), "root/opt/x/liba.so": empty}},
		"variable":           {library: elfLibrary{needs: []string{"liba.so"}}, env: map[string]string{"LD_LIBRARY_PATH": "DIR/none:DIR/v"}, files: map[string][]byte{"v/liba.so": empty}},
		"runpath":            {library: elfLibrary{needs: []string{"liba.so"}, runpath: "/none:$ORIGIN/../r"}, files: map[string][]byte{"r/liba.so": empty}},
		"braces":             {library: elfLibrary{needs: []string{"liba.so"}, runpath: "${ORIGIN}/../r"}, files: map[string][]byte{"r/liba.so": empty}},
		"rpath":              {library: elfLibrary{needs: []string{"liba.so"}, rpath: "$ORIGIN"}, files: map[string][]byte{"p/liba.so": empty}},
		"lib and platform":   {library: elfLibrary{needs: []string{"liba.so"}, runpath: "$ORIGIN/$LIB/$PLATFORM"}, files: map[string][]byte{"p/lib64/x86_64/liba.so": empty}},
		"rpath beside":       {library: elfLibrary{needs: []string{"liba.so"}, rpath: "$ORIGIN", runpath: "/none"}, files: map[string][]byte{"p/liba.so": empty}, want: []string{"liba.so"}},
		"with a slash":       {library: elfLibrary{needs: []string{"$ORIGIN/deep/liba.so"}}, files: map[string][]byte{"p/deep/liba.so": empty}},
		"slash, missing":     {library: elfLibrary{needs: []string{"/none/liba.so"}}, want: []string{"/none/liba.so"}},
		"of another machine": {library: elfLibrary{needs: []string{"liba.so"}, runpath: "$ORIGIN"}, files: map[string][]byte{"p/liba.so": elfLibrary{machine: elf.EM_AARCH64}.bytes()}, want: []string{"liba.so"}},
		"passed over":        {library: elfLibrary{needs: []string{"liba.so"}, runpath: "$ORIGIN:$ORIGIN/b"}, files: map[string][]byte{"p/liba.so": elfLibrary{machine: elf.EM_AARCH64}.bytes(), "p/b/liba.so": empty}},
		"a broken one":       {library: elfLibrary{needs: []string{"liba.so"}, runpath: "$ORIGIN"}, files: map[string][]byte{"p/liba.so": []byte("text")}, want: []string{"liba.so"}},
		"of one needed": {library: elfLibrary{needs: []string{"liba.so"}, runpath: "$ORIGIN"},
			files: map[string][]byte{"p/liba.so": elfLibrary{needs: []string{"libb.so"}}.bytes()}, want: []string{"libb.so"}},
		"runpath is not inherited": {library: elfLibrary{needs: []string{"liba.so"}, runpath: "$ORIGIN"},
			files: map[string][]byte{"p/liba.so": elfLibrary{needs: []string{"libb.so"}}.bytes(), "p/libb.so": empty}, want: []string{"libb.so"}},
		"rpath is inherited": {library: elfLibrary{needs: []string{"liba.so"}, rpath: "$ORIGIN"},
			files: map[string][]byte{"p/liba.so": elfLibrary{needs: []string{"libb.so"}}.bytes(), "p/libb.so": empty}},
		"a runpath ends inherited rpaths": {library: elfLibrary{needs: []string{"liba.so"}, rpath: "$ORIGIN"},
			files: map[string][]byte{"p/liba.so": elfLibrary{needs: []string{"libb.so"}, runpath: "/none"}.bytes(), "p/libb.so": empty}, want: []string{"libb.so"}},
		"an rpath beside a runpath is not inherited": {library: elfLibrary{needs: []string{"liba.so"}, rpath: "$ORIGIN/b", runpath: "$ORIGIN"},
			files: map[string][]byte{"p/liba.so": elfLibrary{needs: []string{"libb.so"}}.bytes(), "p/b/libb.so": empty}, want: []string{"libb.so"}},
		"weak version": {library: elfLibrary{needs: []string{"liba.so"}, runpath: "$ORIGIN", wants: map[string]string{"liba.so": "A_3"}, weak: true},
			files: map[string][]byte{"p/liba.so": elfLibrary{versions: []string{"A_1"}}.bytes()}},
		"in a circle": {library: elfLibrary{needs: []string{"liba.so"}, rpath: "$ORIGIN"},
			files: map[string][]byte{"p/liba.so": elfLibrary{needs: []string{"libb.so"}}.bytes(), "p/libb.so": elfLibrary{needs: []string{"liba.so"}}.bytes()}},
		"version": {library: elfLibrary{needs: []string{"liba.so"}, runpath: "$ORIGIN", wants: map[string]string{"liba.so": "A_1"}},
			files: map[string][]byte{"p/liba.so": elfLibrary{versions: []string{"A_1", "A_2"}}.bytes()}},
		"version lacking": {library: elfLibrary{needs: []string{"liba.so"}, runpath: "$ORIGIN", wants: map[string]string{"liba.so": "A_3"}},
			files: map[string][]byte{"p/liba.so": elfLibrary{versions: []string{"A_1", "A_2"}}.bytes()}, want: []string{"A_3 of liba.so (DIR/p/liba.so lacks it)"}},
		"without versions": {library: elfLibrary{needs: []string{"liba.so"}, runpath: "$ORIGIN", wants: map[string]string{"liba.so": "A_3"}},
			files: map[string][]byte{"p/liba.so": empty}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			for file, content := range c.files {
				put(t, content, dir, filepath.FromSlash(file))
			}
			c.library.exports = aPlugin.exports
			path := put(t, c.library.bytes(), dir, "p", "plugin.so")
			env := map[string]string{}
			for k, v := range c.env {
				env[k] = replaceDir(v, dir)
			}
			f := testFinder(t, env)
			f.root = filepath.Join(dir, "root")
			got := ranked(Candidate{Name: "toy", Path: path})
			f.inspect(&got)
			var want []string
			for _, w := range c.want {
				want = append(want, replaceDir(w, dir))
			}
			assert.Equal(t, want, got.Needs)
			if want == nil {
				assert.NoError(t, got.Problem)
				return
			}
			require.ErrorIs(t, got.Problem, ErrUnusable)
			require.ErrorContains(t, got.Problem, "it needs libraries that the dynamic linker does not find: "+want[0])
			require.ErrorContains(t, got.Problem, "LD_LIBRARY_PATH before the program starts")
		})
	}
}

func TestOriginIsTheRealFilesDirectory(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	library := elfLibrary{exports: aPlugin.exports, needs: []string{"liba.so"}, runpath: "$ORIGIN"}
	put(t, elfLibrary{}.bytes(), dir, "real", "liba.so")
	put(t, library.bytes(), dir, "real", "plugin.so")
	link := filepath.Join(dir, "link.so")
	require.NoError(t, os.Symlink(filepath.Join("real", "plugin.so"), link))
	c := ranked(Candidate{Name: "toy", Path: link})
	testFinder(t, nil).inspect(&c)
	require.NoError(t, c.Problem)
}

func TestLdSoConf(t *testing.T) {
	t.Parallel()
	f := testFinder(t, nil)
	conf := func(text string, elements ...string) {
		put(t, []byte(text), append([]string{f.root, "etc"}, elements...)...)
	}
	conf("# a comment\n/one  /two:/three,/four\nrelative\nhwcap 0 nosegneg\ninclude ld.so.conf.d/*.conf /etc/more/[ab].conf\n/five=libc6\n", "ld.so.conf")
	conf("/b1\n", "ld.so.conf.d", "b.conf")
	conf("/a1\ninclude /etc/ld.so.conf\n", "ld.so.conf.d", "a.conf") // a circle
	conf("/not\n", "ld.so.conf.d", "c.conf.off")
	conf("/m\ninclude [\ninclude /none/*", "more", "a.conf")
	require.NoError(t, os.MkdirAll(filepath.Join(f.root, "etc", "ld.so.conf.d", "d.conf"), 0o755)) // a directory
	var want []string
	for _, dir := range []string{
		"/one", "/two", "/three", "/four", "/a1", "/b1", "/m", "/five",
		"/lib/x86_64-linux-gnu", "/usr/lib/x86_64-linux-gnu", "/lib64", "/usr/lib64", "/lib", "/usr/lib",
	} {
		want = append(want, f.systemPath(dir))
	}
	got := f.systemDirs()
	assert.ElementsMatch(t, want, got)
	assert.Equal(t, want[:4], got[:4])
	assert.Equal(t, want[8:], got[len(got)-6:])
	require.NotEmpty(t, f.systemBad, "the directory is reported")
	assert.ErrorContains(t, f.systemBad[0].Problem, "cannot be read")
	assert.Equal(t, got, f.systemDirs(), "read once")
}

func TestRealDirectoriesOfTheLinker(t *testing.T) {
	t.Parallel()
	f := newFinder(ListOptions{NoPython: true})
	if f.goos == "linux" {
		assert.NotEmpty(t, f.sharedLibrary("libc.so.6"), "%v", f.systemDirs())
		assert.NotEmpty(t, f.sharedLibrary("libdl.so.2"))
	}
	assert.Empty(t, f.sharedLibrary("libnobodyhasthis.so.99"))
}
