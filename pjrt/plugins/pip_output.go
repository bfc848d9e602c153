// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package plugins

import (
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"

	"github.com/purepjrt/purepjrt/internal/excerpt"
	"github.com/purepjrt/purepjrt/internal/python"
)

// ErrNoIndex says that pip is configured not to ask a package index.
var ErrNoIndex = errors.New("pip may not use a package index")

// ErrNetwork says that pip could not reach the package index.
var ErrNetwork = errors.New("the package index cannot be reached: check the network and pip's index and proxy settings")

var (
	pipGot      = regexp.MustCompile(`Got\s+([0-9a-f]{64})`)
	pipFrom     = regexp.MustCompile(`from \S*?([^/\s]+\.whl)`)
	pipNetwork  = regexp.MustCompile(`(?im)^.*(connection broken by|connection error|ConnectionError|connection aborted|timed out|name resolution|ProxyError|SSLError|HTTPSConnectionPool|HTTP error).*$`)
	pipCut      = regexp.MustCompile(`incomplete-download|not enough bytes were received|IncompleteRead`)
	pipNoModule = regexp.MustCompile(`No module named '?pip'?`)
	// pipRefused matches how pip says that it could not use what it was pointed to. It does so in
	// passing, and then only reports that it found nothing.
	pipRefused = regexp.MustCompile(`(?m)(Could not fetch URL .*?)(?: for url: .*)?(?: - skipping.*)?$` +
		`|(The repository located at .* is not a trusted or secure host.*)$` +
		`|(Skipping page .* because .*)$|(\d+ Error, Credentials not correct.*)$|(Location '.*' is ignored: .*)$`)
	// pipPool matches what the errors of urllib3 repeat.
	pipPool = regexp.MustCompile(`HTTPS?ConnectionPool\(.*?\): Max retries exceeded with url: \S+ \(Caused by (.*)\)`)
	pipRead = regexp.MustCompile(`Fetched page (\S+) as `)
)

// pipIgnores is what pip's log says if its configuration or environment forbids it to ask an index.
const pipIgnores = "Ignoring indexes: "

// maxLog is how much of the end of pip's log is read.
const maxLog = 4 << 20

// readLog returns the end of a log. It is empty if there is none.
func readLog(path string) string {
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.Size() > maxLog {
		_, _ = f.Seek(-maxLog, io.SeekEnd)
	}
	text, _ := io.ReadAll(io.LimitReader(f, maxLog))
	return string(text)
}

// pipOutput is what a run of pip that failed left.
type pipOutput struct {
	text    string // what it printed
	log     string // what it wrote in detail
	noIndex bool   // the environment forbids it to ask an index
}

// explain turns the output into an error. If it does not recognise the output, the error has what
// pip says.
func (o pipOutput) explain(failure error, command string, p *Package, w wheel) error {
	switch {
	case pipNoModule.MatchString(o.text):
		return fmt.Errorf("%s has no pip: run %q, or install your system's python3-pip", command, command+" -I -m ensurepip")
	case strings.Contains(o.text, "DO NOT MATCH THE HASHES"):
		e := &HashError{File: p.Project + " " + p.Version, Want: w.sha256}
		if from := pipFrom.FindStringSubmatch(o.text); from != nil {
			e.File = from[1]
		}
		if got := pipGot.FindStringSubmatch(o.text); got != nil {
			e.Got = got[1]
		}
		return e
	case strings.Contains(o.text, "No space left on device"), strings.Contains(o.text, "Disk quota exceeded"):
		return fmt.Errorf("pip could not write the wheel: %w", noSpace[0])
	case pipCut.MatchString(o.text):
		return fmt.Errorf("%w (the download was cut off)", ErrNetwork)
	case pipNetwork.MatchString(o.text):
		return fmt.Errorf("%w (pip: %s)", ErrNetwork, excerpt.Of(strings.TrimSpace(pipNetwork.FindString(o.text))))
	case strings.Contains(o.text, "No matching distribution found"):
		return o.notFound(p, w)
	}
	if reason := python.Reason(o.text); reason != "" {
		return fmt.Errorf("pip failed: %s", reason)
	}
	return fmt.Errorf("%s -m pip: %v", command, failure)
}

// notFound says why pip found no wheel.
func (o pipOutput) notFound(p *Package, w wheel) error {
	switch {
	case o.noIndex:
		return fmt.Errorf("%w: PIP_NO_INDEX is set, and there is no wheel of %s %s in PIP_FIND_LINKS: "+
			"unset the one, or put the wheel into the other", ErrNoIndex, p.Project, p.Version)
	case strings.Contains(o.log, pipIgnores):
		return fmt.Errorf("%w: no-index is set in pip's configuration, and there is no wheel of %s %s in find-links: "+
			"see %q", ErrNoIndex, p.Project, p.Version, "pip config list")
	}
	words := ""
	if m := pipRefused.FindStringSubmatch(o.text + "\n" + o.log); m != nil {
		words = "; pip says: " + excerpt.Of(pipPool.ReplaceAllString(strings.TrimSpace(strings.Join(m[1:], "")), "$1"))
	} else if m := pipRead.FindStringSubmatch(o.log); m != nil {
		words = "; pip read " + excerpt.Of(m[1]) + ", which lists none"
	}
	return fmt.Errorf("the package index has no wheel of %s %s for %s%s", p.Project, p.Version, w.tag, words)
}
