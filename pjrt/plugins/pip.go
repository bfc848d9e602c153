// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package plugins

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/purepjrt/purepjrt/internal/python"
	"github.com/purepjrt/purepjrt/pjrt/internal/abandon"
)

// downloads is how often a download that is cut off is attempted.
const downloads = 3

// download has the interpreter's pip download the wheel w of p into staging, and returns the path
// of the wheel.
//
// Versions of pip before 25.1 take a file that was cut off for a whole one with another hash. The
// hash of what was cut off differs each time; that of another file does not.
func (in *installer) download(ctx context.Context, interpreter string, p *Package, w wheel, staging string) (string, error) {
	got := ""
	for i := 1; ; i++ {
		archive, err := in.pip(ctx, interpreter, p, w, staging)
		var mismatch *HashError
		if !errors.As(err, &mismatch) || mismatch.Got == "" || mismatch.Got == got {
			return archive, err
		}
		if i == downloads {
			return "", fmt.Errorf("%w (each of %d downloads was cut off)", ErrNetwork, downloads)
		}
		got = mismatch.Got
		fmt.Fprintf(in.Progress, "%s: what pip downloaded was cut off, or is another file: downloading it again\n", p.Name)
	}
}

// pip makes one attempt to download a wheel. It knows the user's index, proxy and certificates, and
// accepts only the file with the hash.
func (in *installer) pip(ctx context.Context, interpreter string, p *Package, w wheel, staging string) (string, error) {
	requirements := filepath.Join(staging, "requirements.txt")
	line := fmt.Sprintf("%s==%s --hash=sha256:%s\n", p.Project, p.Version, w.sha256)
	if err := os.WriteFile(requirements, []byte(line), 0o644); err != nil {
		return "", err
	}
	dest := filepath.Join(staging, "wheel")
	// pip's temporary files go into staging too, so that removing staging removes them.
	env := append(absolute(in.env), "TMPDIR="+staging, "TEMP="+staging, "TMP="+staging)
	if !slices.ContainsFunc(in.env, func(v string) bool { return strings.HasPrefix(v, resumeRetries+"=") }) {
		env = append(env, resumeRetries+"=20")
	}
	running, enough := context.WithCancelCause(ctx)
	defer enough(nil)
	// Interpreter, ABI and platform are fixed, so that the choice of the wheel does not depend on
	// the installed Python. pip's cache is off, because it would keep a second copy.
	cmd := python.Module(running, interpreter, env, "pip", "download",
		"--quiet", "--no-input", "--disable-pip-version-check", "--no-cache-dir", "--retries", "2",
		"--require-hashes", "--no-deps", "--only-binary=:all:",
		"--implementation", "cp", "--python-version", "3.11", "--abi", w.abi, "--platform", w.tag,
		"--dest", dest, "--requirement", requirements)
	cmd.WaitDelay = 5 * time.Second
	var output bytes.Buffer
	cmd.Stdout, cmd.Stderr = &output, &output
	stop := in.watch(p.Name+": downloading", staging, w, enough)
	err := cmd.Run()
	stop()
	if err != nil {
		switch {
		case ctx.Err() != nil:
			return "", abandon.Err(ctx, nil, "pip")
		case running.Err() != nil:
			return "", context.Cause(running)
		case in.noIndex() && strings.Contains(output.String(), "No matching distribution found"):
			return "", fmt.Errorf("%w: PIP_NO_INDEX is set, and there is no wheel of %s %s in PIP_FIND_LINKS: "+
				"unset the one, or put the wheel into the other", ErrNoIndex, p.Project, p.Version)
		}
		return "", explainPip(output.String(), err, in.Python, p, w)
	}
	wheels := glob(dest, "*.whl")
	if len(wheels) != 1 {
		return "", fmt.Errorf("pip downloaded %d wheels for %s %s where one was expected", len(wheels), p.Project, p.Version)
	}
	return wheels[0], nil
}

// pipPaths lists the variables with paths that pip reads. Those of a list are separated by spaces.
var pipPaths = map[string]struct{ list bool }{
	"PIP_CERT": {}, "PIP_CLIENT_CERT": {}, "PIP_CONFIG_FILE": {}, "PIP_INDEX_URL": {}, "PIP_LOG": {},
	"PIP_CONSTRAINT": {true}, "PIP_EXTRA_INDEX_URL": {true}, "PIP_FIND_LINKS": {true},
	"CURL_CA_BUNDLE": {}, "NETRC": {}, "REQUESTS_CA_BUNDLE": {}, "SSL_CERT_DIR": {}, "SSL_CERT_FILE": {},
}

// absolute returns env with absolute paths in the variables of pip, which does not run in the
// directory of this process.
func absolute(env []string) []string {
	here, err := os.Getwd()
	if err != nil {
		return slices.Clone(env) // relative paths lead nowhere
	}
	path := func(p string) string {
		if p == "" || filepath.IsAbs(p) || strings.HasPrefix(p, "~") || strings.Contains(p, ":") || strings.EqualFold(p, os.DevNull) {
			return p // ~ and URLs are pip's to understand
		}
		return filepath.Join(here, p)
	}
	env = slices.Clone(env)
	for i, v := range env {
		name, value, _ := strings.Cut(v, "=")
		switch kind, is := pipPaths[strings.ToUpper(name)]; {
		case is && kind.list:
			words := strings.Fields(value)
			for k := range words {
				words[k] = path(words[k])
			}
			env[i] = name + "=" + strings.Join(words, " ")
		case is:
			env[i] = name + "=" + path(value)
		}
	}
	return env
}

// resumeRetries is the variable that says how often pip resumes a download that was cut off.
// Versions before 25.1, which have no such option, ignore it and start over.
const resumeRetries = "PIP_RESUME_RETRIES"

// noIndex reports whether the user forbids pip to ask a package index.
func (in *installer) noIndex() bool {
	for _, v := range slices.Backward(in.env) {
		if value, ok := strings.CutPrefix(v, "PIP_NO_INDEX="); ok {
			return !slices.Contains([]string{"", "0", "false", "no", "off", "n", "f"}, strings.ToLower(value))
		}
	}
	return false
}

// meterPause is how often the size of what pip has written is measured.
const meterPause = 200 * time.Millisecond

// watch reports to Meter how many bytes of the wheel w have been added below dir, until stop is
// called. pip copies the wheel at the end; the copy does not count. A file that becomes larger than
// the wheel is not the wheel: watch then calls enough.
func (in *installer) watch(step, dir string, w wheel, enough context.CancelCauseFunc) (stop func()) {
	end, ended := make(chan struct{}), make(chan struct{})
	before, _ := sizesBelow(dir)
	limit := w.size
	if limit <= 0 {
		limit = maxUnpacked
	}
	go func() {
		defer close(ended)
		for tick := time.NewTicker(meterPause); ; {
			select {
			case <-end:
				tick.Stop()
				return
			case <-tick.C:
				done, largest := sizesBelow(dir)
				if largest > limit {
					enough(fmt.Errorf("the package index sends more than the %d bytes of the wheel: what it sends is not installed", limit))
				}
				done = max(0, done-before)
				if w.size > 0 {
					done = min(done, w.size)
				}
				if in.Meter != nil {
					in.Meter(step, done, w.size)
				}
			}
		}
	}()
	return func() { close(end); <-ended }
}

// sizesBelow returns the size of all files below dir, and that of the largest. It leaves out what
// it cannot read.
func sizesBelow(dir string) (sum, largest int64) {
	_ = filepath.WalkDir(dir, func(_ string, entry os.DirEntry, err error) error {
		if err != nil {
			return nil
		}
		if info, err := entry.Info(); err == nil && info.Mode().IsRegular() {
			sum += info.Size()
			largest = max(largest, info.Size())
		}
		return nil
	})
	return sum, largest
}

// ErrNoIndex says that pip is configured not to ask a package index.
var ErrNoIndex = errors.New("pip may not use a package index")

// ErrNetwork says that pip could not reach the package index.
var ErrNetwork = errors.New("the package index cannot be reached: check the network and pip's index and proxy settings")

var (
	pipGot      = regexp.MustCompile(`Got\s+([0-9a-f]{64})`)
	pipFrom     = regexp.MustCompile(`from \S*?([^/\s]+\.whl)`)
	pipNetwork  = regexp.MustCompile(`(?i)connection broken by|connection error|ConnectionError|connection aborted|timed out|name resolution|ProxyError|SSLError|HTTPSConnectionPool|HTTP error`)
	pipCut      = regexp.MustCompile(`incomplete-download|not enough bytes were received|IncompleteRead`)
	pipNoModule = regexp.MustCompile(`No module named '?pip'?`)
)

// explainPip turns pip's output into an error. If it does not recognise the output, the error has
// pip's last line.
func explainPip(output string, failure error, command string, p *Package, w wheel) error {
	switch {
	case pipNoModule.MatchString(output):
		return fmt.Errorf("%s has no pip: run %q, or install your system's python3-pip", command, command+" -I -m ensurepip")
	case strings.Contains(output, "DO NOT MATCH THE HASHES"):
		e := &HashError{File: p.Project + " " + p.Version, Want: w.sha256}
		if from := pipFrom.FindStringSubmatch(output); from != nil {
			e.File = from[1]
		}
		if got := pipGot.FindStringSubmatch(output); got != nil {
			e.Got = got[1]
		}
		return e
	case strings.Contains(output, "No space left on device"), strings.Contains(output, "Disk quota exceeded"):
		return fmt.Errorf("pip could not write the wheel: %w", noSpace[0])
	case pipCut.MatchString(output):
		return fmt.Errorf("%w (the download was cut off)", ErrNetwork)
	case pipNetwork.MatchString(output):
		return fmt.Errorf("%w (pip: %s)", ErrNetwork, lastLine(output))
	case strings.Contains(output, "No matching distribution found"):
		return fmt.Errorf("the package index has no wheel of %s %s for %s", p.Project, p.Version, w.tag)
	case lastLine(output) != "":
		return fmt.Errorf("pip failed: %s", lastLine(output))
	}
	return fmt.Errorf("%s -m pip: %v", command, failure)
}

// lastLine returns the last line that is not empty, where pip and Python put the reason. It ignores
// pip's own advice ("[notice] ...", "hint: ...").
func lastLine(output string) string {
	lines := strings.Split(strings.TrimSpace(output), "\n")
	for _, line := range slices.Backward(lines) {
		line = strings.TrimSpace(line)
		if line != "" && !strings.HasPrefix(line, "[notice]") && !strings.HasPrefix(line, "hint: ") && !strings.HasPrefix(line, "note: ") {
			return strings.TrimPrefix(line, "ERROR: ")
		}
	}
	return ""
}

// ctxReader makes a long read end when ctx ends.
type ctxReader struct {
	ctx context.Context
	r   io.Reader
}

func (c ctxReader) Read(p []byte) (int, error) {
	if err := abandon.Err(c.ctx, nil, ""); err != nil {
		return 0, err
	}
	return c.r.Read(p)
}
