// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package report

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/purepjrt/purepjrt/internal/outside"
)

type junitSuites struct {
	XMLName  xml.Name     `xml:"testsuites"`
	Name     string       `xml:"name,attr"`
	Tests    int          `xml:"tests,attr"`
	Failures int          `xml:"failures,attr"`
	Errors   int          `xml:"errors,attr"`
	Skipped  int          `xml:"skipped,attr"`
	Time     string       `xml:"time,attr"`
	Suites   []junitSuite `xml:"testsuite"`
}

type junitSuite struct {
	Name       string          `xml:"name,attr"`
	Tests      int             `xml:"tests,attr"`
	Failures   int             `xml:"failures,attr"`
	Errors     int             `xml:"errors,attr"`
	Skipped    int             `xml:"skipped,attr"`
	Time       string          `xml:"time,attr"`
	Timestamp  string          `xml:"timestamp,attr"`
	Properties []junitProperty `xml:"properties>property"`
	Cases      []junitCase     `xml:"testcase"`
}

type junitProperty struct {
	Name  string `xml:"name,attr"`
	Value string `xml:"value,attr"`
}

type junitCase struct {
	Name    string        `xml:"name,attr"`
	Class   string        `xml:"classname,attr"`
	Time    string        `xml:"time,attr"`
	Failure *junitProblem `xml:"failure,omitempty"`
	Error   *junitProblem `xml:"error,omitempty"`
	Skipped *junitProblem `xml:"skipped,omitempty"`
	Out     string        `xml:"system-out,omitempty"`
}

type junitProblem struct {
	Message string `xml:"message,attr"`
	Type    string `xml:"type,attr,omitempty"`
	Text    string `xml:",chardata"`
}

// WriteJUnit writes the report as JUnit XML, with a suite for each group of rules and a
// case for each check. A result that breaks conformance is a failure. A process that died
// and a fault of the suite are errors. A warning passes, with its findings as output. A
// waived failure and a blocked check count as skipped.
func (r *Report) WriteJUnit(out io.Writer) error {
	out = outside.Writer(out)
	all := junitSuites{Name: "PJRT conformance of " + clean(r.Plugin.File), Time: seconds(r.Duration)}
	for _, g := range r.Groups {
		s := junitSuite{
			Name: g.Name + ": " + g.Title, Timestamp: r.Started.Format("2006-01-02T15:04:05"),
			Properties: []junitProperty{{"level", g.Level}, {"plugin", clean(r.Plugin.identify())}, {"suite", r.Suite.Version}, {"list", r.Run.List}},
		}
		var took time.Duration
		for i := range r.Results {
			x := &r.Results[i]
			if x.Group != g.Name {
				continue
			}
			c := x.junit()
			took += x.Duration
			s.Tests++
			switch {
			case c.Failure != nil:
				s.Failures++
			case c.Error != nil:
				s.Errors++
			case c.Skipped != nil:
				s.Skipped++
			}
			s.Cases = append(s.Cases, c)
		}
		if s.Tests == 0 {
			continue
		}
		s.Time = seconds(took)
		all.Tests, all.Failures = all.Tests+s.Tests, all.Failures+s.Failures
		all.Errors, all.Skipped = all.Errors+s.Errors, all.Skipped+s.Skipped
		all.Suites = append(all.Suites, s)
	}
	if _, err := io.WriteString(out, xml.Header); err != nil {
		return err
	}
	e := xml.NewEncoder(out)
	e.Indent("", "  ")
	if err := e.Encode(all); err != nil {
		return err
	}
	_, err := io.WriteString(out, "\n")
	return err
}

func (x *Result) junit() junitCase {
	c := junitCase{Name: x.Check, Class: "pjrt." + x.Level + "." + x.Group, Time: seconds(x.Duration)}
	problem := &junitProblem{Message: clean(x.headline()), Type: string(x.Verdict), Text: clean(x.Details())}
	switch {
	case x.Verdict == Pass:
	case x.Verdict == Waived:
		c.Skipped = &junitProblem{Message: clean("waived: " + x.Waiver.Reason)}
		c.Out = problem.Text
	case x.Verdict == Blocked:
		c.Skipped = &junitProblem{Message: clean(x.why()), Type: string(x.Verdict)}
		c.Out = problem.Text
	case x.Verdict.Skipped():
		c.Skipped = &junitProblem{Message: clean(x.Skip), Type: string(x.Verdict)}
	case !x.Broken() && x.Verdict != BrokenCheck:
		c.Out = problem.Text
	case x.Verdict == Crash || x.Verdict == Abort || x.Verdict == Timeout || x.Verdict == BrokenCheck:
		c.Error = problem
	default:
		c.Failure = problem
	}
	return c
}

// headline returns the first finding.
func (x *Result) headline() string {
	if len(x.Failures) > 0 {
		first, _, _ := strings.Cut(x.Failures[0], "\n")
		return first
	}
	return x.Verdict.Meaning()
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.3f", d.Seconds()) }

// clean drops characters that XML cannot contain.
func clean(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\t' || r == '\n' || r == '\r' || r >= 0x20 && r <= 0xD7FF || r >= 0xE000 && r <= 0xFFFD || r >= 0x10000 && r <= 0x10FFFF:
			return r
		}
		return -1
	}, strings.ToValidUTF8(s, "\uFFFD"))
}
