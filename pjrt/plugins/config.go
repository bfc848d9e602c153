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
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/purepjrt/purepjrt/capi"
)

// A Config is what a configuration file says of a plugin.
type Config struct {
	// LibraryPath is the library. In the file it may be relative to the directory
	// of the file.
	LibraryPath string
	// Options are the create options, sorted by name. A value is a string, bool,
	// int64, float32 or []int64.
	Options []capi.Attribute
	// Priority and Experimental replace what follows from the plugin's name; nil
	// leaves it.
	Priority     *int
	Experimental *bool
	// FailQuietly lets [Default] pass over the plugin when it is not usable.
	FailQuietly bool
}

// maxConfig is the size of the largest configuration file, in bytes.
const maxConfig = 1 << 20

// ReadConfig reads a configuration file of a plugin: one JSON object, as JAX has
// it, of
//
//	library_path    the path of the library; required
//	create_options  object of options for the client; values are strings, numbers,
//	                booleans, and lists of integers (create_option is the same)
//
// and of what JAX does not know:
//
//	priority        integer; replaces that of the platform
//	experimental    boolean; the plugin is not a default
//	fail_quietly    boolean; the plugin is passed over when it is not usable
//
// A number with a fraction or an exponent is sent as a float, any other one as an
// integer. Every mistake is an error that names the file and the place in it.
func ReadConfig(path string) (*Config, error) {
	c, err := readConfig(path)
	if err != nil {
		return nil, fmt.Errorf("plugin configuration %s: %w", path, err)
	}
	return c, nil
}

func readConfig(path string) (*Config, error) {
	// A pipe could keep Open waiting for ever.
	info, err := os.Stat(path)
	if err != nil {
		return nil, withoutPath(err)
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("it is no regular file")
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, withoutPath(err)
	}
	defer file.Close()
	content, err := io.ReadAll(io.LimitReader(file, maxConfig+1))
	if err != nil {
		return nil, err
	}
	if len(content) > maxConfig {
		return nil, fmt.Errorf("it has more than %d bytes", maxConfig)
	}
	c, err := parseConfig(content)
	if err == nil && !filepath.IsAbs(c.LibraryPath) {
		c.LibraryPath = filepath.Join(filepath.Dir(path), c.LibraryPath)
	}
	return c, err
}

func parseConfig(content []byte) (*Config, error) {
	members, err := object("the file", content)
	if err != nil {
		return nil, err
	}
	c := &Config{}
	optionsKey := ""
	for _, m := range members {
		switch m.key {
		case "library_path":
			err = decode(m, &c.LibraryPath, "a string")
			if err == nil && c.LibraryPath == "" {
				err = errors.New("library_path is empty")
			}
		case "create_options", "create_option":
			if optionsKey != "" {
				return nil, fmt.Errorf("%s and %s say the same; use one", optionsKey, m.key)
			}
			optionsKey = m.key
			c.Options, err = createOptions(m)
		case "priority":
			err = decode(m, &c.Priority, "an integer")
		case "experimental":
			err = decode(m, &c.Experimental, "true or false")
		case "fail_quietly":
			err = decode(m, &c.FailQuietly, "true or false")
		default:
			err = fmt.Errorf("unknown key %q: known are library_path, create_options, priority, experimental, fail_quietly", clip(m.key))
		}
		if err != nil {
			return nil, err
		}
	}
	if c.LibraryPath == "" {
		return nil, errors.New("it has no library_path")
	}
	return c, nil
}

// member is a key of an object and its value.
type member struct {
	key   string
	value json.RawMessage
}

// object reads the members of an object in their order. Unlike json.Unmarshal it
// refuses a key that is there twice.
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
		return nil, fmt.Errorf("something follows %s", where)
	}
	return members, nil
}

func syntax(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errors.New("it is no JSON: it ends too early")
	}
	return fmt.Errorf("it is no JSON: %w", err)
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
			return nil, fmt.Errorf("%s has the key %q, which is no name of an option", m.key, clip(o.key))
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

// optionValue reads a value that PJRT has a type for.
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
		return nil, fmt.Errorf("%s is %s, which is beyond a 32-bit float", path, clip(string(value)))
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

// clip shortens what may be of any length.
func clip(s string) string {
	if len(s) > 80 {
		return s[:80] + "..."
	}
	return s
}
