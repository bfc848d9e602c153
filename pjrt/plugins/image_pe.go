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
	"strings"
)

var peMachines = map[uint16]string{
	pe.IMAGE_FILE_MACHINE_AMD64: "amd64", pe.IMAGE_FILE_MACHINE_ARM64: "arm64", pe.IMAGE_FILE_MACHINE_I386: "386",
}

func readPE(r io.ReaderAt, size int64) (image, error) {
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
	symbols, err := f.ImportedSymbols() // each as function:library
	if err != nil {
		return image{}, fmt.Errorf("it is a damaged PE file: its imports cannot be read: %w", err)
	}
	for _, s := range symbols {
		_, library, _ := strings.Cut(s, ":")
		if library != "" && !slices.Contains(img.needs, library) {
			img.needs = append(img.needs, library)
		}
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

// exportsPE reports whether GetPjrtApi is among the names of the export directory,
// which package debug/pe does not read.
func exportsPE(f *pe.File) (bool, error) {
	var dirs []pe.DataDirectory
	switch h := f.OptionalHeader.(type) {
	case *pe.OptionalHeader64:
		dirs = h.DataDirectory[:min(h.NumberOfRvaAndSizes, uint32(len(h.DataDirectory)))]
	case *pe.OptionalHeader32:
		dirs = h.DataDirectory[:min(h.NumberOfRvaAndSizes, uint32(len(h.DataDirectory)))]
	}
	if len(dirs) == 0 || dirs[pe.IMAGE_DIRECTORY_ENTRY_EXPORT].VirtualAddress == 0 {
		return false, nil
	}
	read := func(address uint32, to []byte) error {
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
	var head exportDirectory
	raw := make([]byte, binary.Size(head))
	if err := read(dirs[pe.IMAGE_DIRECTORY_ENTRY_EXPORT].VirtualAddress, raw); err != nil {
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
		if err := read(head.AddressOfNames, names); err != nil {
			return false, err
		}
	}
	name := make([]byte, len(entryPointSymbol)+1)
	for ; len(names) >= 4; names = names[4:] {
		clear(name)
		if err := read(binary.LittleEndian.Uint32(names), name); err != nil {
			return false, err
		}
		if string(name) == entryPointSymbol+"\x00" {
			return true, nil
		}
	}
	return false, nil
}
