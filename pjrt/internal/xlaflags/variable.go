// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package xlaflags

import (
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/purepjrt/purepjrt/internal/excerpt"
	"github.com/purepjrt/purepjrt/internal/outside"
)

const (
	// Variable is the environment variable that plugins read flags from.
	Variable = "XLA_FLAGS"
	// Override is the environment variable that, if set to 1, makes the checks accept any flag.
	Override = "PJRT_ALLOW_UNKNOWN_XLA_FLAGS"
)

// SplitCount is the only integer flag whose value can end the process: XLA's CPU compiler allocates
// memory for that many parts of a program, without a limit. MaxSplitCount limits it.
const (
	SplitCount    = "xla_cpu_parallel_codegen_split_count"
	MaxSplitCount = 1 << 16
)

// A Word is one flag in XLA_FLAGS.
type Word struct {
	Name  string // without dashes
	Value string // without quotes
	// HasValue distinguishes an empty value from no value.
	HasValue bool
	// Text is the flag as in XLA's messages: with dashes, without quotes.
	Text string
}

// maxFile is the largest size of a file of flags, in bytes.
const maxFile = 1 << 20

// Read returns the flags in a value of XLA_FLAGS as XLA reads them. A value that does not begin
// with a dash is the name of a file with flags. Flags are separated by white space. A value may be
// in quotes; in double quotes, a backslash escapes the next letter. The first word that does not
// begin with a dash ends the list.
func Read(value string) ([]Word, error) {
	words, err := read(value)
	if err != nil {
		return nil, err
	}
	return slices.Collect(words), nil
}

func read(value string) (iter.Seq[Word], error) {
	if IsFile(value) {
		content, err := readFile(value)
		var failed *fs.PathError
		if errors.As(err, &failed) {
			err = failed.Err // the name may be long
		}
		if err != nil {
			return nil, fmt.Errorf("%q does not begin with a dash, so it is the name of a file, which cannot be read: %w",
				excerpt.Of(value), err)
		}
		value = content
	}
	return split(value), nil
}

// IsFile reports whether a value of XLA_FLAGS is the name of a file.
func IsFile(value string) bool {
	return value != "" && !strings.HasPrefix(strings.TrimLeft(value, space), "-")
}

func readFile(name string) (string, error) {
	content, err := outside.ReadRegular(name, maxFile)
	return string(content), err
}

const space = " \t\r\n\v\f"

func isSpace(c byte) bool { return strings.IndexByte(space, c) >= 0 }

// split yields the flags one by one: a list of them could take a hundred times as much memory as
// the text.
func split(s string) iter.Seq[Word] {
	return func(yield func(Word) bool) {
		for s := s; ; {
			s = strings.TrimLeft(s, space)
			if !strings.HasPrefix(s, "-") {
				return
			}
			end := 0
			for end < len(s) && s[end] != '=' && !isSpace(s[end]) {
				end++
			}
			w := Word{Name: strings.TrimLeft(s[:end], "-"), Text: s[:end]}
			s = s[end:]
			if strings.HasPrefix(s, "=") {
				w.Value, s = splitValue(s[1:])
				w.HasValue = true
				w.Text += "=" + w.Value
			}
			if !yield(w) {
				return
			}
		}
	}
}

// splitValue splits s after its first value. A quote that is not closed extends to the end.
func splitValue(s string) (value, rest string) {
	if s == "" || s[0] != '"' && s[0] != '\'' {
		end := strings.IndexAny(s, space)
		if end < 0 {
			end = len(s)
		}
		return s[:end], s[end:]
	}
	quote := s[0]
	var b strings.Builder
	for i := 1; i < len(s); i++ {
		switch {
		case s[i] == quote:
			return b.String(), s[i+1:]
		case s[i] == '\\' && quote == '"' && i+1 < len(s):
			i++
		}
		b.WriteByte(s[i])
	}
	return b.String(), ""
}

// Check returns an error if XLA's plugins would end the process because of this value of XLA_FLAGS:
// because no known version has a flag, because a flag does not take its value or tells XLA to do
// so, or because a file cannot be read. It accepts flags that only versions other than the plugin's
// have. If the environment variable [Override] is 1, it returns nil.
func Check(value string) error {
	if os.Getenv(Override) == "1" {
		return nil
	}
	words, err := read(value)
	if err != nil {
		return err
	}
	for w := range words {
		if err := w.Check(); err != nil {
			return fmt.Errorf("%w (%s=1 passes any flag on)", err, Override)
		}
	}
	return nil
}

// Check returns an error if no version of XLA accepts the flag, or if it tells XLA to end the
// process.
func (w Word) Check() error {
	if !strings.HasPrefix(w.Text, "--") || w.Name == "" || strings.HasPrefix(w.Text, "---") {
		return fmt.Errorf("%q is not a flag: flags begin with two dashes", excerpt.Of(w.Text))
	}
	f, ok := Lookup(w.Name)
	if !ok {
		return Unknown(w.Name)
	}
	if !w.HasValue {
		if f.Kind == Bool && !f.Repeated {
			return CheckDeadly(f.Name, true)
		}
		return fmt.Errorf("XLA flag %s needs a value: --%s=%s", f.Name, f.Name, strings.ToUpper(f.Kind))
	}
	if n, err := strconv.ParseInt(strings.TrimLeft(w.Value, space), 10, 64); err == nil && f.Name == SplitCount &&
		(n < 1 || n > MaxSplitCount) {
		return fmt.Errorf("XLA flag %s takes 1 to %d, not %d", f.Name, MaxSplitCount, n)
	}
	if want := f.refuses(w.Value); want != "" {
		return fmt.Errorf("XLA flag %s takes %s, not %q", f.Name, want, excerpt.Of(w.Value))
	}
	return CheckDeadly(f.Name, w.Value)
}

// refuses returns a description of the flag's values if the flag does not take value, or "". The
// notation of lists, messages and a few enums differs from flag to flag, so refuses rejects only
// text that none of them takes.
func (f Flag) refuses(value string) (want string) {
	if f.Repeated {
		return ""
	}
	var err error
	switch f.Kind {
	case Bool:
		switch strings.ToLower(value) {
		case "true", "false", "0", "1":
			return ""
		}
		return "true or false"
	case Int32:
		want = "an int32"
		_, err = strconv.ParseInt(strings.TrimLeft(value, space), 10, 32)
	case Int64:
		want = "an int64"
		_, err = strconv.ParseInt(strings.TrimLeft(value, space), 10, 64)
	case Float:
		want = "a float"
		_, err = strconv.ParseFloat(strings.TrimLeft(value, space), 64)
		if e, ok := err.(*strconv.NumError); ok && e.Err == strconv.ErrRange {
			err = nil // becomes an infinity or zero
		}
	case Enum:
		for name := range f.Numbers {
			upper := strings.ToUpper(value)
			if name == upper || value != "" && strings.HasSuffix(name, "_"+upper) {
				return ""
			}
		}
		return "one of " + strings.Join(f.Values(), ", ")
	}
	if err != nil {
		return want
	}
	return ""
}

// With returns value with another flag added. It returns false if the flag is there already, or if
// value is the name of a file.
func With(value, name, setting string) (string, bool) {
	if IsFile(value) {
		return "", false
	}
	for w := range split(value) {
		if w.Name == name {
			return "", false
		}
	}
	// Add the flag at the front, because a stray word ends the list.
	flag := "--" + name + "=" + quote(setting)
	if value == "" {
		return flag, true
	}
	return flag + " " + strings.TrimLeft(value, space), true
}

// quote formats a value so that splitValue reads it back.
func quote(value string) string {
	if value == "" || !strings.ContainsAny(value, space) && value[0] != '"' && value[0] != '\'' {
		return value
	}
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(value) + `"`
}
