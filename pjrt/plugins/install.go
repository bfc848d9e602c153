// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package plugins

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"time"

	"github.com/purepjrt/purepjrt/internal/ownership"
	"github.com/purepjrt/purepjrt/internal/python"
)

// InstallOptions are the options of [Install]. The zero value suits most programs.
type InstallOptions struct {
	// Dir is the directory that holds the plugins; empty means [Dir]. Find and Installed search
	// only [Dir], so with another directory keep the path that Install returns.
	Dir string
	// Python is the command that runs Python 3 with pip; empty means "python3" ("python" on
	// Windows). Unless it is a path, it is looked for in PATH, whose relative entries do not count.
	// It runs isolated, in a directory of the system: it imports nothing from the working directory
	// or PYTHONPATH.
	Python string
	// Progress receives a line for each step that takes long. Nil discards them.
	Progress io.Writer
	// Meter, unless nil, is called from time to time with the number of bytes that a step, such as
	// "cpu: unpacking", has written so far, and with how many it will write. Calls do not overlap.
	Meter func(step string, done, total int64)
	// Force installs the plugin even if it is installed already.
	Force bool
	// Compiler also installs what the plugin compiles with, if that is neither part of it nor on
	// this machine. The newest plugins for CUDA need its ptxas and libdevice: Install puts them
	// beside the library, where [Environment] finds them and [Uninstall] removes them. Other
	// plugins need nothing more, or this package does not know what.
	Compiler bool
}

// Dir returns the directory that plugins are installed in: purepjrt/plugins below the user's cache
// directory (see [os.UserCacheDir]).
func Dir() (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("cannot find the user's cache directory for plugins: %w", err)
	}
	return filepath.Join(cache, "purepjrt", "plugins"), nil
}

// Install makes the plugin called name (see [Packages]) available and returns the path of its
// library. If the plugin is installed already, and the library has the size that it was installed
// with, Install uses neither pip nor the network. Otherwise it has pip download the one wheel that
// the package is pinned to, verifies the SHA-256 itself and unpacks the library, its licences and
// the PJRT header that it was built with, if the wheel has them.
//
// The plugin appears under its final name complete or not at all: Install unpacks it into a sibling
// directory, flushes it to disk and renames it. After an error, such as a full disk, a wrong hash
// or the end of ctx, nothing is left behind. Files left by a killed process are never used as a
// plugin, and the next Install or Uninstall removes them. If several processes install the
// same plugin, one downloads it and the others wait.
//
// A plugin that another user could have written is an error: its library, its directory and Dir
// must belong to this user or to root, and nobody else may write to them. Force replaces such a
// library, but not in a Dir that is itself unsafe.
//
// If the plugin is installed and only its compiler cannot be, Install returns the path and an
// error.
func Install(ctx context.Context, name string, opts InstallOptions) (string, error) {
	in, err := newInstaller(opts)
	if err != nil {
		return "", err
	}
	return in.install(ctx, name)
}

// Status describes one package for [Installed].
type Status struct {
	Package
	// Available says that the package has a wheel for this platform.
	Available bool
	// Path is the library of the installed plugin, or empty if it is not installed.
	Path string
}

// Installed lists every known package and where it is installed in [Dir].
func Installed() ([]Status, error) {
	in, err := newInstaller(InstallOptions{})
	if err != nil {
		return nil, err
	}
	all := make([]Status, 0, len(in.table))
	for i := range in.table {
		s := Status{Package: in.table[i]}
		if w, ok := s.wheels[in.platform]; ok {
			s.Available = true
			if library, err := in.installed(&s.Package, w); err == nil {
				s.Path = library
			}
		}
		all = append(all, s)
	}
	return all, nil
}

// installer holds the parts of an installation that tests replace.
type installer struct {
	InstallOptions
	table    []Package
	platform string
	env      []string // of pip
	create   func(path string) (file, error)
	compiler func(library string) (dir string) // what a plugin compiles with on this machine, or ""
}

// file has the methods of [os.File] that unpacking needs.
type file interface {
	io.WriteCloser
	Sync() error
}

func newInstaller(opts InstallOptions) (*installer, error) {
	if opts.Dir == "" {
		dir, err := Dir()
		if err != nil {
			return nil, err
		}
		opts.Dir = dir
	}
	dir, err := filepath.Abs(opts.Dir)
	if err != nil {
		return nil, fmt.Errorf("plugin directory %q: %w", opts.Dir, err)
	}
	opts.Dir = dir
	if opts.Python == "" {
		opts.Python = python.Default()
	}
	if opts.Progress == nil {
		opts.Progress = io.Discard
	}
	return &installer{
		InstallOptions: opts,
		table:          newFinder(ListOptions{NoPython: true}).suited(),
		platform:       runtime.GOOS + "/" + runtime.GOARCH,
		env:            os.Environ(),
		create: func(path string) (file, error) {
			return os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
		},
		compiler: func(library string) string {
			found, _ := FindCUDA(library)
			return found.Compiler
		},
	}, nil
}

// lockPoll is how often a process checks whether another one has finished.
const lockPoll = 100 * time.Millisecond

// install installs a plugin and, if the options ask for it, its compiler.
func (in *installer) install(ctx context.Context, name string) (library string, err error) {
	library, err = in.installLibrary(ctx, name)
	if err == nil && in.Compiler {
		_, err = in.installCompiler(ctx, name)
	}
	return library, err
}

func (in *installer) installLibrary(ctx context.Context, name string) (library string, err error) {
	p, err := known(in.table, name)
	if err != nil {
		return "", err
	}
	w, err := p.pick(in.platform)
	if err != nil {
		return "", err
	}
	library, err = in.installed(p, w)
	if !in.Force && !repairable(err) {
		if err != nil {
			return "", fmt.Errorf("plugin %s: %w", p.Name, err)
		}
		in.sweep()
		return library, nil
	}
	if errors.Is(err, errDamaged) {
		fmt.Fprintf(in.Progress, "%s: %v\n", p.Name, errors.Unwrap(err))
	}
	defer func() {
		if err != nil {
			err = fmt.Errorf("cannot install %s: %w", p.Name, explain(err))
		}
	}()
	if err := os.MkdirAll(in.Dir, 0o755); err != nil {
		return "", err
	}
	if err := ownership.CheckTree(in.Dir, in.Dir); err != nil {
		return "", fmt.Errorf("the plugin directory is not safe: %w", in.remedied(p.Name, err))
	}
	unlock, err := in.lock(ctx, p.id(w))
	if err != nil {
		return "", err
	}
	defer unlock()

	// The process that held the lock before may have installed it.
	library, err = in.installed(p, w)
	if !in.Force && !repairable(err) {
		return library, err
	}
	in.sweep()
	staging, remove, err := in.stage(p.id(w))
	if err != nil {
		return "", err
	}
	defer remove()
	content := filepath.Join(staging, "content")
	if err := in.fetch(ctx, p, w, staging, content); err != nil {
		return "", err
	}
	return in.publish(p, w, staging, content)
}

// fetch downloads the wheel w of p into staging and unpacks it into content.
func (in *installer) fetch(ctx context.Context, p *Package, w wheel, staging, content string) error {
	interpreter, err := python.Find(in.Python)
	if err != nil {
		return fmt.Errorf("cannot find %s: install Python 3 with pip (%w)", in.Python, err)
	}
	size := ""
	if w.size > 0 {
		size = fmt.Sprintf(" (%s, unpacked %s)", megabytes(w.size), megabytes(w.unpacked))
	}
	fmt.Fprintf(in.Progress, "%s: downloading %s %s%s\n", p.Name, p.Project, p.Version, size)
	archive, err := in.download(ctx, interpreter, p, w, staging)
	if err != nil {
		return err
	}
	if err := verify(archive, w.sha256); err != nil {
		return err
	}
	fmt.Fprintf(in.Progress, "%s: unpacking %s\n", p.Name, filepath.Base(archive))
	if err := in.unpack(ctx, archive, p, content); err != nil {
		return err
	}
	return os.RemoveAll(filepath.Dir(archive)) // the disk need not hold more than one wheel
}

func megabytes(n int64) string { return fmt.Sprintf("%d MB", max(1, (n+500_000)/1_000_000)) }

// installed returns the library of p in the cache. The error is [fs.ErrNotExist] if p is not
// installed, and otherwise says what to do: it cannot be determined, or another user could have
// written the library, or it is an errDamaged.
func (in *installer) installed(p *Package, w wheel) (string, error) {
	library := filepath.Join(in.Dir, p.id(w), p.fileName())
	info, err := os.Stat(library)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", err
	case err != nil:
		err = fmt.Errorf("cannot look for it: %w", err)
	case !info.Mode().IsRegular():
		err = fmt.Errorf("%w: %s is not a file", errDamaged, library)
	default:
		if err = ownership.CheckTree(in.Dir, library); err != nil {
			err = fmt.Errorf("it is not safe to load: %w", err)
		} else {
			err = checkSize(library, info.Size())
		}
	}
	if err != nil {
		return "", in.remedied(p.Name, err)
	}
	return library, nil
}

// repairable reports whether an error of [installer.installed] is a reason to install the plugin.
func repairable(err error) bool { return errors.Is(err, fs.ErrNotExist) || errors.Is(err, errDamaged) }

// publish gives the unpacked content its final name.
func (in *installer) publish(p *Package, w wheel, staging, content string) (string, error) {
	final := filepath.Join(in.Dir, p.id(w))
	// The directory exists if the installation is forced, or if somebody deleted the library in it.
	// A process that has loaded the library keeps its file.
	err := os.Rename(final, filepath.Join(staging, "replaced"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	if err := os.Rename(content, final); err != nil {
		return "", err
	}
	if err := syncDir(in.Dir); err != nil {
		return "", err
	}
	return filepath.Join(final, p.fileName()), nil
}

// explain puts a reason that users understand in front of an error of the operating system.
func explain(err error) error {
	switch {
	case slices.ContainsFunc(noSpace, func(errno error) bool { return errors.Is(err, errno) }):
		return fmt.Errorf("the disk is full, or a quota or file size limit is reached: %w", err)
	case errors.Is(err, fs.ErrPermission), errors.Is(err, errReadOnly):
		return fmt.Errorf("the plugin directory cannot be used (XDG_CACHE_HOME or HOME moves it): %w", err)
	}
	return err
}
