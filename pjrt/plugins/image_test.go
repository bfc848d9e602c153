// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package plugins

import (
	"bytes"
	"debug/elf"
	"debug/macho"
	"debug/pe"
	"encoding/binary"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestEachFileThatIsNotAPluginHasItsOwnProblem(t *testing.T) {
	t.Parallel()
	whole := aPlugin.bytes()
	for name, c := range map[string]struct {
		content []byte
		want    string
	}{
		"empty":        {nil, "it is empty"},
		"text":         {[]byte("GROUP ( libc.so.6 )"), "it is a text file, not a library"},
		"html":         {[]byte("\n<!DOCTYPE html><html>"), "begins like HTML"},
		"lfs":          {[]byte("version https://git-lfs.github.com/spec/v1\noid sha256:0"), "Git LFS pointer"},
		"wheel":        {[]byte("PK\x03\x04\x00"), "zip archive"},
		"other binary": {[]byte{1, 2, 3, 0}, "it is neither ELF nor Mach-O nor PE"},
		"only magic":   {whole[:4], "damaged or truncated ELF file"},
		"half a head":  {whole[:40], "damaged or truncated ELF file"},
		"no sections":  {whole[:len(whole)-100], "damaged or truncated ELF file"},
		"program":      {elfLibrary{kind: elf.ET_EXEC}.bytes(), "an ELF file of type ET_EXEC, not a library"},
		"other export": {elfLibrary{exports: []string{"GetPjrtApi2", "getpjrtapi", "GetPjRtApi"}}.bytes(), "it does not export GetPjrtApi, so it is not a plugin"},
		"no exports":   {elfLibrary{}.bytes(), "it does not export GetPjrtApi"},
		"an import":    {elfLibrary{imports: aPlugin.exports}.bytes(), "it does not export GetPjrtApi"},
		"a local":      {elfLibrary{locals: aPlugin.exports}.bytes(), "it does not export GetPjrtApi"},
		"machine":      {elfLibrary{machine: elf.EM_AARCH64, exports: aPlugin.exports}.bytes(), "it is for arm64, and this program for amd64"},
		"odd machine":  {elfLibrary{machine: elf.EM_MIPS, exports: aPlugin.exports}.bytes(), "it is for EM_MIPS, and this program for amd64"},
		"macOS":        {machoLibrary(macho.CpuAmd64, macho.TypeDylib, []string{"_GetPjrtApi"}, nil, ""), "in the format Mach-O, but this system loads ELF"},
		"Windows":      {peLibrary(pe.IMAGE_FILE_MACHINE_AMD64, pe.IMAGE_FILE_DLL, aPlugin.exports, nil), "in the format PE, but this system loads ELF"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := put(t, c.content, t.TempDir(), "pjrt_plugin_toy.so")
			got := ranked(Candidate{Name: "toy", Path: path})
			testFinder(t, nil).inspect(&got)
			require.ErrorIs(t, got.Problem, ErrUnusable)
			require.ErrorContains(t, got.Problem, c.want)
			require.ErrorContains(t, got.Problem, path)
			assert.False(t, got.Usable())
		})
	}
}

func TestAPluginIsUsable(t *testing.T) {
	t.Parallel()
	c := ranked(Candidate{Name: "toy", Path: plugin(t, t.TempDir(), "x.so")})
	testFinder(t, nil).inspect(&c)
	require.NoError(t, c.Problem)
	assert.True(t, c.Usable())
	assert.Empty(t, c.API)
}

func TestThingsThatAreNotFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	dangling := filepath.Join(dir, "dangling.so")
	require.NoError(t, os.Symlink(filepath.Join(dir, "gone"), dangling))
	for path, want := range map[string]string{
		dir:                              "it is a directory, not a regular file",
		filepath.Join(dir, "missing.so"): "no such file",
		dangling:                         "is a link to " + filepath.Join(dir, "gone") + ", which does not exist",
		os.DevNull:                       ", not a regular file",
	} {
		c := ranked(Candidate{Name: "toy", Path: path})
		testFinder(t, nil).inspect(&c)
		require.ErrorContains(t, c.Problem, want)
	}
}

func TestTruncationIsFoundByTheSegments(t *testing.T) {
	t.Parallel()
	// A truncated file usually lacks the section table at its end. Here the table is in place, and
	// only a segment goes beyond the end.
	content := aPlugin.bytes()
	binary.LittleEndian.PutUint64(content[64+32:], uint64(len(content)+1))
	path := put(t, content, t.TempDir(), "x.so")
	_, err := readImage(path, "amd64")
	require.ErrorContains(t, err, "it is truncated: its contents end at byte")
}

// A hostile file must not make the listing panic or hang. The test changes every byte of the
// headers once.
func TestDamagedHeadersAreErrorsOrHarmless(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	whole := elfLibrary{
		exports: aPlugin.exports, needs: []string{"liba.so"}, runpath: "$ORIGIN",
		wants: map[string]string{"liba.so": "A_1"}, versions: []string{"B_1"},
	}.bytes()
	for i := range whole {
		for _, value := range []byte{0, 0xff, whole[i] ^ 0x80} {
			content := bytes.Clone(whole)
			content[i] = value
			path := put(t, content, dir, "x.so")
			c := ranked(Candidate{Name: "toy", Path: path})
			(&finder{root: dir, goos: "linux", goarch: "amd64", getenv: func(string) string { return "" }}).inspect(&c)
		}
	}
	_, err := readImage(put(t, whole, dir, "x.so"), "amd64")
	require.NoError(t, err)
}

func TestCompressedSectionsAreRefused(t *testing.T) {
	t.Parallel()
	content := aPlugin.bytes()
	table := binary.LittleEndian.Uint64(content[40:])
	binary.LittleEndian.PutUint64(content[table+2*64+8:], uint64(elf.SHF_COMPRESSED))
	_, err := readImage(put(t, content, t.TempDir(), "x.so"), "amd64")
	require.ErrorContains(t, err, "damaged")
}

func TestMachO(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	exports := []string{"_other", "_GetPjrtApi"}
	arm := machoLibrary(macho.CpuArm64, macho.TypeDylib, exports, []string{"/usr/lib/libSystem.B.dylib", "@rpath/liba.dylib"}, "@loader_path/lib")
	intel := machoLibrary(macho.CpuAmd64, macho.TypeDylib, nil, nil, "")
	put(t, machoLibrary(macho.CpuArm64, macho.TypeDylib, nil, nil, ""), dir, "lib", "liba.dylib")
	mac := testFinder(t, nil)
	mac.goos, mac.goarch = "darwin", "arm64"
	for name, c := range map[string]struct {
		content []byte
		want    string
	}{
		"thin":       {arm, ""},
		"fat":        {fatLibrary(map[macho.Cpu][]byte{macho.CpuAmd64: intel, macho.CpuArm64: arm}), ""},
		"other":      {intel, "it is for amd64, and this program for arm64"},
		"fat, other": {fatLibrary(map[macho.Cpu][]byte{macho.CpuAmd64: intel}), "it is for amd64"},
		"no export":  {machoLibrary(macho.CpuArm64, macho.TypeDylib, []string{"GetPjrtApi"}, nil, ""), "does not export GetPjrtApi"},
		"local":      {machoLibrary(macho.CpuArm64, macho.TypeDylib, []string{"local _GetPjrtApi"}, nil, ""), "does not export GetPjrtApi"},
		"import":     {machoLibrary(macho.CpuArm64, macho.TypeDylib, []string{"undefined _GetPjrtApi"}, nil, ""), "does not export GetPjrtApi"},
		"program":    {machoLibrary(macho.CpuArm64, macho.TypeExec, exports, nil, ""), "not a library"},
		"truncated":  {arm[:len(arm)-60], "truncated"},
		"head":       {arm[:10], "damaged or truncated Mach-O"},
		"lacking":    {machoLibrary(macho.CpuArm64, macho.TypeDylib, exports, []string{"@rpath/libb.dylib"}, "@loader_path/lib"), "does not find: @rpath/libb.dylib"},
		"absolute":   {machoLibrary(macho.CpuArm64, macho.TypeDylib, exports, []string{filepath.Join(dir, "lib", "liba.dylib")}, ""), ""},
		"a class":    {[]byte("\xca\xfe\xba\xbe\x00\x00\x00\x34\x00"), "it is neither ELF"},
		"elf":        {aPlugin.bytes(), "in the format ELF, but this system loads Mach-O"},
	} {
		requireProblem(t, mac, put(t, c.content, dir, name+".dylib"), c.want)
	}
}

// requireProblem inspects a library and looks for a text in its problem. It must have none if want
// is "".
func requireProblem(t *testing.T, f *finder, path, want string) {
	t.Helper()
	got := ranked(Candidate{Name: "toy", Path: path})
	f.inspect(&got)
	if want == "" {
		require.NoError(t, got.Problem, path)
	} else {
		require.ErrorContains(t, got.Problem, want, path)
	}
}

func TestPE(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	system := filepath.Join(dir, "Windows", "System32")
	put(t, nil, system, "KERNEL32.dll")
	put(t, nil, dir, "beside.dll")
	windows := testFinder(t, map[string]string{"SystemRoot": filepath.Join(dir, "Windows")})
	windows.goos = "windows"
	exports := []string{"Another", entryPointSymbol}
	good := peLibrary(pe.IMAGE_FILE_MACHINE_AMD64, pe.IMAGE_FILE_DLL, exports, []string{"KERNEL32.dll", "api-ms-win-crt-heap-l1-1-0.dll"})
	for name, c := range map[string]struct {
		content []byte
		want    string
	}{
		"good":      {good, ""},
		"other":     {peLibrary(pe.IMAGE_FILE_MACHINE_ARM64, pe.IMAGE_FILE_DLL, exports, nil), "it is for arm64"},
		"no export": {peLibrary(pe.IMAGE_FILE_MACHINE_AMD64, pe.IMAGE_FILE_DLL, []string{"GetPjrtApi2", "GetPjrt"}, nil), "does not export GetPjrtApi"},
		"none":      {peLibrary(pe.IMAGE_FILE_MACHINE_AMD64, pe.IMAGE_FILE_DLL, nil, nil), "does not export GetPjrtApi"},
		"program":   {peLibrary(pe.IMAGE_FILE_MACHINE_AMD64, 0, exports, nil), "it is a program, not a library"},
		"truncated": {good[:len(good)-20], "truncated"},
		"head":      {good[:100], "damaged or truncated PE"},
		"lacking":   {peLibrary(pe.IMAGE_FILE_MACHINE_AMD64, pe.IMAGE_FILE_DLL, exports, []string{"absent.dll"}), "does not find: absent.dll"},
		"text":      {[]byte("MZ"), "damaged or truncated PE"},
	} {
		requireProblem(t, windows, put(t, c.content, dir, name+".dll"), c.want)
	}
}

func FuzzReadImage(f *testing.F) {
	f.Add(elfLibrary{exports: aPlugin.exports, needs: []string{"a"}, wants: map[string]string{"a": "b"}, versions: []string{"c"}}.bytes())
	f.Add(machoLibrary(macho.CpuArm64, macho.TypeDylib, []string{"_GetPjrtApi"}, []string{"a"}, "b"))
	f.Add(peLibrary(pe.IMAGE_FILE_MACHINE_AMD64, pe.IMAGE_FILE_DLL, aPlugin.exports, []string{"a"}))
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, content []byte) {
		path := filepath.Join(dir, "x.so")
		require.NoError(t, os.WriteFile(path, content, 0o644))
		_, _ = readImage(path, "amd64")
	})
}
