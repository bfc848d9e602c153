// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package plugins

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/purepjrt/purepjrt/internal/dynamic"
	"github.com/purepjrt/purepjrt/internal/outside"
)

// entryPointSymbol is the function that makes a library a plugin.
const entryPointSymbol = "GetPjrtApi"

// image holds what the headers of a library say.
type image struct {
	format string // ELF, Mach-O or PE
	arch   string // as in GOARCH, or else as in the file
	// exports says whether the library exports GetPjrtApi.
	exports bool
	needs   []string // libraries, by the names that the dynamic linker looks for
	// rpath and runpath are directories, with the variables of the dynamic linker not yet expanded.
	// An ELF library has at most one of them in effect.
	rpath, runpath []string
	// wants lists the symbol versions that each needed library must have, and has lists those that
	// this library has.
	wants map[string][]string
	has   map[string]bool
}

// imageResult is an image, or the error of reading it.
type imageResult struct {
	image
	err error
}

// image reads the file at path, and remembers the result.
func (f *finder) image(path string) imageResult {
	if known, ok := f.images[path]; ok {
		return known
	}
	img, err := readImage(path, f.goarch)
	if f.images == nil {
		f.images = make(map[string]imageResult)
	}
	f.images[path] = imageResult{img, err}
	return f.images[path]
}

// readImage reads the headers of a library. The readers in Go's debug packages may panic on hostile
// files, so a panic becomes an error.
func readImage(path, goarch string) (img image, err error) {
	defer func() {
		if p := recover(); p != nil {
			img, err = image{}, fmt.Errorf("it is damaged: %v", p)
		}
	}()
	file, size, err := outside.OpenRegular(path)
	if err != nil {
		return image{}, withoutPath(err)
	}
	defer file.Close()
	head := make([]byte, 512)
	n, err := io.ReadFull(file, head)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, io.EOF) {
		return image{}, withoutPath(err)
	}
	head = head[:n]
	switch {
	case bytes.HasPrefix(head, []byte("\x7fELF")):
		return readELF(file, size)
	case isMachO(head):
		return readMachO(file, size, goarch)
	case bytes.HasPrefix(head, []byte("MZ")):
		return readPE(file, size)
	}
	return image{}, describeFile(head)
}

func withoutPath(err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err
	}
	return err
}

// describeFile says what kind of file this is, if it is not a library.
func describeFile(head []byte) error {
	text := !bytes.ContainsRune(head, 0)
	switch {
	case len(head) == 0:
		return errors.New("it is empty")
	case bytes.HasPrefix(head, []byte("version https://git-lfs")):
		return errors.New("it is a Git LFS pointer, not a library: fetch the file itself")
	case bytes.HasPrefix(head, []byte("PK\x03\x04")):
		return errors.New("it is a zip archive, not a library: install or unpack the wheel")
	case text && bytes.HasPrefix(bytes.TrimLeft(head, " \r\n\t"), []byte("<")):
		return errors.New("it is a text file that begins like HTML, not a library: perhaps a download failed")
	case text:
		return errors.New("it is a text file, not a library")
	}
	return errors.New("it is not a library: it is neither ELF nor Mach-O nor PE")
}

// formats are the file formats of libraries by system. All other systems load ELF.
var formats = map[string]string{"darwin": "Mach-O", "ios": "Mach-O", "windows": "PE"}

// inspect reads the file at c.Path, and fills in whether it can be loaded and whether there are
// devices for it.
func (f *finder) inspect(c *Candidate) {
	if c.Name != "" && c.Hardware == nil {
		c.Hardware = f.hardware(c.Platform)
		if c.Hardware == nil && c.Platform == "cuda" {
			c.Hardware = f.driverFor(c.Name + "/" + c.Path)
		}
	}
	if c.Problem == nil {
		f.inspectLibrary(c)
	}
	if c.Problem != nil && c.remedy == "" && c.Origin == OriginCache {
		c.remedy = reinstall(c.Name)
		c.Problem = problem{&cacheError{c.Problem, c.remedy}}
	}
}

// inspectLibrary reads the file at c.Path, and fills in whether it can be loaded.
func (f *finder) inspectLibrary(c *Candidate) {
	img := f.image(c.Path)
	if errors.Is(img.err, fs.ErrNotExist) {
		if target, err := os.Readlink(c.Path); err == nil {
			c.Problem = problemf("%s is a link to %s, which does not exist", c.Path, target)
			return
		}
	}
	if img.err != nil {
		c.Problem = problemf("%s: %w", c.Path, img.err)
		return
	}
	want := formats[f.goos]
	if want == "" {
		want = "ELF"
	}
	switch {
	case img.format != want:
		c.Problem = problemf("%s: it is a library in the format %s, but this system loads %s", c.Path, img.format, want)
		return
	case img.arch != f.goarch:
		c.Problem = problemf("%s: it is for %s, and this program for %s", c.Path, img.arch, f.goarch)
		return
	case !img.exports:
		c.Problem = problemf("%s: it does not export %s, so it is not a plugin", c.Path, entryPointSymbol)
		return
	}
	if reason := dynamic.Noexec(c.Path); reason != "" {
		c.remedy = "mount it with exec, or move the library"
		if c.Origin == OriginCache {
			c.remedy = "mount it with exec, or set XDG_CACHE_HOME or HOME to a directory on another one"
		}
		c.Problem = problemf("%s: %s: %s", c.Path, reason, c.remedy)
		return
	}
	if c.API == "" {
		c.API = headerVersion(c.Path)
	}
	if c.Needs = f.missing(c.Path); len(c.Needs) > 0 {
		c.remedy = f.installLibraries(c)
		c.Problem = problemf("%s: it needs libraries that the dynamic linker does not find: %s: %s", c.Path, enumerate(c.Needs), c.remedy)
	}
}
