// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package plugins

import (
	"bytes"
	"debug/elf"
	"debug/macho"
	"debug/pe"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
)

// Headers refer to names by their place in a table. Go's debug packages copy each name, so a small
// file in which all of many names are the same long text would take all memory. Files are looked at
// here before those packages read them.

// errNames is what is wrong with such a file.
var errNames = errors.New("many of its names share one long text")

// nameTable is a table of texts that end with a NUL byte.
type nameTable struct {
	table []byte
	left  int // how many bytes may still be copied
}

// newNameTable returns a table out of which 16 times its size may be copied. Linkers let names
// share their ends, which saves far less.
func newNameTable(table []byte) *nameTable { return &nameTable{table, 1<<20 + 16*len(table)} }

// copied notes that the name at a place is copied. Looking for its end takes no longer than that.
func (n *nameTable) copied(at uint32) error {
	if uint64(at) >= uint64(len(n.table)) {
		return nil // that is an error to those who read it
	}
	length := bytes.IndexByte(n.table[at:], 0)
	if length < 0 {
		length = len(n.table) - int(at)
	}
	if n.left -= length; n.left < 0 {
		return errNames
	}
	return nil
}

// text returns a copy of the name at a place.
func (n *nameTable) text(at uint32) (string, error) {
	if err := n.copied(at); err != nil {
		return "", err
	}
	if uint64(at) >= uint64(len(n.table)) {
		return "", fmt.Errorf("a name is at byte %d of a table of %d", at, len(n.table))
	}
	name, _, _ := bytes.Cut(n.table[at:], []byte{0})
	return string(name), nil
}

// is reports whether the name at a place is this one.
func (n *nameTable) is(at uint32, name string) bool {
	return uint64(at) < uint64(len(n.table)) && bytes.HasPrefix(n.table[at:], append([]byte(name), 0))
}

// part reads a part of a file. What goes beyond the end is an error to those who read it, and
// counts as empty here.
func part(r io.ReaderAt, size int64, offset, length uint64) []byte {
	if offset > uint64(size) || length > uint64(size)-offset {
		return nil
	}
	b := make([]byte, length)
	if _, err := r.ReadAt(b, int64(offset)); err != nil {
		return nil
	}
	return b
}

// checkELF looks at the names of an ELF file's sections.
func checkELF(r io.ReaderAt, size int64) error {
	head := part(r, size, 0, uint64(binary.Size(elf.Header64{})))
	if head == nil {
		return nil
	}
	order := binary.ByteOrder(binary.LittleEndian)
	if elf.Data(head[elf.EI_DATA]) == elf.ELFDATA2MSB {
		order = binary.BigEndian
	}
	// Headers and sections of both classes begin with the same fields. Only their widths differ.
	wide := elf.Class(head[elf.EI_CLASS]) == elf.ELFCLASS64
	word := func(b []byte, at32, at64 int) uint64 {
		if wide {
			return order.Uint64(b[at64:])
		}
		return uint64(order.Uint32(b[at32:]))
	}
	half := func(at32, at64 int) uint64 {
		if wide {
			return uint64(order.Uint16(head[at64:]))
		}
		return uint64(order.Uint16(head[at32:]))
	}
	table, each, count, texts := word(head, 32, 40), half(46, 58), half(48, 60), half(50, 62)
	least := uint64(40)
	if wide {
		least = 64
	}
	section := func(i uint64) []byte {
		if each < least || i >= math.MaxUint32 {
			return nil
		}
		return part(r, size, table+i*each, least)
	}
	if first := section(0); first != nil && count == 0 {
		count = word(first, 20, 32)
		if texts == uint64(elf.SHN_XINDEX) {
			link := 24
			if wide {
				link = 40
			}
			texts = uint64(order.Uint32(first[link:]))
		}
	}
	s := section(texts)
	if s == nil || count > uint64(size)/least {
		return nil
	}
	all := newNameTable(part(r, size, word(s, 16, 24), word(s, 20, 32)))
	for b := part(r, size, table, count*each); uint64(len(b)) >= each; b = b[each:] {
		if err := all.copied(order.Uint32(b)); err != nil {
			return err
		}
	}
	return nil
}

// checkMachO looks at the names of a Mach-O file's symbols, in each of its parts.
func checkMachO(r io.ReaderAt, size int64) error {
	head := part(r, size, 0, 28)
	if head == nil {
		return nil
	}
	order := binary.ByteOrder(binary.BigEndian)
	commands := uint64(28)
	switch binary.BigEndian.Uint32(head) {
	case macho.MagicFat:
		count := uint64(binary.BigEndian.Uint32(head[4:]))
		for list := part(r, size, 8, min(count, 32)*20); len(list) >= 20; list = list[20:] {
			from, length := int64(binary.BigEndian.Uint32(list[8:])), int64(binary.BigEndian.Uint32(list[12:]))
			if from < 28 {
				continue
			}
			if err := checkMachO(io.NewSectionReader(r, from, length), min(length, size-from)); err != nil {
				return err
			}
		}
		return nil
	case macho.Magic32:
	case macho.Magic64:
		commands = 32
	default:
		order = binary.LittleEndian
		if order.Uint32(head) == macho.Magic64 {
			commands = 32
		}
	}
	nlist := 12 // the size of a symbol
	if commands == 32 {
		nlist = 16
	}
	for b := part(r, size, commands, uint64(order.Uint32(head[20:]))); len(b) >= 8; {
		length := order.Uint32(b[4:])
		if length < 8 || uint64(length) > uint64(len(b)) {
			return nil
		}
		if macho.LoadCmd(order.Uint32(b)) == macho.LoadCmdSymtab && length >= 24 {
			symbols := part(r, size, uint64(order.Uint32(b[8:])), uint64(order.Uint32(b[12:]))*uint64(nlist))
			all := newNameTable(part(r, size, uint64(order.Uint32(b[16:])), uint64(order.Uint32(b[20:]))))
			for ; len(symbols) >= nlist; symbols = symbols[nlist:] {
				if err := all.copied(order.Uint32(symbols)); err != nil {
					return err
				}
			}
		}
		b = b[length:]
	}
	return nil
}

// checkPE looks at the names of a PE file's symbols and sections that are in its table of texts.
func checkPE(r io.ReaderAt, size int64) error {
	order := binary.LittleEndian
	dos := part(r, size, 0, 64)
	if dos == nil {
		return nil
	}
	at := uint64(order.Uint32(dos[60:])) + 4 // after the signature
	var head pe.FileHeader
	b := part(r, size, at, uint64(binary.Size(head)))
	if b == nil {
		return nil
	}
	if _, err := binary.Decode(b, order, &head); err != nil {
		return fmt.Errorf("its header cannot be read: %w", err)
	}
	if head.PointerToSymbolTable == 0 {
		return nil
	}
	symbols := part(r, size, uint64(head.PointerToSymbolTable), pe.COFFSymbolSize*uint64(head.NumberOfSymbols))
	texts := uint64(head.PointerToSymbolTable) + pe.COFFSymbolSize*uint64(head.NumberOfSymbols)
	length := part(r, size, texts, 4)
	if length == nil {
		return nil
	}
	all := newNameTable(part(r, size, texts, uint64(order.Uint32(length))))
	for ; len(symbols) >= pe.COFFSymbolSize; symbols = symbols[pe.COFFSymbolSize:] {
		if order.Uint32(symbols) == 0 {
			if err := all.copied(order.Uint32(symbols[4:])); err != nil {
				return err
			}
		}
	}
	// A section has a slash and the place in decimal digits.
	sections := part(r, size, at+uint64(binary.Size(head))+uint64(head.SizeOfOptionalHeader), 40*uint64(head.NumberOfSections))
	for ; len(sections) >= 40; sections = sections[40:] {
		var place uint32
		if n, _ := fmt.Sscanf(string(bytes.TrimRight(sections[:8], "\x00")), "/%d", &place); n == 1 {
			if err := all.copied(place); err != nil {
				return err
			}
		}
	}
	return nil
}
