// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package plugins

import (
	"debug/elf"
	"errors"
	"fmt"
	"io"
	"strings"
)

// architectures maps ELF's machines to Go's names.
var architectures = map[elf.Machine]string{
	elf.EM_X86_64: "amd64", elf.EM_AARCH64: "arm64", elf.EM_386: "386", elf.EM_ARM: "arm",
	elf.EM_RISCV: "riscv64", elf.EM_PPC64: "ppc64le", elf.EM_S390: "s390x", elf.EM_LOONGARCH: "loong64",
}

// maxVersions is more bytes than the symbol versions of any real library take.
const maxVersions = 1 << 18

func readELF(r io.ReaderAt, size int64) (image, error) {
	f, err := elf.NewFile(r)
	if err != nil {
		return image{}, fmt.Errorf("it is a damaged or truncated ELF file: %w", err)
	}
	img := image{format: "ELF", arch: f.Machine.String()}
	if arch, ok := architectures[f.Machine]; ok {
		img.arch = arch
	}
	if f.Type != elf.ET_DYN {
		return image{}, fmt.Errorf("it is an ELF file of type %s, not a library", f.Type)
	}
	for _, p := range f.Progs {
		if p.Filesz > 0 && (p.Off > uint64(size) || p.Filesz > uint64(size)-p.Off) {
			return image{}, fmt.Errorf("it is truncated: its contents end at byte %d, and the file has %d bytes", p.Off+p.Filesz, size)
		}
	}
	for _, s := range f.Sections {
		switch s.Type {
		case elf.SHT_DYNSYM, elf.SHT_STRTAB, elf.SHT_DYNAMIC, elf.SHT_GNU_VERSYM, elf.SHT_GNU_VERDEF, elf.SHT_GNU_VERNEED:
			// The linker reads no compressed sections, and a few bytes could decompress to
			// gigabytes.
			if s.Flags&elf.SHF_COMPRESSED != 0 || s.FileSize > uint64(size) {
				return image{}, fmt.Errorf("it is a damaged ELF file: its section %q has an impossible size", s.Name)
			}
		}
	}
	symbols, err := f.DynamicSymbols()
	switch {
	case errors.Is(err, elf.ErrNoSymbols) && len(f.Sections) == 0:
		// The linker needs no sections. Without them, only loading the library shows whether it
		// exports the function.
		img.exports = true
		return img, nil
	case err != nil && !errors.Is(err, elf.ErrNoSymbols):
		return image{}, fmt.Errorf("it is a damaged ELF file: its symbols cannot be read: %w", err)
	}
	for _, s := range symbols {
		if s.Name == entryPointSymbol && s.Section != elf.SHN_UNDEF && elf.ST_BIND(s.Info) != elf.STB_LOCAL {
			img.exports = true
			break
		}
	}
	if err := img.readDynamic(f); err != nil {
		return image{}, fmt.Errorf("it is a damaged ELF file: %w", err)
	}
	return img, nil
}

// readDynamic reads the entries that the dynamic linker uses.
func (img *image) readDynamic(f *elf.File) error {
	var err error
	list := func(tag elf.DynTag) (values []string) {
		values, tagErr := f.DynString(tag)
		err = errors.Join(err, tagErr)
		return values
	}
	img.needs = list(elf.DT_NEEDED)
	img.rpath = splitPaths(list(elf.DT_RPATH))
	img.runpath = splitPaths(list(elf.DT_RUNPATH))
	if err != nil {
		return err
	}
	for _, t := range []elf.SectionType{elf.SHT_GNU_VERDEF, elf.SHT_GNU_VERNEED} {
		if s := f.SectionByType(t); s != nil && s.FileSize > maxVersions {
			return fmt.Errorf("the section %q has %d bytes", s.Name, s.FileSize)
		}
	}
	// Errors are ignored, because libraries without versions lack these sections.
	needs, _ := f.DynamicVersionNeeds()
	for _, n := range needs {
		for _, dep := range n.Needs {
			if dep.Flags&elf.VER_FLG_WEAK != 0 {
				continue
			}
			if img.wants == nil {
				img.wants = make(map[string][]string)
			}
			img.wants[n.Name] = append(img.wants[n.Name], dep.Dep)
		}
	}
	versions, _ := f.DynamicVersions()
	for _, v := range versions {
		if img.has == nil {
			img.has = make(map[string]bool)
		}
		img.has[v.Name] = true
	}
	return nil
}

func splitPaths(lists []string) (dirs []string) {
	for _, list := range lists {
		for dir := range strings.SplitSeq(list, ":") {
			if dir != "" {
				dirs = append(dirs, dir)
			}
		}
	}
	return dirs
}
