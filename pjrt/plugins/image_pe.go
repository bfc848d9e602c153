// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package plugins

import (
	"bytes"
	"debug/pe"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
)

var peMachines = map[uint16]string{
	pe.IMAGE_FILE_MACHINE_AMD64: "amd64", pe.IMAGE_FILE_MACHINE_ARM64: "arm64", pe.IMAGE_FILE_MACHINE_I386: "386",
}

func readPE(r io.ReaderAt, size int64) (image, error) {
	if err := checkPE(r, size); err != nil {
		return image{}, fmt.Errorf("it is a damaged PE file: %w", err)
	}
	f, err := pe.NewFile(r)
	if err != nil {
		return image{}, fmt.Errorf("it is a damaged or truncated PE file: %w", err)
	}
	img := image{format: "PE", arch: fmt.Sprintf("machine %#x", f.Machine)}
	if arch, ok := peMachines[f.Machine]; ok {
		img.arch = arch
	}
	if f.Characteristics&pe.IMAGE_FILE_DLL == 0 {
		return image{}, errors.New("it is a program, not a library")
	}
	for _, s := range f.Sections {
		if end := int64(s.Offset) + int64(s.Size); s.Size > 0 && end > size {
			return image{}, fmt.Errorf("it is truncated: its contents end at byte %d, and the file has %d bytes", end, size)
		}
	}
	if img.exports, err = exportsPE(f); err != nil {
		return image{}, fmt.Errorf("it is a damaged PE file: %w", err)
	}
	if img.needs, err = importsPE(f); err != nil {
		return image{}, fmt.Errorf("it is a damaged PE file: its imports cannot be read: %w", err)
	}
	return img, nil
}

// exportDirectory is the part of PE's IMAGE_EXPORT_DIRECTORY that leads to the names.
type exportDirectory struct {
	_              [24]byte
	NumberOfNames  uint32
	_              uint32
	AddressOfNames uint32
	_              uint32
}

// maxExports is more than the number of functions that a library can export by ordinal.
const maxExports = 1 << 16

// directoryPE returns the address of a directory of the file, or 0.
func directoryPE(f *pe.File, entry uint32) uint32 {
	switch h := f.OptionalHeader.(type) {
	case *pe.OptionalHeader64:
		if entry < min(h.NumberOfRvaAndSizes, uint32(len(h.DataDirectory))) {
			return h.DataDirectory[entry].VirtualAddress
		}
	case *pe.OptionalHeader32:
		if entry < min(h.NumberOfRvaAndSizes, uint32(len(h.DataDirectory))) {
			return h.DataDirectory[entry].VirtualAddress
		}
	}
	return 0
}

// readPEAt reads what will be at an address, or as much of it as the section has.
func readPEAt(f *pe.File, address uint32, to []byte) error {
	for _, s := range f.Sections {
		if address >= s.VirtualAddress && address-s.VirtualAddress < s.Size {
			n, err := s.ReadAt(to, int64(address-s.VirtualAddress))
			if n == len(to) || errors.Is(err, io.EOF) && n > 0 {
				return nil
			}
			return err
		}
	}
	return fmt.Errorf("the address %#x is in no section", address)
}

// What real libraries stay below: the number of libraries that one imports, and the length of a
// library's name.
const (
	maxImports = 1 << 12
	maxLibrary = 260
)

// importsPE returns the libraries that the file imports functions of.
func importsPE(f *pe.File) (libraries []string, err error) {
	at := directoryPE(f, pe.IMAGE_DIRECTORY_ENTRY_IMPORT)
	if at == 0 {
		return nil, nil
	}
	for ; len(libraries) < maxImports; at += 20 {
		// The name is the fourth of five words, and a descriptor without one is the last.
		var descriptor [20]byte
		if err := readPEAt(f, at, descriptor[:]); err != nil {
			return nil, err
		}
		name := binary.LittleEndian.Uint32(descriptor[12:])
		if name == 0 {
			return libraries, nil
		}
		var text [maxLibrary + 1]byte
		if err := readPEAt(f, name, text[:]); err != nil {
			return nil, err
		}
		library, _, ended := bytes.Cut(text[:], []byte{0})
		if !ended {
			return nil, fmt.Errorf("the name of a library is longer than %d bytes", maxLibrary)
		}
		if !slices.Contains(libraries, string(library)) {
			libraries = append(libraries, string(library))
		}
	}
	return nil, fmt.Errorf("it claims to import %d libraries", maxImports)
}

// exportsPE reports whether GetPjrtApi is among the names of the export directory,
// which package debug/pe does not read.
func exportsPE(f *pe.File) (bool, error) {
	at := directoryPE(f, pe.IMAGE_DIRECTORY_ENTRY_EXPORT)
	if at == 0 {
		return false, nil
	}
	var head exportDirectory
	raw := make([]byte, binary.Size(head))
	if err := readPEAt(f, at, raw); err != nil {
		return false, err
	}
	if err := binary.Read(bytes.NewReader(raw), binary.LittleEndian, &head); err != nil {
		return false, err
	}
	if head.NumberOfNames > maxExports {
		return false, fmt.Errorf("it claims to export %d functions", head.NumberOfNames)
	}
	names := make([]byte, 4*head.NumberOfNames)
	if len(names) > 0 {
		if err := readPEAt(f, head.AddressOfNames, names); err != nil {
			return false, err
		}
	}
	name := make([]byte, len(entryPointSymbol)+1)
	for ; len(names) >= 4; names = names[4:] {
		clear(name)
		if err := readPEAt(f, binary.LittleEndian.Uint32(names), name); err != nil {
			return false, err
		}
		if string(name) == entryPointSymbol+"\x00" {
			return true, nil
		}
	}
	return false, nil
}
