// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package capi

import (
	"cmp"
	"debug/pe"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"unsafe"
)

// errorModNotFound is ERROR_MOD_NOT_FOUND. The file itself exists, so a library that it needs is
// missing. Windows does not say which.
const errorModNotFound = syscall.Errno(126)

// withAlteredSearchPath is LOAD_WITH_ALTERED_SEARCH_PATH: libraries that the library needs may lie
// beside it.
const withAlteredSearchPath = 8

var (
	kernel32      = syscall.NewLazyDLL("kernel32.dll")
	loadLibraryEx = kernel32.NewProc("LoadLibraryExW")
	searchPath    = kernel32.NewProc("SearchPathW")
)

// load loads the library at path, the absolute path of an existing file.
func load(path string) (library, error) {
	name, err := syscall.UTF16PtrFromString(path)
	if err != nil {
		return 0, err
	}
	h, _, err := loadLibraryEx.Call(uintptr(unsafe.Pointer(name)), 0, withAlteredSearchPath)
	switch {
	case h != 0:
		return library(h), nil
	case errors.Is(err, errorModNotFound):
		library := cmp.Or(strings.Join(missingImports(path), ", "), "(the system does not say which)")
		return 0, &MissingDependencyError{Library: library, Detail: err.Error()}
	}
	return 0, fmt.Errorf("Windows cannot load it: %w", err)
}

// missingImports returns the libraries that the one at path imports functions of by name, or that
// those import, and that are neither beside it nor where Windows searches.
func missingImports(path string) (missing []string) {
	dir := filepath.Dir(path)
	libraries := []string{path}
	for i := 0; i < len(libraries); i++ {
		for _, name := range importedLibraries(libraries[i]) {
			found := filepath.Join(dir, name)
			if _, err := os.Stat(found); err != nil {
				found = searched(name)
			}
			switch {
			case found == "" && !slices.Contains(missing, name):
				missing = append(missing, name)
			case found != "" && !slices.Contains(libraries, found):
				libraries = append(libraries, found)
			}
		}
	}
	return missing
}

// importedLibraries returns the names of the libraries that the file at path imports functions of.
// API sets are left out, since Windows finds them without files.
func importedLibraries(path string) (names []string) {
	f, err := pe.Open(path)
	if err != nil {
		return nil // Windows has an error of its own for a damaged library
	}
	defer f.Close()
	symbols, _ := f.ImportedSymbols()
	for _, symbol := range symbols {
		name := strings.ToLower(symbol[strings.LastIndexByte(symbol, ':')+1:])
		if !strings.HasPrefix(name, "api-ms-win-") && !strings.HasPrefix(name, "ext-ms-") && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// searched returns the path of the library called name where Windows searches for the libraries of
// this process, or "".
func searched(name string) string {
	text, err := syscall.UTF16PtrFromString(name)
	if err != nil {
		return ""
	}
	path := make([]uint16, syscall.MAX_LONG_PATH)
	n, _, _ := searchPath.Call(0, uintptr(unsafe.Pointer(text)), 0, uintptr(len(path)), uintptr(unsafe.Pointer(&path[0])), 0)
	return syscall.UTF16ToString(path[:min(int(n), len(path))])
}

// symbol returns the address of an exported symbol.
func (l library) symbol(name string) (uintptr, error) {
	return syscall.GetProcAddress(syscall.Handle(l), name)
}
