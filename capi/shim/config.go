// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package shim

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/purepjrt/purepjrt/capi/serve"
)

// TraceFormat is the form of a trace.
type TraceFormat string

// The formats of traces.
const (
	FormatText   TraceFormat = "text"   // readable text, with a line for each call
	FormatJSON   TraceFormat = "json"   // a JSON object on each line
	FormatChrome TraceFormat = "chrome" // for Perfetto and chrome://tracing
)

// Config says what a Shim does. With the zero value it only forwards calls. As the name of a file,
// "stderr" and "stdout" mean those of the process, %p is replaced by the process id, and "" turns
// the feature off.
type Config struct {
	Trace       string
	TraceFormat TraceFormat // "" means that the name of the file decides
	TraceBegin  bool        // also write a line when a call begins
	TraceOnly   []string    // patterns of the functions to trace; empty for all
	TraceText   int         // bytes of a text to show; 0 means 80

	Summary string

	Validate string
	// Refuse makes calls fail that would use a destroyed handle, without calling the plugin.
	Refuse bool

	Faults Faults

	// Absent has patterns of the functions, and names of the extensions, that the table lacks. A
	// function's slot is null; an extension is not in the chain.
	Absent []string
	// Minor makes the plugin look as old as that API minor: the table reports that version, and
	// ends where the older table did. 0 leaves the plugin as it is.
	Minor int

	// Grow serves clients that are older than the plugin accepts: it passes on their args in
	// structs of the newest version, with zeros in the fields that the clients do not know.
	Grow bool

	// OffHost makes PJRT_Buffer_IsOnCpu say that no buffer is in the host's memory, so that a
	// plugin for CPUs is used as one for other devices is.
	OffHost bool
	// Odd makes the plugin do what some plugins in the field do.
	Odd []Oddity

	Record string
	// RecordBegun also records each call before it is made, so that a session shows the call that
	// ended the process, or that never returned.
	RecordBegun bool

	// SumUpWithClients also writes the summary when the last client of a plugin is destroyed, for
	// processes that may not call Close.
	SumUpWithClients bool

	// prefix is that of the environment variables that the Config is from, or "".
	prefix string
}

// name returns what the user calls a field of the Config: a variable, if it is from one.
func (c *Config) name(field string) string {
	if c.prefix == "" {
		return field
	}
	return c.prefix + strings.ToUpper(field)
}

// Active reports whether the Config asks for anything.
func (c *Config) Active() bool {
	return c.Trace != "" || c.Summary != "" || c.Validate != "" || len(c.Faults.Rules) > 0 || c.Record != "" ||
		len(c.Absent) > 0 || c.Minor != 0 || c.Grow || c.OffHost || len(c.Odd) > 0
}

// variables maps names without the prefix to functions that set their values.
var variables = map[string]func(c *Config, value string) error{
	"TRACE": func(c *Config, v string) (err error) { c.Trace, err = output(v); return err },
	"TRACE_FORMAT": func(c *Config, v string) error {
		switch f := TraceFormat(strings.ToLower(v)); f {
		case FormatText, FormatJSON, FormatChrome:
			c.TraceFormat = f
		case "perfetto":
			c.TraceFormat = FormatChrome
		default:
			return fmt.Errorf("%q is not a format: use text, json or chrome", v)
		}
		return nil
	},
	"TRACE_BEGIN": func(c *Config, v string) (err error) { c.TraceBegin, err = yes(v); return err },
	"TRACE_ONLY": func(c *Config, v string) error {
		c.TraceOnly = strings.FieldsFunc(v, func(r rune) bool { return r == ',' || r == ' ' })
		return checkPatterns(c.TraceOnly)
	},
	"TRACE_TEXT": func(c *Config, v string) error {
		n, err := strconv.Atoi(v)
		if err != nil || n < 1 {
			return fmt.Errorf("%q is not a number of bytes: use 1 or more", v)
		}
		c.TraceText = n
		return nil
	},
	"SUMMARY":         func(c *Config, v string) (err error) { c.Summary, err = output(v); return err },
	"VALIDATE":        func(c *Config, v string) (err error) { c.Validate, err = output(v); return err },
	"VALIDATE_REFUSE": func(c *Config, v string) (err error) { c.Refuse, err = yes(v); return err },
	"FAULTS":          func(c *Config, v string) (err error) { c.Faults, err = ParseFaults(v); return err },
	"ABSENT": func(c *Config, v string) error {
		c.Absent = strings.FieldsFunc(v, func(r rune) bool { return r == ',' || r == ' ' })
		return checkAbsent(c.Absent)
	},
	"MINOR": func(c *Config, v string) error {
		n, err := strconv.Atoi(v)
		if err != nil || n < serve.OldestMinor {
			return fmt.Errorf("%q is not a minor version of the API: use %d or more", v, serve.OldestMinor)
		}
		c.Minor = n
		return nil
	},
	"GROW":     func(c *Config, v string) (err error) { c.Grow, err = yes(v); return err },
	"OFF_HOST": func(c *Config, v string) (err error) { c.OffHost, err = yes(v); return err },
	"ODD":      func(c *Config, v string) (err error) { c.Odd, err = parseOddities(v); return err },
	"RECORD": func(c *Config, v string) (err error) {
		if c.Record, err = output(v); c.Record == "stderr" || c.Record == "stdout" {
			return fmt.Errorf("%q cannot be a recording: give the name of a file", v)
		}
		return err
	},
}

// output turns the value of a variable into the name of a file: 1 means stderr, and 0 means none.
// What looks like a wrong answer to yes or no would make a file that nobody looks for.
func output(v string) (string, error) {
	word := strings.ToLower(strings.TrimSpace(v))
	switch word {
	case "0", "false", "off", "no":
		return "", nil
	case "1", "true", "on", "yes", "2":
		return "stderr", nil
	case "stderr", "stdout":
		return word, nil
	case "-", "y", "n", "t", "f", "enable", "enabled", "disable", "disabled", "none", "null", "nil", "":
	default:
		if _, err := strconv.Atoi(word); err != nil {
			return v, nil
		}
	}
	return "", fmt.Errorf("%q is neither 1, 0, stderr nor stdout: put ./ before it if it is a file", v)
}

func yes(v string) (bool, error) {
	switch strings.ToLower(v) {
	case "1", "true", "on", "yes":
		return true, nil
	case "", "0", "false", "off", "no":
		return false, nil
	}
	return false, fmt.Errorf("%q is neither 1 nor 0", v)
}

// Environment reads a Config from environment variables in the form of os.Environ. prefix is the
// prefix of their names, such as PJRT_SHIM_. An unknown variable with the prefix is an error unless
// it is in known, because a mistyped name would silently do nothing.
//
// If several variables are wrong, the error lists all.
func Environment(prefix string, environ []string, known ...string) (Config, error) {
	c := Config{prefix: prefix}
	var wrong []string
	for _, entry := range environ {
		name, value, _ := strings.Cut(entry, "=")
		rest, ok := strings.CutPrefix(name, prefix)
		if !ok || value == "" {
			continue
		}
		set := variables[rest]
		switch {
		case set != nil:
			if err := set(&c, value); err != nil {
				wrong = append(wrong, name+": "+err.Error())
			}
		case len(known) > 0 && !slices.Contains(known, name):
			wrong = append(wrong, name+": there is no such variable: the variables are "+strings.Join(names(prefix, known), ", "))
		}
	}
	if c.Refuse && c.Validate == "" {
		c.Validate = "stderr"
	}
	if len(wrong) > 0 {
		slices.Sort(wrong)
		return Config{}, fmt.Errorf("%s", strings.Join(wrong, "\n"))
	}
	return c, nil
}

// names returns the names of all variables.
func names(prefix string, known []string) []string {
	list := slices.Clone(known)
	for name := range variables {
		list = append(list, prefix+name)
	}
	slices.Sort(list)
	return list
}

// fileName fills in the process id.
func fileName(name string) string {
	return strings.ReplaceAll(name, "%p", strconv.Itoa(os.Getpid()))
}
