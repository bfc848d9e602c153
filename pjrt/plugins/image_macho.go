// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package plugins

import (
	"debug/macho"
	"encoding/binary"
	"fmt"
	"io"
)

// isMachO reports whether a file that begins like this is a macOS library. Files for several
// processors have the magic number of Java classes, but in a class the next word is far larger than
// the number of processors can be.
func isMachO(head []byte) bool {
	if len(head) < 8 {
		return false
	}
	switch binary.BigEndian.Uint32(head) {
	case 0xfeedface, 0xfeedfacf, 0xcefaedfe, 0xcffaedfe:
		return true
	case macho.MagicFat:
		return binary.BigEndian.Uint32(head[4:]) < 32
	}
	return false
}

var macCPUs = map[macho.Cpu]string{macho.CpuAmd64: "amd64", macho.CpuArm64: "arm64"}

func readMachO(r io.ReaderAt, size int64, goarch string) (image, error) {
	if err := checkMachO(r, size); err != nil {
		return image{}, fmt.Errorf("it is a damaged Mach-O file: %w", err)
	}
	fat, err := macho.NewFatFile(r)
	if err == nil {
		defer fat.Close()
		for _, a := range fat.Arches {
			if macCPUs[a.Cpu] == goarch {
				return readMachOPart(a.File, min(int64(a.Size), size-int64(a.Offset)), goarch)
			}
		}
		if len(fat.Arches) == 0 {
			return image{}, fmt.Errorf("it is a Mach-O file without any parts")
		}
		a := fat.Arches[0]
		return readMachOPart(a.File, min(int64(a.Size), size-int64(a.Offset)), goarch)
	}
	f, err := macho.NewFile(r)
	if err != nil {
		return image{}, fmt.Errorf("it is a damaged or truncated Mach-O file: %w", err)
	}
	return readMachOPart(f, size, goarch)
}

func readMachOPart(f *macho.File, size int64, _ string) (image, error) {
	img := image{format: "Mach-O", arch: f.Cpu.String()}
	if arch, ok := macCPUs[f.Cpu]; ok {
		img.arch = arch
	}
	if f.Type != macho.TypeDylib && f.Type != macho.TypeBundle {
		return image{}, fmt.Errorf("it is a Mach-O file of type %s, not a library", f.Type)
	}
	for _, l := range f.Loads {
		switch l := l.(type) {
		case *macho.Segment:
			if l.Filesz > 0 && (l.Offset > uint64(size) || l.Filesz > uint64(size)-l.Offset) {
				return image{}, fmt.Errorf("it is truncated: its contents end at byte %d, and the file has %d bytes", l.Offset+l.Filesz,
					size)
			}
		case *macho.Dylib:
			img.needs = append(img.needs, l.Name)
		case *macho.Rpath:
			img.runpath = append(img.runpath, l.Path)
		}
	}
	if f.Symtab == nil {
		img.exports = true // only loading the library would tell
		return img, nil
	}
	const external, undefined, kind = 0x01, 0x00, 0x0e // N_EXT, N_UNDF, N_TYPE
	for _, s := range f.Symtab.Syms {
		if s.Name == "_"+entryPointSymbol && s.Type&external != 0 && s.Type&kind != undefined {
			img.exports = true
			break
		}
	}
	return img, nil
}
