// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package diff

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// Sources are Go files, each as the set of its words: the names in code, in comments and in texts,
// in lower case and without underscores. So a C name and the Go name that is made from it are the
// same word, except for the prefix.
type Sources struct {
	files []file
}

// file is the words of a file, and those of them that are used as fields of a Go struct: a word
// like "state" is in many comments.
type file struct{ words, fields map[string]bool }

var (
	word      = regexp.MustCompile(`\w+`)
	fieldWord = regexp.MustCompile(`\.([A-Z]\w*)|\b([A-Z]\w*):`)
)

// ReadSources reads the Go files below folders of root. It skips tests and testdata, which name a
// thing without doing anything for it, and generated files, which name everything.
func ReadSources(root string, dirs ...string) (*Sources, error) {
	s := new(Sources)
	for _, dir := range dirs {
		err := filepath.WalkDir(filepath.Join(root, dir), func(path string, d fs.DirEntry, err error) error {
			switch base := filepath.Base(path); {
			case err != nil:
				return err
			case d.IsDir() && base == "testdata":
				return filepath.SkipDir
			case !d.Type().IsRegular() || !strings.HasSuffix(base, ".go"),
				strings.HasSuffix(base, "_test.go"), strings.HasPrefix(base, "zz_"):
				return nil
			}
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			f := file{make(map[string]bool), make(map[string]bool)}
			for _, w := range word.FindAllString(string(text), -1) {
				f.words[plain(w)] = true
			}
			for _, m := range fieldWord.FindAllStringSubmatch(string(text), -1) {
				f.fields[plain(m[1]+m[2])] = true
			}
			s.files = append(s.files, f)
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return s, nil
}

func plain(name string) string { return strings.ToLower(strings.ReplaceAll(name, "_", "")) }

// bare returns a C name without the prefix that Go names leave out.
func bare(name string) string {
	for _, prefix := range []string{"XLA_FFI_", "_PJRT_", "PJRT_", "PLUGIN_"} {
		if rest, ok := strings.CutPrefix(name, prefix); ok {
			return plain(rest)
		}
	}
	return plain(name)
}

// Name reports whether a file names the item: by its C name, or by the name that generated
// code gives it. A field counts if the file names its struct too.
func (s *Sources) Name(i Addition) bool {
	return slices.ContainsFunc(s.files, func(f file) bool {
		words := f.words
		switch i.Item {
		case ItemFunction:
			return words[plain(i.Name)] || words[bare(i.Name)+"args"] || words["function"+bare(i.Name)]
		case ItemField:
			owner := strings.TrimSuffix(i.Parent, "_Args")
			return f.fields[plain(i.Member)] && (words[plain(i.Parent)] || words[bare(i.Parent)] || words[plain(owner)])
		case ItemValue:
			return words[plain(i.Member)] || words[bare(i.Member)]
		default:
			name := strings.TrimPrefix(i.Name, "struct ")
			return words[plain(name)] || words[bare(name)]
		}
	})
}

// Unnamed returns the items that a program could use and no file names. An args struct
// belongs to its function, and a macro is no more than a number.
func (s *Sources) Unnamed(items []Addition) []Addition {
	return slices.DeleteFunc(slices.Clone(items), func(i Addition) bool {
		return i.Item == ItemMacro || i.Item == ItemStruct && strings.HasSuffix(i.Name, "_Args") || s.Name(i)
	})
}
