// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package callers

import (
	"bytes"
	"cmp"
	"embed"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
)

//go:embed profiles/*.tsv
var files embed.FS

// Clients returns the names of the clients that have profiles, such as jax@0.8.1, the
// oldest first.
func Clients() []string {
	entries, err := files.ReadDir("profiles")
	if err != nil {
		panic(fmt.Sprintf("callers: the embedded profiles cannot be listed: %v", err))
	}
	var names []string
	for _, e := range entries {
		client, version, _ := strings.Cut(strings.TrimSuffix(e.Name(), ".tsv"), "-")
		names = append(names, client+"@"+version)
	}
	slices.SortFunc(names, compareVersions)
	return names
}

// compareVersions orders names by the numbers in their versions.
func compareVersions(a, b string) int {
	x, y := strings.Split(a, "."), strings.Split(b, ".")
	for i := range min(len(x), len(y)) {
		m, errM := strconv.Atoi(x[i])
		n, errN := strconv.Atoi(y[i])
		if errM != nil || errN != nil {
			if c := strings.Compare(x[i], y[i]); c != 0 {
				return c
			}
			continue
		}
		if c := cmp.Compare(m, n); c != 0 {
			return c
		}
	}
	return cmp.Compare(len(x), len(y))
}

// Lookup returns the profile of a client, by a name that Clients returns. A name
// without a version, such as jax, means the newest version.
func Lookup(name string) (*Profile, error) {
	all := Clients()
	if !strings.Contains(name, "@") {
		for _, n := range slices.Backward(all) {
			if strings.HasPrefix(n, name+"@") {
				name = n
				break
			}
		}
	}
	if !slices.Contains(all, name) {
		return nil, fmt.Errorf("there is no profile of %q: the profiles are of %s", name, strings.Join(all, ", "))
	}
	file := strings.Replace(name, "@", "-", 1) + ".tsv"
	text, err := files.ReadFile(path.Join("profiles", file))
	if err != nil {
		return nil, err
	}
	p, err := Read(bytes.NewReader(text))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return p, nil
}
