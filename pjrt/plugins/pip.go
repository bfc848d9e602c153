// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package plugins

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

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
	if !utf8.ValidString(staging) {
		return "", fmt.Errorf("pip cannot work in %q, whose name is not UTF-8: set XDG_CACHE_HOME or HOME to another directory", in.Dir)
	}
	requirements := filepath.Join(staging, "requirements.txt")
	line := fmt.Sprintf("%s==%s --hash=sha256:%s\n", p.Project, p.Version, w.sha256)
	if err := os.WriteFile(requirements, []byte(line), 0o644); err != nil {
		return "", err
	}
	dest := filepath.Join(staging, "wheel")
	// pip's temporary files go into staging too, so that removing staging removes them.
	env := append(absolute(in.env), "TMPDIR="+staging, "TEMP="+staging, "TMP="+staging)
	if !in.hasVariable(resumeRetries) {
		env = append(env, resumeRetries+"=20")
	}
	running, enough := context.WithCancelCause(ctx)
	defer enough(nil)
	// Interpreter, ABI and platform are fixed, so that the choice of the wheel does not depend on
	// the installed Python. pip's cache is off, because it would keep a second copy.
	args := []string{
		"download",
		"--quiet", "--no-input", "--disable-pip-version-check", "--no-cache-dir", "--retries", "2",
		"--require-hashes", "--no-deps", "--only-binary=:all:",
		"--implementation", "cp", "--python-version", "3.11", "--abi", w.abi, "--platform", w.tag,
		"--dest", dest, "--requirement", requirements,
	}
	log := filepath.Join(staging, "pip.log")
	if !in.hasVariable("PIP_LOG") { // the user wants it elsewhere
		args = append(args, "--log", log)
	}
	stop := in.watch(p.Name+": downloading", staging, w, enough)
	stdout, stderr, err := python.Run(python.Module(running, interpreter, env, "pip", args...))
	stop()
	if err != nil {
		var tooMuch *python.OutputError
		switch {
		case ctx.Err() != nil:
			return "", abandon.Err(ctx, nil, "pip")
		case running.Err() != nil:
			return "", context.Cause(running)
		case errors.As(err, &tooMuch):
			return "", err
		}
		said := pipOutput{text: stdout + stderr, log: readLog(log), noIndex: in.noIndex()}
		return "", said.explain(err, in.Python, p, w)
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

// hasVariable reports whether the environment of pip sets a variable.
func (in *installer) hasVariable(name string) bool {
	return slices.ContainsFunc(in.env, func(v string) bool { return strings.HasPrefix(v, name+"=") })
}

// noIndex reports whether the environment forbids pip to ask a package index.
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
