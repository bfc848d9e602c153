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
	"strings"
)

// entryPointSymbol is the function that makes a library a plugin.
const entryPointSymbol = "GetPjrtApi"

// image is what the file of a library says of itself.
type image struct {
	format string // ELF, Mach-O or PE
	arch   string // as GOARCH, or the file's own word
	// exports says that the library exports GetPjrtApi.
	exports bool
	needs   []string // libraries, as the dynamic linker looks for them
	// rpath and runpath are directories, with the variables of the dynamic linker
	// in them. An ELF library has one of both.
	rpath, runpath []string
	// wants are the versions of symbols that a library must have, by library, and
	// has those that this one has.
	wants map[string][]string
	has   map[string]bool
}

// imageResult is an image, or why there is none.
type imageResult struct {
	image
	err error
}

// image reads the file at path, once.
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

// readImage reads the headers of a library. The readers of package debug are not
// made for hostile files alone, so a panic is an error, too.
func readImage(path, goarch string) (img image, err error) {
	defer func() {
		if p := recover(); p != nil {
			img, err = image{}, fmt.Errorf("it is damaged: %v", p)
		}
	}()
	// A pipe or a device could keep the reader waiting for ever.
	info, err := os.Stat(path)
	if err != nil {
		return image{}, withoutPath(err)
	}
	if !info.Mode().IsRegular() {
		if info.IsDir() {
			return image{}, errors.New("it is a directory, not a library")
		}
		return image{}, fmt.Errorf("it is no regular file (%s)", info.Mode().Type())
	}
	file, err := os.Open(path)
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
		return readELF(file, info.Size())
	case isMachO(head):
		return readMachO(file, info.Size(), goarch)
	case bytes.HasPrefix(head, []byte("MZ")):
		return readPE(file, info.Size())
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

// describeFile says what a file that is no library is instead.
func describeFile(head []byte) error {
	text := !bytes.ContainsRune(head, 0)
	switch {
	case len(head) == 0:
		return errors.New("it is empty")
	case bytes.HasPrefix(head, []byte("version https://git-lfs")):
		return errors.New("it is a pointer of Git LFS, not a library; fetch the file itself")
	case bytes.HasPrefix(head, []byte("PK\x03\x04")):
		return errors.New("it is a zip archive, not a library; a wheel must be installed or unpacked")
	case text && bytes.HasPrefix(bytes.TrimLeft(head, " \r\n\t"), []byte("<")):
		return errors.New("it is a text file that begins like HTML, not a library; perhaps what a failed download left")
	case text:
		return errors.New("it is a text file, not a library")
	}
	return errors.New("it is no library: it is neither ELF, nor Mach-O, nor PE")
}

// formats are those that the systems load; all others load ELF.
var formats = map[string]string{"darwin": "Mach-O", "ios": "Mach-O", "windows": "PE"}

// inspect fills in what the file at c.Path says, whether it can be loaded, and
// whether there are devices for it.
func (f *finder) inspect(c *Candidate) {
	if c.Name != "" && c.Hardware == nil {
		c.Hardware = f.hardware(c.Platform)
	}
	if c.Problem != nil {
		return
	}
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
		c.Problem = problemf("%s: it is a library of the format %s; this system loads %s", c.Path, img.format, want)
		return
	case img.arch != f.goarch:
		c.Problem = problemf("%s: it is for %s, this program for %s", c.Path, img.arch, f.goarch)
		return
	case !img.exports:
		c.Problem = problemf("%s: it exports no %s, so it is no plugin", c.Path, entryPointSymbol)
		return
	}
	if c.API == "" {
		c.API = headerVersion(c.Path)
	}
	if c.Needs = f.missing(c.Path); len(c.Needs) > 0 {
		c.Problem = problemf("%s: it needs what the dynamic linker does not find: %s; install it, or add its directory to %s before the program starts",
			c.Path, strings.Join(c.Needs, ", "), f.loaderVariable())
	}
}
