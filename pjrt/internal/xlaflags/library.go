// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package xlaflags

import (
	"bytes"
	"debug/elf"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
)

// CheckLibrary returns an error if the plugin in the library at path would end the process because
// of the environment variable XLA_FLAGS: because this library does not know a flag, because a flag
// does not take its value, or because a file of flags cannot be read. [Override] turns the check
// off.
//
// CheckLibrary does not load the library. The names of all flags that a library knows are in its
// file, so it does not know a flag that is not there. It accepts all flags for a library that does
// not contain XLA_FLAGS. It does not search files in formats other than ELF; for these, [Check]
// decides.
func CheckLibrary(path string) error {
	value := os.Getenv(Variable)
	if value == "" || os.Getenv(Override) == "1" {
		return nil
	}
	if err := checkLibrary(path, value); err != nil {
		return fmt.Errorf("%s: %w (%s=1 passes any flag on)", Variable, err, Override)
	}
	return nil
}

func checkLibrary(path, value string) error {
	words, readErr := Read(value)
	names := []string{Variable}
	for _, w := range words {
		names = append(names, w.Name)
	}
	there, err := stringsIn(path, names)
	if err != nil {
		// A file without sections, or in another format, can be checked only against the list of
		// all flags.
		there = nil
	}
	if there != nil && !there[Variable] {
		return nil // the library does not read the variable
	}
	if readErr != nil {
		return readErr
	}
	for _, w := range words {
		err := w.Check()
		switch known := Known(w.Name); {
		case err == nil && there != nil && !there[w.Name]:
			return fmt.Errorf("%s has no flag %s, but other versions of XLA have it", path, w.Name)
		case err != nil && !known && there[w.Name] && strings.HasPrefix(w.Text, "--xla_"):
			// A flag of a newer version.
		case err != nil:
			return err
		}
	}
	return nil
}

var errNoData = errors.New("the file has no section of read-only data")

// stringsIn reports which of names occur in the data of the ELF library at path, followed by a byte
// that cannot be part of a name.
func stringsIn(path string, names []string) (there map[string]bool, err error) {
	defer func() {
		if p := recover(); p != nil {
			there, err = nil, fmt.Errorf("the file is damaged: %v", p)
		}
	}()
	f, err := elf.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	s := scanner{want: names, there: make(map[string]bool)}
	err = errNoData
	for _, section := range f.Sections {
		// Most of the file is code and its tables, which need not be searched.
		if section.Type != elf.SHT_PROGBITS || !strings.Contains(section.Name, "rodata") {
			continue
		}
		if err = s.scan(section.Open()); err != nil {
			return nil, err
		}
	}
	return s.there, err
}

// scanner looks for names in the data that it reads.
type scanner struct {
	want  []string
	there map[string]bool
}

func (s *scanner) scan(r io.Reader) error {
	const chunk = 1 << 20
	longest := 0
	for _, name := range s.want {
		longest = max(longest, len(name)+1)
	}
	buffer := make([]byte, 0, chunk+longest)
	for len(s.want) > 0 {
		n, err := io.ReadFull(r, buffer[len(buffer):cap(buffer)])
		buffer = buffer[:len(buffer)+n]
		end := err != nil
		if end && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
			return err
		}
		s.look(buffer, end)
		if end {
			return nil
		}
		// A name may extend from this piece into the next.
		kept := copy(buffer, buffer[len(buffer)-longest:])
		buffer = buffer[:kept]
	}
	return nil
}

// look moves the names that occur in data from want to there.
func (s *scanner) look(data []byte, end bool) {
	var rest []string
	for _, name := range s.want {
		if name == "" || !contains(data, name, end) {
			rest = append(rest, name)
			continue
		}
		s.there[name] = true
	}
	s.want = rest
}

// contains reports whether name occurs in data, followed by a byte that cannot be part of a name.
// If end is set, name may also be at the end of data.
func contains(data []byte, name string, end bool) bool {
	for {
		i := bytes.Index(data, []byte(name))
		if i < 0 {
			return false
		}
		data = data[i+len(name):]
		if len(data) == 0 {
			return end
		}
		if c := data[0]; c != '_' && (c < '0' || c > '9') && (c < 'A' || c > 'Z') && (c < 'a' || c > 'z') {
			return true
		}
	}
}
