// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package plugins

import (
	"bytes"
	"debug/elf"
	"debug/macho"
	"debug/pe"
	"encoding/binary"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// many is how many names share a text of long bytes: copies of it would take 16 GiB.
const (
	many = 1 << 14
	long = 1 << 20
)

// manySections returns an ELF library with a table of sections that have the same long name.
func manySections(t *testing.T) []byte {
	order := binary.LittleEndian
	content := aPlugin.bytes()
	texts := len(content)
	content = append(content, strings.Repeat("a", long)+"\x00"...)
	at := len(content)
	section := make([]byte, 64)
	for range many {
		content = append(content, section...)
	}
	order.PutUint32(section[4:], uint32(elf.SHT_STRTAB))
	order.PutUint64(section[24:], uint64(texts))
	order.PutUint64(section[32:], long+1)
	content = append(content, section...)
	order.PutUint64(content[40:], uint64(at))
	order.PutUint16(content[60:], many+1)
	order.PutUint16(content[62:], many)
	return content
}

// sharedTag returns an ELF library that names the same long library many times.
func sharedTag(t *testing.T) []byte {
	name := strings.Repeat("a", long)
	needs := append([]string{name}, make([]string, many)...)
	content := elfLibrary{exports: aPlugin.exports, needs: needs}.bytes()
	f, err := elf.NewFile(bytes.NewReader(content))
	require.NoError(t, err)
	s := f.SectionByType(elf.SHT_DYNAMIC)
	first := content[s.Offset+8 : s.Offset+16]
	for at := s.Offset; at < s.Offset+s.FileSize; at += 16 {
		if elf.DynTag(binary.LittleEndian.Uint64(content[at:])) == elf.DT_NEEDED {
			copy(content[at+8:], first)
		}
	}
	return content
}

// sharedVersions returns an ELF library whose needed versions refer to each other for ever.
func sharedVersions(t *testing.T) []byte {
	content := elfLibrary{exports: aPlugin.exports, needs: []string{"liba.so"}, wants: map[string]string{"liba.so": "A_1"}, versions: []string{"B_1"}}.bytes()
	f, err := elf.NewFile(bytes.NewReader(content))
	require.NoError(t, err)
	s := f.SectionByType(elf.SHT_GNU_VERNEED)
	at := len(content)
	for range long { // each byte begins an entry
		content = append(content, 0)
	}
	for i := 0; i+16 <= long; i += 16 {
		entry := content[at+i:]
		binary.LittleEndian.PutUint16(entry, 1)
		binary.LittleEndian.PutUint16(entry[2:], 0xffff)
		binary.LittleEndian.PutUint32(entry[8:], 16)
		binary.LittleEndian.PutUint32(entry[12:], 16)
	}
	table := binary.LittleEndian.Uint64(content[40:])
	for i := range f.Sections {
		if f.Sections[i] == s {
			header := content[table+64*uint64(i):]
			binary.LittleEndian.PutUint64(header[24:], uint64(at))
			binary.LittleEndian.PutUint64(header[32:], long)
		}
	}
	return content
}

// sharedSymbol returns a Mach-O library with many symbols of the same long name.
func sharedSymbol(t *testing.T) []byte {
	exports := append([]string{strings.Repeat("a", long)}, make([]string, many)...)
	content := machoLibrary(macho.CpuArm64, macho.TypeDylib, exports, nil, "")
	at := bytes.Index(content, []byte{byte(macho.LoadCmdSymtab), 0, 0, 0, 24, 0, 0, 0})
	require.Positive(t, at)
	symbols := binary.LittleEndian.Uint32(content[at+8:])
	for i := range uint32(many) {
		copy(content[symbols+16*(i+1):], content[symbols:symbols+4])
	}
	return content
}

// sharedCOFF returns a PE library with many symbols of the same long name.
func sharedCOFF(t *testing.T) []byte {
	order := binary.LittleEndian
	content := peLibrary(pe.IMAGE_FILE_MACHINE_AMD64, pe.IMAGE_FILE_DLL, aPlugin.exports, nil)
	head := order.Uint32(content[60:]) + 4
	order.PutUint32(content[head+8:], uint32(len(content)))
	order.PutUint32(content[head+12:], many)
	symbol := make([]byte, pe.COFFSymbolSize)
	symbol[4] = 4 // the place of its name
	for range many {
		content = append(content, symbol...)
	}
	content = order.AppendUint32(content, 4+long+1)
	return append(content, strings.Repeat("a", long)+"\x00"...)
}

func TestLibrariesWhoseNamesShareALongTextTakeLittleMemory(t *testing.T) {
	fat := func(t *testing.T) []byte { return fatLibrary(map[macho.Cpu][]byte{macho.CpuArm64: sharedSymbol(t)}) }
	for name, c := range map[string]struct {
		make func(t *testing.T) []byte
		want string // or no error, if what is shared is not copied
	}{
		"sections":          {manySections, errNames.Error()},
		"libraries":         {sharedTag, errNames.Error()},
		"versions":          {sharedVersions, ""},
		"Mach-O":            {sharedSymbol, errNames.Error()},
		"a part of several": {fat, errNames.Error()},
		"PE":                {sharedCOFF, errNames.Error()},
	} {
		t.Run(name, func(t *testing.T) {
			content := c.make(t)
			path := put(t, content, t.TempDir(), "x.so")
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, err := readImage(path, "arm64")
			runtime.ReadMemStats(&after)
			if c.want == "" {
				require.NoError(t, err)
			} else {
				require.ErrorContains(t, err, c.want)
			}
			assert.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(32<<20+20*len(content)))
		})
	}
}
