// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package facts

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
)

// coreFile is the file of the core header in the folder of a version.
const coreFile = "pjrt_c_api.json"

// Minors returns the minors of API 0 under dir for which the core header was measured, the oldest
// first. It returns none if dir does not exist.
func Minors(dir string) ([]int, error) {
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("cannot read the facts: %w", err)
	}
	var minors []int
	for _, e := range entries {
		var minor int
		if n, _ := fmt.Sscanf(e.Name(), "0.%d", &minor); n != 1 || e.Name() != version(minor) {
			continue
		}
		if _, err := os.Stat(filepath.Join(dir, e.Name(), coreFile)); err == nil {
			minors = append(minors, minor)
		}
	}
	slices.Sort(minors)
	return minors, nil
}

func version(minor int) string { return fmt.Sprintf("0.%d", minor) }

// Read returns the facts of each header at a minor that Minors lists, by the path of the header. A
// header without a file in the folder of that minor is as it was at the newest earlier minor that
// has one. A document with a base holds what differs from the facts of an older minor, as Overlay
// says.
func Read(dir string, minor int) (map[string]map[string]any, error) {
	state, err := At(dir, minor)
	if err != nil {
		return nil, err
	}
	return state.Docs, nil
}

// State is the facts of all headers at a minor.
type State struct {
	Minor int
	Docs  map[string]map[string]any // by the path of the header
	// Versions says in which version's folder the newest document of each header lies, and
	// Files what it is called there.
	Versions, Files map[string]string
}

// At is Read, with the versions. A minor without facts has those of the newest minor before it.
func At(dir string, minor int) (*State, error) {
	minors, err := Minors(dir)
	if err != nil {
		return nil, err
	}
	s := &State{Docs: make(map[string]map[string]any), Versions: make(map[string]string), Files: make(map[string]string)}
	for _, m := range minors {
		if m > minor {
			break
		}
		now, names, err := readVersion(filepath.Join(dir, version(m)), s.Docs, s.Versions)
		if err != nil {
			return nil, err
		}
		for path := range now {
			s.Versions[path] = version(m)
		}
		maps.Copy(s.Docs, now)
		maps.Copy(s.Files, names)
		s.Minor = m
	}
	return s, nil
}

// readVersion returns the facts in a folder, and the names of their files. before has the facts of
// older minors, and from says which minors.
func readVersion(dir string, before map[string]map[string]any, from map[string]string) (docs map[string]map[string]any,
	names map[string]string, err error) {
	files, err := fs.Glob(os.DirFS(dir), "*.json")
	if err != nil {
		return nil, nil, err
	}
	docs, names = make(map[string]map[string]any), make(map[string]string)
	for _, file := range files {
		file = filepath.Join(dir, file)
		doc, err := ReadDocument(file)
		if err != nil {
			return nil, nil, err
		}
		path, _ := doc["path"].(string)
		if path == "" {
			return nil, nil, fmt.Errorf("%s: not the facts of a header: no path", file)
		}
		if docs[path] != nil {
			return nil, nil, fmt.Errorf("%s: another file of the folder has the facts of %s", file, path)
		}
		if base, ok := doc["base"]; ok && base != from[path] {
			return nil, nil, fmt.Errorf("%s: its base is %v, but the newest facts before it are of %q", file, base, from[path])
		}
		names[path] = filepath.Base(file)
		if docs[path], err = Resolve(before[path], doc); err != nil {
			return nil, nil, fmt.Errorf("%s: %w", file, err)
		}
	}
	return docs, names, nil
}

// ReadDocument reads one file of facts as it is. Resolve applies a document to its base.
func ReadDocument(file string) (map[string]any, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("cannot read the facts: %w", err)
	}
	var doc map[string]any
	if err := json.Unmarshal(text, &doc); err != nil {
		return nil, fmt.Errorf("%s: not the facts of a header: %w", file, err)
	}
	return doc, nil
}

// Decode puts the facts of a header into a struct of the form of their JSON, such as a
// model.Header.
func Decode(doc map[string]any, into any) error {
	text, err := json.Marshal(doc)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(text, into); err != nil {
		return fmt.Errorf("not the facts of a header: %w", err)
	}
	return nil
}
