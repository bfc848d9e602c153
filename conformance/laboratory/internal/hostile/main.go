// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Command hostile has the readers of the suite and of extensions that get bytes from outside, with
// inputs that somebody wrote to make them slow, large or deep. It is for tests, as the command of
// that name in pjrt/internal is for the readers of the binding, and has the same flags.
package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"

	"github.com/purepjrt/purepjrt/conformance/laboratory/callers"
	"github.com/purepjrt/purepjrt/conformance/lists"
	"github.com/purepjrt/purepjrt/conformance/report"
	"github.com/purepjrt/purepjrt/extensions/profiler"
	"github.com/purepjrt/purepjrt/internal/growth"
	"github.com/purepjrt/purepjrt/internal/wire"
)

func main() { growth.Main(rows()) }

// input is a way to make hostile bytes.
type input struct {
	name string
	make func(size int) []byte
}

// repeat returns an input of equal parts between a beginning and an end.
func repeat(name, first, part, last string) input {
	return input{name, func(size int) []byte { return []byte(first + strings.Repeat(part, max(1, size/len(part))) + last) }}
}

// series returns an input of parts with their numbers in them.
func series(name, first, format, last string) input {
	return input{name, func(size int) []byte {
		b := []byte(first)
		for i := 0; len(b) < size; i++ {
			b = fmt.Appendf(b, format, i)
		}
		return append(b, last...)
	}}
}

// rows returns each reader with its inputs.
func rows() iter.Seq[growth.Row] {
	return func(yield func(growth.Row) bool) {
		for _, r := range []struct {
			name   string
			inputs []input
			read   func(b []byte) error
		}{
			{"report.Read", reports(), readReport},
			{"report.Merge", reports(), mergeReport},
			{"report.Forms", reports(), showReport},
			{"report.ReadWaivers", waivers(), func(b []byte) error { _, err := report.ReadWaivers("file", bytes.NewReader(b)); return err }},
			{"lists.Parse", checks(), func(b []byte) error {
				l, err := lists.Parse("2026.11", string(b))
				if err == nil {
					_, _ = l.Counts(), l.New(nil)
				}
				return err
			}},
			{"callers.Read", profiles(), func(b []byte) error { _, err := callers.Read(bytes.NewReader(b)); return err }},
			{"callers.ParseSet", sets(), func(b []byte) error {
				s, err := callers.ParseSet(string(b))
				if err == nil {
					_ = s.String()
				}
				return err
			}},
			{"profiler.Decode", spaces(), func(b []byte) error { _, err := profiler.Decode(b); return err }},
		} {
			for _, in := range r.inputs {
				if !yield(growth.Row{Reader: r.name, Input: in.name, Read: r.read, Make: in.make}) {
					return
				}
			}
		}
	}
}

// readReport reads a report, and does with it what merging and comparing do.
func readReport(b []byte) error {
	r, err := report.Read(bytes.NewReader(b))
	if err != nil {
		return err
	}
	r.Block()
	r.Summarize()
	var out bytes.Buffer
	return (report.Text{Columns: 80, Most: report.MostDetails}).Write(r, &out)
}

// mergeReport reads a report that says that it is the only part of a run, merges it with no other,
// and compares it with itself.
func mergeReport(b []byte) error {
	r, err := report.Read(bytes.NewReader(b))
	if err != nil {
		return err
	}
	r.Run.Shard = "1/1"
	all, err := report.Merge([]*report.Report{r})
	if err != nil {
		return err
	}
	report.Differences(r, all)
	return report.WriteChanges(io.Discard, append(report.Diff(r, all), report.Diff(&report.Report{}, all)...))
}

// showReport reads a report and makes every page of it.
func showReport(b []byte) error {
	r, err := report.Read(bytes.NewReader(b))
	if err != nil {
		return err
	}
	failed := []error{r.WriteWaivers(io.Discard), report.WriteOverview(io.Discard, []*report.Report{r})}
	for _, f := range report.Forms() {
		failed = append(failed, f.Write(r, io.Discard))
	}
	return errors.Join(failed...)
}

func reports() []input {
	const (
		begin  = `{"schema":"` + report.SchemaVersion + `",`
		rule   = `"rule":"RUN-01","group":"RUN","level":"L3","severity":"MUST","basis":"H","text":"","subject":"",`
		failed = rule + `"verdict":"FAIL"`
		end    = `{"check":"a",` + failed + `,"duration_ns":0}]}`
	)
	list := []input{
		series("results", begin+`"results":[`, `{"check":"RUN-01/%d",`+failed+`,"failures":["a"]},`, end),
		series("results with findings of their own", begin+`"results":[`, `{"check":"RUN-01/%d",`+failed+`,"failures":["row %[1]d"]},`, end),
		series("results that block each other", begin+`"results":[`,
			`{"check":"RUN-01/%d",`+rule+`"verdict":"BLOCKED","blocked_by":"RUN-01/0","stopped":["PJRT_%[1]d"]},`, end),
		series("results blocked by others", begin+`"results":[`, `{"check":"RUN-01/%d",`+rule+`"verdict":"BLOCKED","blocked_by":"RUN-0%[1]d"},`, end),
		series("results that stopped", begin+`"results":[`,
			`{"check":"RUN-01/%d",`+failed+`,"failures":["PJRT_%[1]d: INTERNAL"],"stopped":["PJRT_%[1]d"]},`, end),
		repeat("results of one name", begin+`"results":[`, `{"check":"RUN-01",`+failed+`,"failures":["a"]},`, end),
		repeat("results with as little text as may be", begin+`"results":[`,
			`{"death":{"how":"","exit_code":0},"waiver":{"reason":"aaaaaaaaaaaaaaaaaaaaaaa"},`+
				`"failures":[""],"notes":[""],"calls":[""],"hung":[""]},`, end),
		repeat("findings of a result", begin+`"results":[{"check":"RUN-01",`+failed+`,"failures":[`, `"a",`, `"a"]}]}`),
		repeat("lines of a finding", begin+`"results":[{"check":"RUN-01",`+failed+`,"failures":["`, `\n`, `"]}]}`),
		repeat("null slots", begin+`"results":[{"check":"LOAD-08","rule":"LOAD-08","severity":"MUST","verdict":"FAIL","failures":[`, `"PJRT_Client_Create",`, `"a"]}]}`),
		repeat("deaths", begin+`"results":[`, `{"check":"RUN-01",`+failed+`,"death":{}},`, end),
		repeat("problems", begin+`"results":[],"problems":[`, `"",`, `""]}`),
		repeat("flaky", begin+`"flaky":[`, `"a",`, `""]}`),
		series("verdicts", begin+`"summary":{"verdicts":{`, `"%d":1,`, `"":1}}}`),
		series("severities", begin+`"summary":{"severities":{`, `"%d":{},`, `"":{}}}}`),
		repeat("the form", `{"schema":"`, `a`, `"}`),
		repeat("spaces", ``, ` `, `{}`),
		repeat("brackets", ``, `[`, ``),
		repeat("unknown members", begin, `"a":[],`, `"b":1}`),
	}
	for _, path := range []string{
		"results", "levels", "groups", "causes", "leads", "blocks", "skew", "waivers", "plugin.attributes",
		"capabilities.extensions", "capabilities.devices", "capabilities.types", "programs.types", "programs.operations", "programs.skips",
	} {
		open, close := `"`+strings.ReplaceAll(path, ".", `":{"`)+`":[`, `]`+strings.Repeat("}", strings.Count(path, "."))
		list = append(list, repeat("empty "+path, begin+open, `{},`, `{}`+close+`}`))
	}
	return list
}

func waivers() []input {
	const waiver = `"verdicts":["FAIL"],"reason":"r"},`
	return []input{
		series("waivers", `{"waivers":[`, `{"check":"EVT-01/%d",`+waiver, `{"check":"EVT-01","verdicts":["FAIL"],"reason":"r"}]}`),
		repeat("empty waivers", `{"waivers":[`, `{},`, `{}]}`),
		repeat("waivers of one check", `{"waivers":[`, `{"check":"EVT-01",`+waiver, `{"check":"EVT-01","verdicts":["FAIL"],"reason":"r"}]}`),
		repeat("a long check", `{"waivers":[{"check":"EVT-01/`, `a`, `",`+waiver[:len(waiver)-1]+`]}`),
		repeat("stars", `{"waivers":[{"check":"`, `*`, `",`+waiver[:len(waiver)-1]+`]}`),
		repeat("a check that is none", `{"waivers":[{"check":"`, `a`, `",`+waiver[:len(waiver)-1]+`]}`),
		repeat("verdicts", `{"waivers":[{"check":"EVT-01","reason":"r","verdicts":[`, `"FAIL",`, `"FAIL"]}]}`),
		repeat("a verdict that is none", `{"waivers":[{"check":"EVT-01","reason":"r","verdicts":["`, `a`, `"]}]}`),
		repeat("digests", `{"waivers":[{"check":"EVT-01","reason":"r","verdicts":["FAIL"],"digests":[`, `"0123456789ab",`, `"0123456789ab"]}]}`),
		repeat("a digest that is none", `{"waivers":[{"check":"EVT-01","reason":"r","verdicts":["FAIL"],"digests":["`, `a`, `"]}]}`),
		repeat("a day", `{"waivers":[{"check":"EVT-01","reason":"r","verdicts":["FAIL"],"expires":"`, `a`, `"}]}`),
		repeat("a link", `{"waivers":[{"check":"EVT-01","reason":"r","verdicts":["FAIL"],"link":"`, `a`, `"}]}`),
		{"a version that repeats much", func(size int) []byte {
			return []byte(`{"plugin":{"version":"` + strings.Repeat(`(.*){1000}`, min(size, 200)/10) + `"}}`)
		}},
		repeat("a version", `{"plugin":{"version":"`, `(a|b)*`, `"}}`),
		repeat("a version that is none", `{"plugin":{"version":"`, `(`, `"}}`),
		repeat("the file of a plugin", `{"plugin":{"file":"`, `*`, `"}}`),
		repeat("the file of a plugin that is none", `{"plugin":{"file":"`, `a`, `["}}`),
		repeat("versions of the API", `{"plugin":{"api":"`, `0.1-`, `0.2"}}`),
		repeat("a member that is none", `{"`, `a`, `":1}`),
		repeat("lines", `{`, "\n", `"a":1}`),
		repeat("brackets", ``, `[`, ``),
	}
}

func checks() []input {
	return []input{
		series("checks", "[L1]\n", "EVT-01/%d\n", ""),
		series("checks of short names", "[L1]\n", "%x\n", ""),
		series("levels", "", "[%d]\n", ""),
		series("checks of levels", "", "[%d]\nEVT-%[1]d\n", ""),
		repeat("one check", "[L1]\n", "a\n", ""),
		repeat("a long check", "[L1]\n", "a", "\n"),
		repeat("a long check without a level", "", "a", "\n"),
		repeat("comments", "", "#\n", ""),
		repeat("empty lines", "", "\n", ""),
	}
}

func profiles() []input {
	const head = "# jax@0.8.1 with jax 0.8.1\nsubject\tmode\toutcomes\tinstead\twhy: start end\n"
	const whole = "-\twhole\t..\n"
	const one = "# a with b\nsubject\tmode\toutcomes\tinstead\twhy: a\n-\twhole\t.\n"
	return []input{
		series("rows", head+whole, "PJRT_%07d\tnull\tDD\n", ""),
		series("rows off the host", head+whole, "PJRT_%07d\tnull@off-host\tDD\n", ""),
		series("calls", head+whole, "PJRT_%d\tcalls\t1 1\n", ""),
		repeat("one row", head+whole, "PJRT_A\tnull\tDD\n", ""),
		repeat("rows without names", one, "\t\tD\n", ""),
		series("rows of short names", one, "%06x\tnull\tD\n", ""),
		series("calls of short names", one, "%x\tcalls\t1\n", ""),
		repeat("outcomes", head+whole+"PJRT_A\tnull\t", "D", "\n"),
		repeat("outcomes that are none", head+whole+"PJRT_A\tnull\t", "x", "\n"),
		repeat("counts", head+whole+"PJRT_A\tcalls\t", "1 ", "\n"),
		repeat("a count that is none", head+whole+"PJRT_A\tcalls\t", "x", "\n"),
		repeat("digits of a count", head+whole+"PJRT_A\tcalls\t", "1", "\n"),
		repeat("functions instead", head+whole+"PJRT_A\tnull\tDD\t", "a ", "\n"),
		repeat("fields", head+whole+"PJRT_A\tnull\tDD\t", "\t", "\n"),
		repeat("actions", "# jax@0.8.1 with jax 0.8.1\nsubject\tmode\toutcomes\tinstead\twhy: ", "a ", "\n"),
		repeat("versions", "# jax@0.8.1 with ", "a, ", "\n"),
		repeat("empty lines", head, "\n", ""),
		repeat("one line", "", "a", ""),
	}
}

func sets() []input {
	return []input{
		series("faults", "", "PJRT_%d:null ", "\t.\t.\t"),
		repeat("outcomes", "a:null\t", ".", "\t.\t"),
		repeat("other outcomes", "a:null\t.\t", ".", "\t"),
		repeat("outcomes that are none", "a:null\t", "x", "\t.\t"),
		repeat("a fault that is none", "", "a", "\t.\t.\t"),
		repeat("tabs", "", "\t", ""),
		repeat("colons", "", ":", "\t.\t.\t"),
	}
}

// field returns a field that holds a message or a text.
func field(number wire.Number, contents ...[]byte) []byte {
	return wire.AppendBytes(nil, number, bytes.Join(contents, nil))
}

func spaces() (list []input) {
	add := func(name string, fill func(part func(wire.Number) []byte) []byte, in func([]byte) []byte) {
		list = append(list, input{name, func(size int) []byte {
			part := fill(func(n wire.Number) []byte { return field(n) })
			return in(bytes.Repeat(part, max(1, size/len(part))))
		}})
	}
	whole := func(b []byte) []byte { return b }
	plane := func(b []byte) []byte { return field(1, b) }
	line := func(b []byte) []byte { return field(1, field(3, b)) }
	event := func(b []byte) []byte { return field(1, field(3, field(4, b))) }
	for n := range wire.Number(12) {
		part := func(f func(wire.Number) []byte) []byte { return f(n + 1) }
		add(fmt.Sprintf("field %d of a space", n+1), part, whole)
		add(fmt.Sprintf("field %d of a plane", n+1), part, plane)
		add(fmt.Sprintf("field %d of a line", n+1), part, line)
		add(fmt.Sprintf("field %d of an event", n+1), part, event)
	}
	named := func(n wire.Number) {
		list = append(list, input{fmt.Sprintf("entries of field %d of a plane", n), func(size int) []byte {
			var b []byte
			for i := 0; len(b) < size; i++ {
				key := wire.AppendInt(nil, 1, i)
				b = append(b, field(n, key, field(2, key, field(2, []byte("a"))))...)
			}
			return field(1, b)
		}})
	}
	named(4)
	named(5)
	long := input{"events that refer to one long name", func(size int) []byte {
		key := wire.AppendInt(nil, 1, 1)
		names := field(4, key, field(2, key, field(2, bytes.Repeat([]byte("a"), size/2))))
		events := bytes.Repeat(field(4, key), max(1, size/2/4))
		return field(1, names, field(3, events))
	}}
	return append(list, long)
}
