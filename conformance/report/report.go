// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package report holds the report of a run of the conformance suite: the data, its JSON form,
// and the pages made from it.
//
// The file schema.json, which is embedded as Schema, describes the JSON form. Fields may be
// added to the form; a field keeps its name and meaning as long as SchemaVersion stays the
// same.
package report

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/purepjrt/purepjrt/conformance/internal/sparse"
	"github.com/purepjrt/purepjrt/conformance/rules"
	"github.com/purepjrt/purepjrt/internal/excerpt"
	"github.com/purepjrt/purepjrt/internal/outside"
)

// SchemaVersion names the JSON form. The name of every version begins with SchemaFamily.
const (
	SchemaFamily  = "purepjrt.conformance/"
	SchemaVersion = SchemaFamily + "1"
)

// Schema is the JSON Schema of a report.
//
//go:embed schema.json
var Schema []byte

// Verdict is the outcome of a check.
type Verdict string

// The verdicts.
const (
	Pass           Verdict = "PASS"
	Fail           Verdict = "FAIL"
	Crash          Verdict = "CRASH"   // the process ended by a signal
	Abort          Verdict = "ABORT"   // the plugin ended the process
	Timeout        Verdict = "TIMEOUT" // no answer within the limit
	Warn           Verdict = "WARN"    // a SHOULD or ROBUST rule failed
	SkipAbsent     Verdict = "SKIP-ABSENT"
	SkipUnimpl     Verdict = "SKIP-UNIMPL"
	SkipEnv        Verdict = "SKIP-ENV"
	Waived         Verdict = "WAIVED"          // failed, as a waiver said
	UnexpectedPass Verdict = "UNEXPECTED-PASS" // passed, although a waiver said it fails
	Flaky          Verdict = "FLAKY"           // reruns gave different verdicts
	Blocked        Verdict = "BLOCKED"         // stopped by the failure of another check
	BrokenCheck    Verdict = "BROKEN-CHECK"    // the check itself is at fault, and says nothing about the plugin
)

// Verdicts returns every verdict, the worst first.
func Verdicts() []Verdict {
	return []Verdict{
		Crash, Abort, Timeout, Fail, BrokenCheck, Flaky, UnexpectedPass, Blocked, Warn, Waived, SkipAbsent, SkipUnimpl, SkipEnv, Pass,
	}
}

// Meaning describes a verdict in words.
func (v Verdict) Meaning() string {
	switch v {
	case Pass:
		return "the plugin keeps the rule"
	case Fail:
		return "the plugin breaks the rule"
	case Crash:
		return "the process died of a signal"
	case Abort:
		return "the plugin ended the process"
	case Timeout:
		return "no answer within the time limit"
	case Warn:
		return "the plugin breaks a SHOULD or ROBUST rule"
	case SkipAbsent:
		return "the plugin is older than the function or field that the rule is about"
	case SkipUnimpl:
		return "the plugin answers UNIMPLEMENTED, as it may"
	case SkipEnv:
		return "this machine or these devices cannot show it"
	case Waived:
		return "the check failed as a waiver says"
	case UnexpectedPass:
		return "the check passed although a waiver says that it fails"
	case Flaky:
		return "the verdict differed from run to run"
	case Blocked:
		return "it needs a function that does not work, and another check already fails for that"
	case BrokenCheck:
		return "the check itself is at fault, and says nothing about the plugin: please report it"
	}
	return string(v)
}

// Skipped reports whether the check did not run to its end because something was missing.
func (v Verdict) Skipped() bool {
	return v == SkipAbsent || v == SkipUnimpl || v == SkipEnv
}

// Failed reports whether the check found a fault, whatever the rule's severity.
func (v Verdict) Failed() bool {
	return v == Fail || v == Crash || v == Abort || v == Timeout || v == Warn
}

// Report is the result of a run.
type Report struct {
	Schema   string        `json:"schema"` // SchemaVersion
	Suite    Suite         `json:"suite"`
	Started  time.Time     `json:"started"`
	Duration time.Duration `json:"duration_ns"`
	Machine  Machine       `json:"machine"`
	Plugin   Plugin        `json:"plugin"`
	Run      Run           `json:"run"`
	// Capabilities says what the plugin can do.
	Capabilities Capabilities `json:"capabilities"`
	Verdict      Outcome      `json:"verdict"`
	Levels       []Level      `json:"levels"`
	Groups       []Group      `json:"groups"`
	Summary      Summary      `json:"summary"`
	// Causes are the reasons for which several checks failed, the most frequent first.
	Causes []Cause `json:"causes,omitempty"`
	// Leads are what to mend first, at most three, beginning with the one on which most results
	// depend.
	Leads []Lead `json:"leads,omitempty"`
	// Blocks are the failures that keep other checks from running to their end, beginning
	// with the one that blocks the most.
	Blocks []Block `json:"blocks,omitempty"`
	// Flaky are the checks whose verdict differs from run to run.
	Flaky []string `json:"flaky,omitempty"`
	// Results are in the order of the contract.
	Results []Result `json:"results"`
	// Programs is set if the checks were programs.
	Programs *Programs `json:"programs,omitempty"`
	// Skew says how the plugin serves older and newer callers, by struct and size.
	Skew []Skew `json:"skew,omitempty"`
	// Waivers are the waivers that apply to this plugin.
	Waivers []WaiverUse `json:"waivers,omitempty"`
	// Problems are the problems that occurred outside any check.
	Problems []string `json:"problems,omitempty"`
}

// Outcome is the verdict of a whole run.
type Outcome string

// The outcomes.
const (
	Conformant    Outcome = "conformant"     // no MUST or OPT rule was found broken
	WithWaivers   Outcome = "with waivers"   // all broken rules are waived
	NotConformant Outcome = "not conformant" // a rule is broken and nothing excuses it
	Incomplete    Outcome = "incomplete"     // interrupted, or nothing could be checked
)

// Suite describes the suite that made the report.
type Suite struct {
	Version  string `json:"version"`            // of the module; (devel) if unknown
	Revision string `json:"revision,omitempty"` // of its source
	API      string `json:"api"`                // newest PJRT API that the suite knows
	Rules    int    `json:"rules"`              // in the contract
	Checks   int    `json:"checks"`             // in the suite, in all profiles
	Covered  int    `json:"covered"`            // rules that have a check
	Go       string `json:"go"`
}

// Machine describes the machine on which the suite ran.
type Machine struct {
	OS        string `json:"os"`
	Arch      string `json:"arch"`
	CPUs      int    `json:"cpus"`
	Processor string `json:"processor,omitempty"`
	Memory    int64  `json:"memory_bytes,omitempty"`
	System    string `json:"system,omitempty"` // such as the name of the distribution
}

// Plugin describes the plugin that was checked.
type Plugin struct {
	Path            string      `json:"path,omitempty"` // empty for a table made in the process
	File            string      `json:"file"`           // name of the library's file
	Size            int64       `json:"size,omitempty"`
	SHA256          string      `json:"sha256,omitempty"`
	Major           int         `json:"api_major"`
	Minor           int         `json:"api_minor"`
	Platform        string      `json:"platform,omitempty"`
	PlatformVersion string      `json:"platform_version,omitempty"`
	Attributes      []Attribute `json:"attributes,omitempty"`
}

// API returns the version of the API that the plugin states.
func (p *Plugin) API() string { return fmt.Sprintf("%d.%d", p.Major, p.Minor) }

// Attribute is a named value of the plugin.
type Attribute struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Run has the options of the run.
type Run struct {
	Profile string   `json:"profile"`
	Levels  []string `json:"levels,omitempty"` // empty: all
	Filter  string   `json:"filter,omitempty"`
	// List is the list of checks by which the plugin is judged, such as 2026.11.
	List string `json:"list,omitempty"`
	// Shard is the part of the checks that ran, such as 2/3, if machines share the work.
	Shard string `json:"shard,omitempty"`
	// Only is how many checks were chosen by name.
	Only    int      `json:"only,omitempty"`
	Options []string `json:"options,omitempty"`
	// Topology is the topology for which programs are compiled where there is no client.
	// UsualTopology says that it is the suite's choice for the platform, because the
	// options named none.
	Topology        string   `json:"topology,omitempty"`
	TopologyOptions []string `json:"topology_options,omitempty"`
	UsualTopology   bool     `json:"usual_topology,omitempty"`
	TimeoutFactor   float64  `json:"timeout_factor"`
	Jobs            int      `json:"jobs"`
	// Bound is how long the run might take at most.
	Bound time.Duration `json:"bound_ns,omitempty"`
	// NoDevice says why the run used no client, and compiled programs only ahead of time.
	NoDevice string `json:"no_device,omitempty"`
	// Artifacts says why programs were compiled as portable artifacts of StableHLO: it is the
	// plugin's error for a text.
	Artifacts   string `json:"artifacts,omitempty"`
	Interrupted bool   `json:"interrupted,omitempty"`
	// Left is how many chosen checks did not run because of an interruption.
	Left int `json:"left,omitempty"`
}

// Ahead says why no device was used, and for which topology programs were compiled
// instead.
func (r *Run) Ahead() string {
	text := strings.Join(strings.Fields(r.NoDevice), " ")
	if r.NoDevice == "" || r.Topology == "" {
		return text
	}
	text += "; programs are compiled for the topology " + r.Topology
	if r.UsualTopology {
		text += ", the suite's choice for this platform"
	}
	return text
}

// Sent says how programs were compiled if the plugin does not take text.
func (r *Run) Sent() string {
	if r.Artifacts == "" {
		return ""
	}
	return "compiled as portable artifacts, which JAX sends, since the plugin refuses StableHLO text: " +
		strings.Join(strings.Fields(r.Artifacts), " ")
}

// Capabilities says what the plugin can do, as far as the suite found out before the checks.
type Capabilities struct {
	TableSize     int      `json:"table_size"`
	Functions     int      `json:"functions"`     // present in the table
	NullSlots     []string `json:"null_slots"`    // slots of the stated minor that are null
	Missing       []string `json:"missing"`       // functions newer than the plugin
	Unimplemented []string `json:"unimplemented"` // functions that answer UNIMPLEMENTED
	// Worked are the functions that succeeded in some check.
	Worked       []string    `json:"worked,omitempty"`
	Extensions   []Extension `json:"extensions"` //
	ChainError   string      `json:"chain_error,omitempty"`
	ProcessIndex int         `json:"process_index"`
	Devices      []Device    `json:"devices"`
	Memories     []string    `json:"memories"` // kinds of the addressable memories
	Types        []Type      `json:"types"`
	// ClientTime is how long it took to make a client.
	ClientTime time.Duration `json:"client_ns,omitempty"`
	// Exclusive says why a second process could not make a client, if that is so. Then
	// only one process at a time ran checks.
	Exclusive string `json:"exclusive,omitempty"`
	// Topology is the platform of the topology that a run without a client used.
	Topology string `json:"topology,omitempty"`
}

// Extension is a node of the plugin's chain.
type Extension struct {
	Type int    `json:"type"`
	Name string `json:"name"`
	Size int    `json:"size"`
}

// Device is a device of the client.
type Device struct {
	ID          int    `json:"id"`
	Kind        string `json:"kind"`
	Description string `json:"description"`
	Addressable bool   `json:"addressable"`
}

// Type is an element type and the outcome of its upload.
type Type struct {
	Name    string `json:"name"`
	Uploads bool   `json:"uploads"`
	Problem string `json:"problem,omitempty"`
}

// Level is one level of the contract.
type Level struct {
	Name  string     `json:"name"` // L0 to L4, X, Q
	Title string     `json:"title"`
	State LevelState `json:"state"`
	// Reason says why the level is not reached, if it is not.
	Reason string `json:"reason,omitempty"`
	Counts Counts `json:"counts"`
}

// LevelState says whether a level is reached.
type LevelState string

// The states of a level. A level is reached only if those before it are.
const (
	Reached       LevelState = "reached"
	ReachedWaived LevelState = "with waivers" // all failures are waived: no badge
	InPart        LevelState = "in part"      // no rule was found broken, but not everything ran
	NotReached    LevelState = "not reached"
	NotRun        LevelState = "not run"
)

// Counts says how many checks had each outcome.
type Counts struct {
	Pass    int `json:"pass"`
	Fail    int `json:"fail"` // FAIL, CRASH, ABORT, TIMEOUT, FLAKY of a binding rule, UNEXPECTED-PASS
	Warn    int `json:"warn"` // WARN, FLAKY of a SHOULD rule, failures that the list does not have
	Waived  int `json:"waived"`
	Blocked int `json:"blocked"`
	Skipped int `json:"skipped"` // BROKEN-CHECK, too
}

// Total returns the number of checks counted.
func (c Counts) Total() int { return c.Pass + c.Fail + c.Warn + c.Waived + c.Blocked + c.Skipped }

// idle returns how many of the checks did not come to a verdict of their own.
func (c Counts) idle() int { return c.Blocked + c.Skipped }

// Add counts a result. One whose verdict differs from run to run fails only if its rule binds.
func (c *Counts) Add(x *Result) {
	switch {
	case x.Verdict == Pass:
		c.Pass++
	case x.Verdict == Warn, x.Verdict == Flaky && !x.binding(), x.Verdict.Failed() && x.Unlisted:
		c.Warn++
	case x.Verdict == Waived:
		c.Waived++
	case x.Verdict == Blocked:
		c.Blocked++
	case x.Verdict.Skipped(), x.Verdict == BrokenCheck:
		c.Skipped++
	default:
		c.Fail++
	}
}

// Group is a group of rules with the outcomes of its checks.
type Group struct {
	Name   string `json:"name"`
	Level  string `json:"level"`
	Title  string `json:"title"`
	Counts Counts `json:"counts"`
	// Rules is how many rules the group has, and Checked is how many of them were checked.
	Rules   int `json:"rules"`
	Checked int `json:"checked"`
}

// Summary has the numbers of the run.
type Summary struct {
	Checks     Counts                    `json:"checks"`
	Verdicts   map[Verdict]int           `json:"verdicts"`
	Severities map[rules.Severity]Counts `json:"severities"`
	// Rules counts rules; the worst check of a rule counts.
	Rules RuleCounts `json:"rules"`
	// Quality is 0 to 100: the share of SHOULD and quality checks that passed,
	// weighted by where the rule comes from. It is -1 when none ran.
	Quality int `json:"quality"`
}

// RuleCounts counts the rules of the contract.
type RuleCounts struct {
	Total   int `json:"total"`
	Covered int `json:"covered"` // rules that have a check in the suite
	Checked int `json:"checked"` // rules with a check that came to a verdict
	Kept    int `json:"kept"`    // rules whose checks passed, as far as they came to a verdict
	Blocked int `json:"blocked"` // rules of which no check came to a verdict, and some were blocked
	Skipped int `json:"skipped"` // rules whose checks were all skipped
	// BySeverity has Checked for each severity.
	BySeverity map[rules.Severity]int `json:"checked_by_severity"`
}

// Result is the result of a check.
type Result struct {
	Check    string         `json:"check"`
	Rule     string         `json:"rule"`
	Group    string         `json:"group"`
	Level    string         `json:"level"` // a blocked check counts for the level of what blocks it, if that is higher
	Severity rules.Severity `json:"severity"`
	Basis    rules.Basis    `json:"basis"`
	Text     string         `json:"text"`    // the rule in words
	Subject  string         `json:"subject"` // the functions that the rule is about, or its subject
	Verdict  Verdict        `json:"verdict"`
	// Unlisted says that the check is not on the list of the run: it is not binding yet.
	Unlisted bool `json:"unlisted,omitempty"`
	// Found is the verdict before waivers and blocking; it is left out if it is the same.
	Found    Verdict  `json:"found,omitempty"`
	Failures []string `json:"failures,omitempty"` // what was expected and what was found
	Notes    []string `json:"notes,omitempty"`
	Skip     string   `json:"skip,omitempty"`
	// Stopped are the functions whose errors alone made the check fail, or without which it
	// was skipped.
	Stopped []string `json:"stopped,omitempty"`
	// Hung are the functions that had not returned when the check was over.
	Hung []string `json:"hung,omitempty"`
	// BlockedBy is the check whose failure blocks this one.
	BlockedBy string `json:"blocked_by,omitempty"`
	// Digest identifies what was found: the message, or the places of the elements that
	// differ. Only failures have one.
	Digest string `json:"digest,omitempty"`
	// DigestWithLines is another digest, in which places in the plugin's source count.
	DigestWithLines string `json:"digest_with_lines,omitempty"`
	// Varies says that runs of the check had the same verdict and different digests.
	Varies bool `json:"varies,omitempty"`
	// Changed says how a failure differs from what its waiver says was found. Such a
	// failure is not excused.
	Changed string `json:"changed,omitempty"`
	Death   *Death `json:"death,omitempty"`
	// Calls are the last calls before the process died or hung, the newest first.
	Calls    []string      `json:"calls,omitempty"`
	Waiver   *Waiver       `json:"waiver,omitempty"`
	Attempts []Verdict     `json:"attempts,omitempty"` // the verdicts of a check that was run again
	Duration time.Duration `json:"duration_ns"`
	// Compiles is how many programs the check gave to a compiler.
	Compiles  int    `json:"compiles,omitempty"`
	Reproduce string `json:"reproduce,omitempty"` // command that runs just this check
}

// Death says how the process of a check ended.
type Death struct {
	How      string   `json:"how"`              // in words
	Signal   string   `json:"signal,omitempty"` // such as SIGSEGV
	ExitCode int      `json:"exit_code"`
	Frames   []string `json:"frames,omitempty"` // the place in the check
	Output   []string `json:"output,omitempty"` // the last lines that the process wrote
}

// Skew is the outcome for one struct size, which callers older or newer than the plugin send.
type Skew struct {
	Struct  string `json:"struct"`          // C name of the struct, or of the function whose args it is
	Size    int    `json:"size"`            // the struct_size that was sent
	Callers string `json:"callers"`         // API versions of the callers, such as 0.61 to 0.77
	Since   int    `json:"since,omitempty"` // the first API minor of these callers
	Until   int    `json:"until,omitempty"` // the last one; 0 if the newest known one still has that size
	Newer   int    `json:"newer,omitempty"` // bytes beyond the newest known size, which a future caller sends
	Outcome string `json:"outcome"`         // works, refused, or what went wrong
	OK      bool   `json:"ok"`
	Check   string `json:"check"`
}

// Read reads the JSON form of a report. A long list whose entries lack almost everything is an
// error, since it would take far more memory than its text.
func Read(in io.Reader) (*Report, error) {
	var text json.RawMessage
	err := json.NewDecoder(outside.Reader(in)).Decode(&text)
	var r Report
	if err == nil {
		err = sparse.Unmarshal(text, &r)
	}
	if err != nil {
		return nil, fmt.Errorf("not a report of the conformance suite: %w", short(err))
	}
	if r.Schema != SchemaVersion {
		return nil, fmt.Errorf("the report has the form %q, but this program can only read %q", excerpt.Of(r.Schema), SchemaVersion)
	}
	if err := r.checkLeads(); err != nil {
		return nil, fmt.Errorf("the report is damaged: %w", err)
	}
	return &r, nil
}

// WriteJSON writes the JSON form.
func (r *Report) WriteJSON(out io.Writer) error {
	e := json.NewEncoder(outside.Writer(out))
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(r)
}

// byCheck returns the results by the names of their checks, of two with one name the first.
func (r *Report) byCheck() map[string]*Result {
	results := make(map[string]*Result, len(r.Results))
	for i := range r.Results {
		if x := &r.Results[i]; results[x.Check] == nil {
			results[x.Check] = x
		}
	}
	return results
}

// Result returns the result of a check, or nil if there is none.
func (r *Report) Result(check string) *Result {
	for i := range r.Results {
		if r.Results[i].Check == check {
			return &r.Results[i]
		}
	}
	return nil
}
