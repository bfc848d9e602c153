// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package plugins

import (
	"debug/elf"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"iter"
	"math"
	"strings"
)

// architectures maps ELF's machines to Go's names.
var architectures = map[elf.Machine]string{
	elf.EM_X86_64: "amd64", elf.EM_AARCH64: "arm64", elf.EM_386: "386", elf.EM_ARM: "arm",
	elf.EM_RISCV: "riscv64", elf.EM_PPC64: "ppc64le", elf.EM_S390: "s390x", elf.EM_LOONGARCH: "loong64",
}

func readELF(r io.ReaderAt, size int64) (image, error) {
	if err := checkELF(r, size); err != nil {
		return image{}, fmt.Errorf("it is a damaged ELF file: %w", err)
	}
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
	if len(f.Sections) == 0 {
		// The linker needs no sections. Without them, only loading the library shows whether it
		// exports the function.
		img.exports = true
		return img, nil
	}
	tables := &elfTables{f, make(map[uint32]*nameTable)}
	if err := img.readSymbols(tables); err != nil {
		return image{}, fmt.Errorf("it is a damaged ELF file: its symbols cannot be read: %w", err)
	}
	if err := img.readDynamic(tables); err != nil {
		return image{}, fmt.Errorf("it is a damaged ELF file: %w", err)
	}
	if err := errors.Join(img.readWants(tables), img.readHas(tables)); err != nil {
		return image{}, fmt.Errorf("it is a damaged ELF file: its symbol versions cannot be read: %w", err)
	}
	return img, nil
}

// elfTables are the sections of a file, of which several refer to the same texts.
type elfTables struct {
	*elf.File
	texts map[uint32]*nameTable // by section
}

// section returns the contents of the section of a type, and the texts that it refers to. The
// section is empty if there is none.
func (f *elfTables) section(t elf.SectionType) (data []byte, texts *nameTable, err error) {
	s := f.SectionByType(t)
	if s == nil {
		return nil, newNameTable(nil), nil
	}
	if data, err = s.Data(); err != nil {
		return nil, nil, err
	}
	if texts = f.texts[s.Link]; texts != nil {
		return data, texts, nil
	}
	if uint64(s.Link) >= uint64(len(f.Sections)) {
		return nil, nil, fmt.Errorf("the section %q refers to section %d of %d", s.Name, s.Link, len(f.Sections))
	}
	table, err := f.Sections[s.Link].Data()
	texts = newNameTable(table)
	f.texts[s.Link] = texts
	return data, texts, err
}

// readSymbols looks for the function that makes a library a plugin.
func (img *image) readSymbols(f *elfTables) error {
	data, texts, err := f.section(elf.SHT_DYNSYM)
	if err != nil {
		return err
	}
	size, info, section := elf.Sym64Size, 4, 6
	if f.Class == elf.ELFCLASS32 {
		size, info, section = elf.Sym32Size, 12, 14
	}
	for ; len(data) >= size && !img.exports; data = data[size:] {
		img.exports = texts.is(f.ByteOrder.Uint32(data), entryPointSymbol) &&
			elf.SectionIndex(f.ByteOrder.Uint16(data[section:])) != elf.SHN_UNDEF && elf.ST_BIND(data[info]) != elf.STB_LOCAL
	}
	return nil
}

// readDynamic reads the entries that the dynamic linker uses.
func (img *image) readDynamic(f *elfTables) error {
	data, texts, err := f.section(elf.SHT_DYNAMIC)
	if err != nil {
		return err
	}
	width := 8
	if f.Class == elf.ELFCLASS32 {
		width = 4
	}
	word := func(b []byte) uint64 {
		if width == 4 {
			return uint64(f.ByteOrder.Uint32(b))
		}
		return f.ByteOrder.Uint64(b)
	}
	for ; len(data) >= 2*width; data = data[2*width:] {
		tag := elf.DynTag(word(data))
		if tag == elf.DT_NULL {
			return nil
		}
		if tag != elf.DT_NEEDED && tag != elf.DT_RPATH && tag != elf.DT_RUNPATH {
			continue
		}
		text, err := texts.text(uint32(min(word(data[width:]), math.MaxUint32)))
		if err != nil {
			return err
		}
		switch tag {
		case elf.DT_NEEDED:
			img.needs = append(img.needs, text)
		case elf.DT_RPATH:
			img.rpath = append(img.rpath, splitPaths(text)...)
		case elf.DT_RUNPATH:
			img.runpath = append(img.runpath, splitPaths(text)...)
		}
	}
	return nil
}

// maxVersions is more symbol versions than any real library needs or has. Entries overlap in
// hostile files, whose size does not bound their number.
const maxVersions = 1 << 14

// versions are the entries of a section with symbol versions, which refer to each other.
type versions struct {
	order binary.ByteOrder
	data  []byte
	left  int
}

// entry returns the entry at a place. It is nil after the last one, or if there are too many.
func (v *versions) entry(at uint64, size int) []byte {
	if v.left--; v.left < 0 || at > uint64(len(v.data)) || len(v.data)-int(at) < size {
		return nil
	}
	return v.data[at:]
}

// chain yields the entries from a place on, with their places. Each has size bytes, and the
// distance to the next in the last word.
func (v *versions) chain(at uint64, size int) iter.Seq2[uint64, []byte] {
	return func(yield func(uint64, []byte) bool) {
		for {
			entry := v.entry(at, size)
			if entry == nil || !yield(at, entry) {
				return
			}
			next := v.order.Uint32(entry[size-4:])
			if next == 0 {
				return
			}
			at += uint64(next)
		}
	}
}

// readWants reads which versions the library needs of others. Libraries without versions lack the
// section.
func (img *image) readWants(f *elfTables) error {
	data, texts, err := f.section(elf.SHT_GNU_VERNEED)
	if err != nil {
		return err
	}
	order := f.ByteOrder
	all := versions{order, data, maxVersions}
	for at, library := range all.chain(0, 16) {
		name, err := texts.text(order.Uint32(library[4:]))
		if err != nil {
			return err
		}
		count := order.Uint16(library[2:])
		if count == 0 {
			continue
		}
		for _, version := range all.chain(at+uint64(order.Uint32(library[8:])), 16) {
			if elf.DynamicVersionFlag(order.Uint16(version[4:]))&elf.VER_FLG_WEAK == 0 {
				text, err := texts.text(order.Uint32(version[8:]))
				if err != nil {
					return err
				}
				if img.wants == nil {
					img.wants = make(map[string][]string)
				}
				img.wants[name] = append(img.wants[name], text)
			}
			if count--; count == 0 {
				break
			}
		}
	}
	return nil
}

// readHas reads which versions the library has itself.
func (img *image) readHas(f *elfTables) error {
	data, texts, err := f.section(elf.SHT_GNU_VERDEF)
	if err != nil {
		return err
	}
	all := versions{f.ByteOrder, data, maxVersions}
	for at, version := range all.chain(0, 20) {
		name := all.entry(at+uint64(f.ByteOrder.Uint32(version[12:])), 8)
		if name == nil {
			continue
		}
		text, err := texts.text(f.ByteOrder.Uint32(name))
		if err != nil {
			return err
		}
		if img.has == nil {
			img.has = make(map[string]bool)
		}
		img.has[text] = true
	}
	return nil
}

func splitPaths(list string) (dirs []string) {
	for dir := range strings.SplitSeq(list, ":") {
		if dir != "" {
			dirs = append(dirs, dir)
		}
	}
	return dirs
}
