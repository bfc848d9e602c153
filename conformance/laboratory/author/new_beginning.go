// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package main

import (
	"bytes"
	"fmt"
	"go/format"
	"path"
	"regexp"
	"strconv"
	"strings"

	"github.com/purepjrt/purepjrt/conformance/internal/check"
	"github.com/purepjrt/purepjrt/conformance/internal/checks/buffers"
	"github.com/purepjrt/purepjrt/conformance/internal/checks/client"
	"github.com/purepjrt/purepjrt/conformance/internal/checks/extension"
	"github.com/purepjrt/purepjrt/conformance/internal/checks/library"
	"github.com/purepjrt/purepjrt/conformance/internal/checks/programs"
	"github.com/purepjrt/purepjrt/conformance/internal/checks/quality"
	"github.com/purepjrt/purepjrt/conformance/rules"
)

// Paths relative to the root of the repository.
const (
	checksFolder = "conformance/internal/checks"
	rulesFile    = "conformance/rules/rules.json"
	countsFile   = "conformance/rules/rules_test.go"
	argsFile     = "capi/zz_core_args.go"
)

// packages lists the packages in which each check is a function. Package numeric is not one of
// them: it makes its checks from a table of programs, to which one adds rows.
var packages = []struct {
	name   string
	checks func() []check.Check
}{
	{"library", library.Checks}, {"client", client.Checks}, {"buffers", buffers.Checks}, {"programs", programs.Checks},
	{"extension", extension.Checks}, {"quality", quality.Checks},
}

// beginning is a check to be made.
type beginning struct {
	rule, variant string
	severity      rules.Severity
	read          func(name string) ([]byte, error)

	file  string // the one that holds the check
	added bool   // the rule is new
}

func (b *beginning) check() string {
	return (&check.Check{Rule: b.rule, Variant: b.variant}).Name()
}

var ruleID = regexp.MustCompile(`^([A-Z0-9]+)-(\d{2})$`)

// files returns the contents of the files to write, by name.
func (b *beginning) files() (map[string][]byte, error) {
	id := ruleID.FindStringSubmatch(b.rule)
	if id == nil {
		return nil, fmt.Errorf("%q is not the id of a rule: write a group and two digits, such as EVT-30", b.rule)
	}
	pkg, err := b.home(id[1])
	if err != nil {
		return nil, err
	}
	files := make(map[string][]byte)
	subject := ""
	if r := rules.ByID(b.rule); r != nil {
		subject = r.Subject
	} else {
		b.added = true
		if err := b.addRule(files, id[1]); err != nil {
			return nil, err
		}
	}
	name := strings.ToLower(strings.ReplaceAll(b.rule, "-", "")) + identifier(b.variant)
	folder := path.Join(checksFolder, pkg)
	b.file = path.Join(folder, fileName(b.rule, b.variant))
	if _, err := b.read(b.file); err == nil {
		return nil, fmt.Errorf("%s exists already: use -variant, or add the check to it", b.file)
	}
	if files[b.file], err = format.Source([]byte(b.source(pkg, name, subject))); err != nil {
		return nil, err
	}
	if err := b.enlist(files, folder, "Checks", name+"Checks"); err != nil {
		return nil, err
	}
	return files, b.enlist(files, folder, "Mutants", name+"Mutants()")
}

// home returns the package that has most of the group's checks.
func (b *beginning) home(group string) (string, error) {
	if rules.GroupByName(group) == nil {
		return "", fmt.Errorf("there is no group %s: add it to %s first", group, rulesFile)
	}
	home, most := "", 0
	for _, p := range packages {
		n := 0
		for _, c := range p.checks() {
			if c.Name() == b.check() {
				return "", fmt.Errorf("there is a check %s already: use -variant", b.check())
			}
			if rules.ByID(c.Rule).Group() == group {
				n++
			}
		}
		if n > most {
			home, most = p.name, n
		}
	}
	if home != "" {
		return home, nil
	}
	return "", fmt.Errorf("no package of %s checks rules of the group %s", checksFolder, group)
}

// addRule adds a row after the last one of the group, and updates the count of rules.
func (b *beginning) addRule(files map[string][]byte, group string) error {
	text, err := b.read(rulesFile)
	if err != nil {
		return fmt.Errorf("run it in the root of the repository: %w", err)
	}
	lines := strings.SplitAfter(string(text), "\n")
	last := -1
	for i, l := range lines {
		if strings.HasPrefix(strings.TrimSpace(l), `{"id": "`+group+`-`) {
			last = i
		}
	}
	if last < 0 {
		return fmt.Errorf("%s has no rule of the group %s", rulesFile, group)
	}
	row := fmt.Sprintf(`    {"id": %q, "rule": "", "subject": "", "since": "base", "severity": %q, "basis": "I", `+
		`"how": "", "upstream": "no", "fault": ""}`, b.rule, b.severity)
	if end := strings.TrimRight(lines[last], "\n"); strings.HasSuffix(end, ",") {
		lines[last] += row + ",\n"
	} else {
		lines[last] = end + ",\n" + row + "\n"
	}
	files[rulesFile] = []byte(strings.Join(lines, ""))
	counts, err := b.read(countsFile)
	if err != nil {
		return err
	}
	word := map[rules.Severity]string{rules.Must: "Must", rules.Should: "Should", rules.Opt: "Opt", rules.Robust: "Robust"}[b.severity]
	if word == "" {
		return fmt.Errorf("%q is not a severity: use MUST, SHOULD, OPT or ROBUST", b.severity)
	}
	number := regexp.MustCompile(`rules\.` + word + `: (\d+)`)
	at := number.FindSubmatchIndex(counts)
	if at == nil {
		return fmt.Errorf("%s does not count rules.%s", countsFile, word)
	}
	n, err := strconv.Atoi(string(counts[at[2]:at[3]]))
	if err != nil {
		return err
	}
	files[countsFile] = bytes.Join([][]byte{counts[:at[2]], counts[at[3]:]}, strconv.AppendInt(nil, int64(n+1), 10))
	return nil
}

// enlist adds a list to those that a function of the package's doc.go, joined, concatenates.
func (b *beginning) enlist(files map[string][]byte, folder, joined, list string) error {
	file := path.Join(folder, "doc.go")
	text, ok := files[file]
	if !ok {
		var err error
		if text, err = b.read(file); err != nil {
			return err
		}
	}
	at := regexp.MustCompile(`(?m)^func ` + joined + `\(\)(?s:.*?)slices\.Concat\(`).FindIndex(text)
	if at == nil {
		return fmt.Errorf("%s has no list of %s to add to", file, joined)
	}
	before, after := text[:at[1]], text[at[1]:]
	added := list + ", "
	if after[0] == '\n' {
		added = "\n" + list + ","
	}
	changed, err := format.Source(bytes.Join([][]byte{before, after}, []byte(added)))
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	files[file] = changed
	return nil
}

var separators = regexp.MustCompile(`[^A-Za-z0-9]+`)

// identifier returns a variant as the suffix of a Go name.
func identifier(variant string) string {
	var s strings.Builder
	for _, word := range separators.Split(variant, -1) {
		if word != "" {
			s.WriteString(strings.ToUpper(word[:1]) + word[1:])
		}
	}
	return s.String()
}

func fileName(rule, variant string) string {
	words := strings.ToLower(rule)
	if variant != "" {
		words += "_" + strings.ToLower(variant)
	}
	// Without _check, a last word such as test or linux would mean something to Go.
	return separators.ReplaceAllString(words, "_") + "_check.go"
}

// arguments returns the Go type of the arguments of the function that a rule is about, or
// those of a download if the rule is about something else.
func (b *beginning) arguments(subject string) string {
	name := regexp.QuoteMeta(strings.ReplaceAll(subject, "_", "") + "Args")
	if text, err := b.read(argsFile); err == nil {
		if found := regexp.MustCompile(`(?mi)^type (` + name + `) struct`).FindSubmatch(text); found != nil {
			return string(found[1])
		}
	}
	return "BufferToHostBufferArgs"
}

// source returns the text of the check's file.
func (b *beginning) source(pkg, name, subject string) string {
	variant := ""
	if b.variant != "" {
		variant = fmt.Sprintf(", Variant: %q", b.variant)
	}
	return fmt.Sprintf(`// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package %[1]s

import (
	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/capi/serve"
	"github.com/purepjrt/purepjrt/conformance/internal/check"
	"github.com/purepjrt/purepjrt/conformance/internal/mutant"
)

var %[2]sChecks = []check.Check{
	// Hostile: true runs the check in a process of its own, Library: true without a client.
	{Rule: %[3]q%[4]s, Run: func(t *check.T) {
		b := check.Upload(t, t.Client(), []float32{1, 2, 3, 4})
		check.ExpectBuffer(t, b, []float32{1, 2, 3, 4}, "what was uploaded")
	}},
}

// %[2]sMutants are faulty plugins that the check must find, each with another kind of fault.
func %[2]sMutants() []mutant.Mutant {
	return []mutant.Mutant{
		mutant.Of(%[5]q, "", func(c *serve.Invocation, a *capi.%[6]s) {
			c.Forward() // change a before or after this, as the fault does
		}),
	}
}
`, pkg, name, b.rule, variant, b.check(), b.arguments(subject))
}
