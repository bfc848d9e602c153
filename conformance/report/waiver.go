// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package report

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/purepjrt/purepjrt/conformance/internal/sparse"
	"github.com/purepjrt/purepjrt/conformance/rules"
	"github.com/purepjrt/purepjrt/internal/excerpt"
	"github.com/purepjrt/purepjrt/internal/outside"
)

// WaiverFile is a list of known failures of a plugin.
type WaiverFile struct {
	// Name is the name of the file, not part of its content.
	Name string `json:"-"`
	// Ships says that the file comes with the suite, and was not passed by the user. It is not
	// part of the file's content.
	Ships   bool        `json:"-"`
	Plugin  PluginMatch `json:"plugin"`
	Waivers []Waiver    `json:"waivers"`
}

// PluginMatch says which plugins a waiver file is for. An empty field matches every plugin.
type PluginMatch struct {
	Name     string `json:"name"`               // for people
	Platform string `json:"platform,omitempty"` // the client's platform name
	API      string `json:"api,omitempty"`      // such as 0.81, or a range 0.75-0.81
	File     string `json:"file,omitempty"`     // pattern of the library's name, such as libtpu*.so
	Version  string `json:"version,omitempty"`  // short regular expression, of the platform version
	SHA256   string `json:"sha256,omitempty"`
}

// Waiver excuses failures of the checks that it names.
type Waiver struct {
	// Check is the id of a rule, which stands for all its checks, or the name of a check,
	// or a pattern for names in which * stands for any text.
	Check string `json:"check"`
	// Verdicts are the verdicts that are excused. With PASS among them, the check may pass
	// as well.
	Verdicts []Verdict `json:"verdicts"`
	// Digests identify what was found, see Result.Digest. If there are several, each is
	// excused. A failure with another digest is not. If there are none, any finding is
	// excused, as long as its verdict is.
	Digests []string `json:"digests,omitempty"`
	// Varies says why the finding differs from run to run, or from machine to machine. Such
	// a waiver has no digests.
	Varies string `json:"varies,omitempty"`
	Reason string `json:"reason"`
	// Witness says how it is known that the plugin is wrong, rather than the suite.
	Witness string `json:"witness,omitempty"`
	Link    string `json:"link,omitempty"`
	Expires string `json:"expires,omitempty"` // a day, 2027-12-31; empty: never
}

// WaiverUse is a waiver that applies to the plugin, with the checks that it excused.
type WaiverUse struct {
	Waiver
	File    string   `json:"file"`
	Ships   bool     `json:"ships,omitempty"` // the file comes with the suite
	Excused []string `json:"excused"`
	Problem string   `json:"problem,omitempty"` // expired, stale, or of no use

	seen []Verdict // of the checks that it covers, before waivers
}

// stale says why the waiver waives nothing any more, or returns "". A check that may pass
// proves nothing by passing once, nor does one that this machine cannot run.
func (u *WaiverUse) stale() string {
	mayPass := slices.Contains(u.Verdicts, Pass) && len(u.seen) == 1
	passed, lacking := 0, 0
	for _, v := range u.seen {
		switch {
		case v == Pass && !mayPass:
			passed++
		case v == SkipAbsent || v == SkipUnimpl:
			lacking++
		default:
			return ""
		}
	}
	switch {
	case passed > 0:
		return "stale: what it covers passes"
	case lacking > 0:
		return "stale: the plugin lacks what it is about"
	}
	return ""
}

// maxWaiverFile limits the size of a file that ReadWaivers reads.
const maxWaiverFile = 16 << 20

// maxVersion limits the length of a regular expression: of each byte the compiler makes hundreds,
// and many thousands where something is repeated.
const maxVersion = 200

// ReadWaivers reads a waiver file. The error says what is wrong with which waiver.
func ReadWaivers(name string, in io.Reader) (*WaiverFile, error) {
	text, err := io.ReadAll(io.LimitReader(outside.Reader(in), maxWaiverFile+1))
	if err != nil {
		return nil, fmt.Errorf("waivers %s: %w", name, err)
	}
	if len(text) > maxWaiverFile {
		return nil, fmt.Errorf("waivers %s: the file is larger than %d MiB", name, maxWaiverFile>>20)
	}
	f := &WaiverFile{Name: name}
	if err := sparse.Check(text, f); err != nil {
		return nil, fmt.Errorf("waivers %s: %w", name, short(err))
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(f); err != nil {
		return nil, fmt.Errorf("waivers %s: %w", name, place(text, d.InputOffset(), err))
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, fmt.Errorf("waivers %s: there is text after the end of the list", name)
	}
	if err := f.check(); err != nil {
		return nil, fmt.Errorf("waivers %s: %w", name, err)
	}
	return f, nil
}

// place adds the number of the line to an error of the decoder.
func place(text []byte, offset int64, err error) error {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.Is(err, io.EOF) && len(bytes.TrimSpace(text)) == 0:
		return errors.New("the file is empty")
	case errors.Is(err, io.ErrUnexpectedEOF):
		offset = int64(len(text))
	case errors.As(err, &syntax):
		offset = syntax.Offset
	case errors.As(err, &kind):
		offset = kind.Offset
	}
	line := 1 + bytes.Count(text[:min(max(offset, 0), int64(len(text)))], []byte("\n"))
	return fmt.Errorf("line %d: %w", line, short(err))
}

// short returns an error whose text is not as long as what the file has.
func short(err error) error {
	if text := err.Error(); excerpt.Of(text) != text {
		return errors.New(excerpt.Of(text))
	}
	return err
}

func (f *WaiverFile) check() error {
	if _, _, err := apiRange(f.Plugin.API); err != nil {
		return err
	}
	if _, err := path.Match(f.Plugin.File, ""); err != nil {
		return fmt.Errorf("plugin.file %q: %w", excerpt.Of(f.Plugin.File), err)
	}
	if n := len(f.Plugin.Version); n > maxVersion {
		return fmt.Errorf("plugin.version has %d bytes, and may have %d: name the part of the version that tells plugins apart", n, maxVersion)
	}
	if _, err := regexp.Compile(f.Plugin.Version); err != nil {
		return fmt.Errorf("plugin.version: %w", short(err))
	}
	for i := range f.Waivers {
		if err := f.Waivers[i].check(); err != nil {
			return fmt.Errorf("waiver %d (%s): %w", i+1, excerpt.Of(f.Waivers[i].Check), err)
		}
	}
	return nil
}

// excusable are the verdicts that a waiver may name.
var excusable = []Verdict{Fail, Crash, Abort, Timeout, Warn, Flaky, Pass}

func (w *Waiver) check() error {
	id, _, _ := strings.Cut(w.Check, "/")
	switch {
	case w.Check == "":
		return errors.New("it names no check")
	case !strings.Contains(id, "*") && rules.ByID(id) == nil:
		return fmt.Errorf("there is no rule %q", excerpt.Of(id))
	case strings.TrimSpace(w.Reason) == "":
		return errors.New("it gives no reason")
	case len(w.Verdicts) == 0:
		return fmt.Errorf("it names no verdicts: name some of %v", excusable)
	}
	for _, v := range w.Verdicts {
		if !slices.Contains(excusable, v) {
			return fmt.Errorf("the verdict %q cannot be waived: name some of %v", excerpt.Of(string(v)), excusable)
		}
	}
	if !slices.ContainsFunc(w.Verdicts, func(v Verdict) bool { return v != Pass }) {
		return errors.New("it excuses nothing, because PASS is its only verdict")
	}
	for _, d := range w.Digests {
		if !digestForm.MatchString(d) {
			return fmt.Errorf("digests: %q is not a digest of %d hexadecimal digits, as in the report of a failure",
				excerpt.Of(d), digestLength)
		}
	}
	if len(w.Digests) > 0 && w.Varies != "" {
		return errors.New(`it has both "digests" and "varies": leave out one of them`)
	}
	if w.Expires != "" {
		if _, err := time.Parse(time.DateOnly, w.Expires); err != nil {
			return fmt.Errorf("expires: %q is not a day such as 2027-12-31", excerpt.Of(w.Expires))
		}
	}
	if w.Link != "" {
		if u, err := url.Parse(w.Link); err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" {
			return fmt.Errorf("link: %q is not a web address", excerpt.Of(w.Link))
		}
	}
	return nil
}

// Covers reports whether the waiver covers the check.
func (w *Waiver) Covers(check string) bool {
	if !strings.Contains(w.Check, "/") && matches(w.Check+"/*", check) {
		return true // a rule stands for all its checks
	}
	return matches(w.Check, check)
}

// matches reports whether a pattern, in which * stands for any text, matches all of the text.
// Regular expressions take hundreds of bytes for each byte of a pattern.
func matches(pattern, text string) bool {
	first, rest, any := strings.Cut(pattern, "*")
	text, ok := strings.CutPrefix(text, first)
	if !any || !ok {
		return ok && text == ""
	}
	for {
		part, after, more := strings.Cut(rest, "*")
		if !more {
			return strings.HasSuffix(text, part)
		}
		if _, text, ok = strings.Cut(text, part); !ok {
			return false
		}
		rest = after
	}
}

// excuses reports whether the waiver names what was found.
func (w *Waiver) excuses(x *Result) bool {
	if !slices.Contains(w.Verdicts, x.Verdict) {
		return false
	}
	if x.Verdict == Pass || x.Verdict == Flaky || len(w.Digests) == 0 {
		return true
	}
	return slices.Contains(w.Digests, x.Digest) || x.DigestWithLines != "" && slices.Contains(w.Digests, x.DigestWithLines)
}

// expected describes the finding that the waiver names.
func (w *Waiver) expected() string {
	text := joinVerdicts(w.Verdicts)
	switch len(w.Digests) {
	case 0:
		return text
	case 1:
		return text + " with the digest " + w.Digests[0]
	}
	return text + " with one of the digests " + strings.Join(w.Digests, ", ")
}

// change describes a failure that differs from what the waiver in that file says.
func (w *Waiver) change(file string, x *Result) string {
	found := string(x.Verdict)
	if x.Digest != "" {
		found += " with the digest " + x.Digest
	}
	return fmt.Sprintf("a different failure is waived: %s; the waiver in %s expects %s, but this is %s",
		w.Reason, file, w.expected(), found)
}

// Expired reports whether the last day of the waiver is before now.
func (w *Waiver) Expired(now time.Time) bool {
	return w.Expires != "" && now.Format(time.DateOnly) > w.Expires
}

// Matches reports whether m matches the plugin.
func (m *PluginMatch) Matches(p *Plugin) bool {
	first, last, err := apiRange(m.API)
	if err != nil {
		return false
	}
	file, err := path.Match(m.File, p.File)
	if err != nil {
		return false
	}
	version, err := regexp.MatchString(m.Version, p.PlatformVersion)
	if err != nil {
		return false
	}
	return (m.API == "" || p.Major == 0 && p.Minor >= first && p.Minor <= last) &&
		(m.Platform == "" || strings.EqualFold(m.Platform, p.Platform)) &&
		(m.File == "" || file) &&
		(m.Version == "" || version) &&
		(m.SHA256 == "" || strings.EqualFold(m.SHA256, p.SHA256))
}

// apiRange reads 0.81 or 0.75-0.81.
func apiRange(s string) (first, last int, err error) {
	if s == "" {
		return 0, 0, nil
	}
	from, to, ok := strings.Cut(s, "-")
	if !ok {
		to = from
	}
	minor := func(v string) int {
		m, found := strings.CutPrefix(strings.TrimSpace(v), "0.")
		n, e := strconv.Atoi(m)
		if !found || e != nil || n < 0 {
			err = fmt.Errorf("plugin.api %q is neither an API version such as 0.81 nor a range such as 0.75-0.81", excerpt.Of(s))
		}
		return n
	}
	first, last = minor(from), minor(to)
	if err == nil && first > last {
		err = fmt.Errorf("plugin.api %q: the range is empty", excerpt.Of(s))
	}
	return first, last, err
}
