// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package plugins

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/internal/outside"
)

// config holds the contents of a plugin's configuration file.
type config struct {
	// libraryPath is the path of the library. In the file it may be relative to the directory of
	// the file.
	libraryPath string
	// options are the create options, sorted by name. A value is a string, bool,
	// int64, float32 or []int64.
	options []capi.Attribute
	// priority and experimental replace the values that follow from the plugin's name. Nil keeps
	// those.
	priority     *int
	experimental *bool
	failQuietly  bool
}

// maxConfig is the largest size of a configuration file, in bytes.
const maxConfig = 1 << 20

// readConfig reads a configuration file. The comment of the package describes its form. Every
// mistake is an error that names the file and the place in it.
func readConfig(path string) (*config, error) {
	c, err := readConfigFile(path)
	if err != nil {
		return nil, fmt.Errorf("plugin configuration %s: %w", path, err)
	}
	return c, nil
}

func readConfigFile(path string) (*config, error) {
	content, err := outside.ReadRegular(path, maxConfig)
	if err != nil {
		return nil, withoutPath(err)
	}
	c, err := parseConfig(content)
	if err == nil && !filepath.IsAbs(c.libraryPath) {
		c.libraryPath = filepath.Join(filepath.Dir(path), c.libraryPath)
	}
	return c, err
}

func parseConfig(content []byte) (*config, error) {
	members, err := object("the file", content)
	if err != nil {
		return nil, err
	}
	c := &config{}
	optionsKey := ""
	for _, m := range members {
		switch m.key {
		case "library_path":
			err = decode(m, &c.libraryPath, "a string")
			if err == nil && c.libraryPath == "" {
				err = errors.New("library_path is empty")
			}
		case "create_options", "create_option":
			if optionsKey != "" {
				return nil, fmt.Errorf("%s and %s mean the same: use only one", optionsKey, m.key)
			}
			optionsKey = m.key
			c.options, err = createOptions(m)
		case "priority":
			err = decode(m, &c.priority, "an integer")
		case "experimental":
			err = decode(m, &c.experimental, "true or false")
		case "fail_quietly":
			err = decode(m, &c.failQuietly, "true or false")
		default:
			err = fmt.Errorf("unknown key %q: the keys are library_path, create_options, priority, experimental and fail_quietly",
				clip(m.key))
		}
		if err != nil {
			return nil, err
		}
	}
	if c.libraryPath == "" {
		return nil, errors.New("it has no library_path")
	}
	return c, nil
}

type member struct {
	key   string
	value json.RawMessage
}

// object returns the members of an object in their order. Unlike json.Unmarshal, it rejects a key
// that occurs twice.
func object(where string, content []byte) ([]member, error) {
	d := json.NewDecoder(bytes.NewReader(content))
	token, err := d.Token()
	if err != nil {
		return nil, syntax(err)
	}
	if token != json.Delim('{') {
		return nil, fmt.Errorf("%s is %s, not an object", where, describe(content))
	}
	var members []member
	seen := make(map[string]bool)
	for d.More() {
		token, err := d.Token()
		if err != nil {
			return nil, syntax(err)
		}
		m := member{key: token.(string)} // a decoder accepts no other key
		if err := d.Decode(&m.value); err != nil {
			return nil, syntax(err)
		}
		if seen[m.key] {
			return nil, fmt.Errorf("%s has the key %q twice", where, clip(m.key))
		}
		seen[m.key] = true
		members = append(members, m)
	}
	if _, err := d.Token(); err != nil {
		return nil, syntax(err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("there is more text after %s", where)
	}
	return members, nil
}

func syntax(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errors.New("it is not JSON: it ends too early")
	}
	return fmt.Errorf("it is not JSON: %w", err)
}

func decode(m member, to any, want string) error {
	if string(m.value) == "null" || json.Unmarshal(m.value, to) != nil {
		return fmt.Errorf("%s is %s, not %s", m.key, describe(m.value), want)
	}
	return nil
}

func createOptions(m member) ([]capi.Attribute, error) {
	members, err := object(m.key, m.value)
	if err != nil {
		return nil, err
	}
	options := make([]capi.Attribute, 0, len(members))
	for _, o := range members {
		path := m.key + "." + clip(o.key)
		if o.key == "" || strings.ContainsRune(o.key, 0) {
			return nil, fmt.Errorf("%s has the key %q, which cannot be the name of an option", m.key, clip(o.key))
		}
		value, err := optionValue(path, o.value)
		if err != nil {
			return nil, err
		}
		options = append(options, capi.Attribute{Name: o.key, Value: value})
	}
	slices.SortFunc(options, func(a, b capi.Attribute) int { return strings.Compare(a.Name, b.Name) })
	return options, nil
}

// optionValue reads a value of one of the types that PJRT options have.
func optionValue(path string, value json.RawMessage) (any, error) {
	switch value[0] {
	case '"':
		var s string
		if err := json.Unmarshal(value, &s); err != nil {
			return nil, syntax(err)
		}
		return s, nil
	case 't', 'f':
		return value[0] == 't', nil
	case '[':
		var elements []json.RawMessage
		if err := json.Unmarshal(value, &elements); err != nil {
			return nil, syntax(err)
		}
		list := make([]int64, len(elements))
		for i, e := range elements {
			n, err := integer(fmt.Sprintf("%s[%d]", path, i), e)
			if err != nil {
				return nil, err
			}
			list[i] = n
		}
		return list, nil
	case '{', 'n':
		return nil, fmt.Errorf("%s is %s, not a string, a number, a boolean or a list of integers", path, describe(value))
	}
	if !bytes.ContainsAny(value, ".eE") {
		return integer(path, value)
	}
	var x float64
	if err := json.Unmarshal(value, &x); err != nil || math.IsInf(float64(float32(x)), 0) {
		return nil, fmt.Errorf("%s is %s, which does not fit in a 32-bit float", path, clip(string(value)))
	}
	return float32(x), nil
}

func integer(path string, value json.RawMessage) (int64, error) {
	var n int64
	if what := describe(value); what != "a number" {
		return 0, fmt.Errorf("%s is %s, not an integer", path, what)
	}
	if err := json.Unmarshal(value, &n); err != nil {
		return 0, fmt.Errorf("%s is %s, not a 64-bit integer", path, clip(string(value)))
	}
	return n, nil
}

// describe names the type of a JSON value.
func describe(value []byte) string {
	value = bytes.TrimLeft(value, " \t\r\n")
	if len(value) == 0 {
		return "nothing"
	}
	switch value[0] {
	case '{':
		return "an object"
	case '[':
		return "a list"
	case '"':
		return "a string"
	case 't', 'f':
		return "a boolean"
	case 'n':
		return "null"
	}
	return "a number"
}

// clip shortens text from a file for use in an error.
func clip(s string) string {
	if len(s) > 80 {
		return s[:80] + "..."
	}
	return s
}
