// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package plugins

import (
	"bytes"
	"context"
	"debug/elf"
	"debug/macho"
	"debug/pe"
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// elfLibrary describes a shared library for tests. It contains no code.
type elfLibrary struct {
	machine  elf.Machine // 0 means x86-64
	kind     elf.Type    // 0 means a shared object
	exports  []string
	imports  []string // symbols of other libraries
	locals   []string // symbols that are not visible outside
	needs    []string
	runpath  string
	rpath    string
	wants    map[string]string // the version needed, by library
	weak     bool              // wants are weak references
	versions []string          // of its own symbols
	data     string            // read-only data
}

// aPlugin is the smallest library that counts as a plugin.
var aPlugin = elfLibrary{exports: []string{entryPointSymbol}}

// bytes returns the file. Everything that the linker reads is in sections, which one segment
// covers.
func (l elfLibrary) bytes() []byte {
	if l.machine == 0 {
		l.machine = elf.EM_X86_64
	}
	if l.kind == 0 {
		l.kind = elf.ET_DYN
	}
	le := binary.LittleEndian
	strtab := []byte{0}
	str := func(s string) uint32 {
		at := uint32(len(strtab))
		strtab = append(append(strtab, s...), 0)
		return at
	}
	pack := func(values ...any) []byte {
		var b bytes.Buffer
		for _, v := range values {
			if err := binary.Write(&b, le, v); err != nil {
				panic(err)
			}
		}
		return b.Bytes()
	}
	symbols := make([]byte, elf.Sym64Size)
	symbol := func(name string, bind elf.SymBind, section uint16) {
		symbols = append(symbols, pack(elf.Sym64{Name: str(name), Info: elf.ST_INFO(bind, elf.STT_FUNC), Shndx: section, Value: 64})...)
	}
	for _, name := range l.locals {
		symbol(name, elf.STB_LOCAL, 1)
	}
	for _, name := range l.imports {
		symbol(name, elf.STB_GLOBAL, uint16(elf.SHN_UNDEF))
	}
	for _, name := range l.exports {
		symbol(name, elf.STB_GLOBAL, 1)
	}
	var dynamic []byte
	tag := func(t elf.DynTag, value uint32) { dynamic = append(dynamic, pack(int64(t), uint64(value))...) }
	for _, need := range l.needs {
		tag(elf.DT_NEEDED, str(need))
	}
	if l.runpath != "" {
		tag(elf.DT_RUNPATH, str(l.runpath))
	}
	if l.rpath != "" {
		tag(elf.DT_RPATH, str(l.rpath))
	}
	tag(elf.DT_NULL, 0)
	var verneed, verdef []byte
	for library, version := range l.wants {
		next := uint32(32)
		verneed = append(verneed, pack(uint16(1), uint16(1), str(library), uint32(16), next)...)
		flags := uint16(0)
		if l.weak {
			flags = uint16(elf.VER_FLG_WEAK)
		}
		verneed = append(verneed, pack(uint32(0), flags, uint16(2), str(version), uint32(0))...)
	}
	for i, version := range l.versions {
		verdef = append(verdef, pack(uint16(1), uint16(0), uint16(i+1), uint16(1), uint32(0), uint32(20), uint32(28))...)
		verdef = append(verdef, pack(str(version), uint32(0))...)
	}
	names := []byte{0}
	type section struct {
		elf.Section64
		content []byte
	}
	var sections []section
	add := func(name string, t elf.SectionType, link uint32, entry uint64, content []byte) {
		s := section{elf.Section64{Name: uint32(len(names)), Type: uint32(t), Flags: uint64(elf.SHF_ALLOC), Link: link, Entsize: entry},
			content}
		names = append(append(names, name...), 0)
		sections = append(sections, s)
	}
	sections = append(sections, section{})
	add(".dynstr", elf.SHT_STRTAB, 0, 0, strtab)
	add(".dynsym", elf.SHT_DYNSYM, 1, elf.Sym64Size, symbols)
	add(".dynamic", elf.SHT_DYNAMIC, 1, 16, dynamic)
	add(".rodata", elf.SHT_PROGBITS, 0, 0, []byte(l.data+"\x00"))
	if len(verneed)+len(verdef) > 0 {
		add(".gnu.version", elf.SHT_GNU_VERSYM, 2, 2, make([]byte, 2*len(symbols)/elf.Sym64Size))
		if len(verneed) > 0 {
			add(".gnu.version_r", elf.SHT_GNU_VERNEED, 1, 0, verneed)
		}
		if len(verdef) > 0 {
			add(".gnu.version_d", elf.SHT_GNU_VERDEF, 1, 0, verdef)
		}
	}
	add(".shstrtab", elf.SHT_STRTAB, 0, 0, nil)
	sections[len(sections)-1].content = names

	const headers = 64 + 56
	offset := uint64(headers)
	var content, table []byte
	for i := range sections {
		s := &sections[i]
		if i > 0 {
			s.Off, s.Addr, s.Size = offset, offset, uint64(len(s.content))
		}
		content = append(content, s.content...)
		offset += uint64(len(s.content))
		table = append(table, pack(s.Section64)...)
	}
	head := elf.Header64{
		Type: uint16(l.kind), Machine: uint16(l.machine), Version: 1, Phoff: 64, Shoff: offset,
		Ehsize: 64, Phentsize: 56, Phnum: 1, Shentsize: 64, Shnum: uint16(len(sections)), Shstrndx: uint16(len(sections) - 1),
	}
	copy(head.Ident[:], "\x7fELF\x02\x01\x01")
	segment := elf.Prog64{Type: uint32(elf.PT_LOAD), Flags: uint32(elf.PF_R), Filesz: offset, Memsz: offset}
	return append(append(pack(head, segment), content...), table...)
}

// put writes a file, and creates the directories above it.
func put(t testing.TB, content []byte, elements ...string) string {
	t.Helper()
	path := filepath.Join(elements...)
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(t, os.WriteFile(path, content, 0o644))
	return path
}

// plugin writes a plugin.
func plugin(t testing.TB, elements ...string) string {
	t.Helper()
	return put(t, aPlugin.bytes(), elements...)
}

// pack encodes values as they are in the files of libraries.
func pack(values ...any) []byte {
	var b bytes.Buffer
	for _, v := range values {
		if err := binary.Write(&b, binary.LittleEndian, v); err != nil {
			panic(err)
		}
	}
	return b.Bytes()
}

// machoLibrary returns a library for macOS that exports symbols and needs libraries. A symbol with
// "local" or "undefined" before its name is not exported.
func machoLibrary(cpu macho.Cpu, fileType macho.Type, exports, needs []string, rpath string) []byte {
	strtab := []byte{0}
	var symbols []byte
	for _, name := range exports {
		kind := uint8(0x0f) // in a section, and external
		if rest, ok := strings.CutPrefix(name, "local "); ok {
			name, kind = rest, 0x0e
		}
		if rest, ok := strings.CutPrefix(name, "undefined "); ok {
			name, kind = rest, 0x01
		}
		symbols = append(symbols, pack(macho.Nlist64{Name: uint32(len(strtab)), Type: kind, Sect: 1, Value: 64})...)
		strtab = append(append(strtab, name...), 0)
	}
	var loads []byte
	n := uint32(0)
	text := func(command, head uint32, fixed []byte, s string) {
		body := append(append(fixed, s...), 0)
		for (len(body)+int(head))%8 != 0 {
			body = append(body, 0)
		}
		loads = append(loads, pack(command, uint32(len(body))+head)...)
		loads = append(loads, body...)
		n++
	}
	for _, need := range needs {
		text(uint32(macho.LoadCmdDylib), 8, pack(uint32(24), uint32(0), uint32(0), uint32(0)), need)
	}
	if rpath != "" {
		text(uint32(macho.LoadCmdRpath), 8, pack(uint32(12)), rpath)
	}
	const head, segment, symtab = 32, 72, 24
	at := uint32(head + len(loads) + segment + symtab)
	total := uint64(at) + uint64(len(symbols)+len(strtab))
	loads = append(loads, pack(macho.Segment64{Cmd: macho.LoadCmdSegment64, Len: segment, Filesz: total, Memsz: total})...)
	loads = append(loads, pack(uint32(macho.LoadCmdSymtab), uint32(symtab), at, uint32(len(exports)), at+uint32(len(symbols)),
		uint32(len(strtab)))...)
	n += 2
	file := pack(macho.FileHeader{Magic: macho.Magic64, Cpu: cpu, Type: fileType, Ncmd: n, Cmdsz: uint32(len(loads))}, uint32(0))
	return append(append(append(file, loads...), symbols...), strtab...)
}

// fatLibrary joins libraries for several processors in one file.
func fatLibrary(parts map[macho.Cpu][]byte) []byte {
	be := binary.BigEndian
	head := be.AppendUint32(be.AppendUint32(nil, macho.MagicFat), uint32(len(parts)))
	var body []byte
	start := uint32(8 + 20*len(parts))
	for cpu, part := range parts {
		for _, word := range []uint32{uint32(cpu), 0, start + uint32(len(body)), uint32(len(part)), 0} {
			head = be.AppendUint32(head, word)
		}
		body = append(body, part...)
	}
	return append(head, body...)
}

// peLibrary returns a library for Windows that exports names and needs libraries.
func peLibrary(machine uint16, characteristics uint16, exports, needs []string) []byte {
	const address, offset = 0x1000, 0x200
	var section []byte
	at := func() uint32 { return address + uint32(len(section)) }
	var names []byte
	for _, name := range exports {
		names = append(names, pack(at())...)
		section = append(append(section, name...), 0)
	}
	namesAt := at()
	section = append(section, names...)
	exportsAt := at()
	section = append(section, pack([24]byte{}, uint32(len(exports)), uint32(0), namesAt, uint32(0))...)
	var imports []byte
	for _, library := range needs {
		hint := at()
		section = append(section, "\x00\x00Function\x00"...)
		thunks := at()
		section = append(section, pack(uint64(hint), uint64(0))...)
		name := at()
		section = append(append(section, library...), 0)
		imports = append(imports, pack(thunks, uint32(0), uint32(0), name, thunks)...)
	}
	importsAt := at()
	section = append(append(section, imports...), make([]byte, 20)...)
	h := pe.OptionalHeader64{Magic: 0x20b, NumberOfRvaAndSizes: 16}
	h.DataDirectory[pe.IMAGE_DIRECTORY_ENTRY_EXPORT] = pe.DataDirectory{VirtualAddress: exportsAt, Size: 40}
	if len(needs) > 0 {
		h.DataDirectory[pe.IMAGE_DIRECTORY_ENTRY_IMPORT] = pe.DataDirectory{VirtualAddress: importsAt, Size: uint32(len(imports) + 20)}
	}
	dos := make([]byte, 0x80)
	copy(dos, "MZ")
	binary.LittleEndian.PutUint32(dos[0x3c:], 0x80)
	file := append(dos, "PE\x00\x00"...)
	file = append(file, pack(pe.FileHeader{
		Machine: machine, NumberOfSections: 1, SizeOfOptionalHeader: 240, Characteristics: characteristics,
	}, h)...)
	s := pe.SectionHeader32{VirtualSize: uint32(len(section)), VirtualAddress: address, SizeOfRawData: uint32(len(section)),
		PointerToRawData: offset}
	copy(s.Name[:], ".rdata")
	file = append(file, pack(s)...)
	return append(append(file, make([]byte, offset-len(file))...), section...)
}

// testFinder returns a finder for Linux without Python, which sees an environment, a cache and a
// root directory of the test.
func testFinder(t testing.TB, env map[string]string) *finder {
	t.Helper()
	root := t.TempDir()
	return &finder{
		getenv: func(name string) string { return env[name] },
		environ: func() (all []string) {
			for name, value := range env {
				all = append(all, name+"="+value)
			}
			return all
		},
		dir:    func() (string, error) { return filepath.Join(root, "cache"), nil },
		root:   root,
		goos:   "linux",
		goarch: "amd64",
		python: func(context.Context) ([]string, error) { return nil, nil },
	}
}

func list(dirs ...string) string { return strings.Join(dirs, string(filepath.ListSeparator)) }

// replaceDir replaces DIR by the directory of the test.
func replaceDir(s, dir string) string { return strings.ReplaceAll(s, "DIR", dir) }
