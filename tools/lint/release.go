// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package main

import (
	"archive/zip"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
	modzip "golang.org/x/mod/zip"
)

// releaseHelp is printed by lint release -h.
const releaseHelp = `usage: lint release VERSION

Checks what a release of the last commit would be. Each module must

  - make an archive as a module proxy serves it, with a LICENSE
  - say in each file of Go code under which license it is, unless it is generated
  - have a go.mod without replace and exclude, which requires our own modules at VERSION
  - agree with the other modules about the version of Go, up to its patch
  - build, and pass vet with its tests, from its archive and those of the others alone

and CHANGELOG.md a section for VERSION.
`

// ours is the module in the root of the repository. The others have its path in front.
const ours = "github.com/purepjrt/purepjrt"

// releaseModule is a module of the repository as a proxy would serve it.
type releaseModule struct {
	folder  string // from the root, or empty
	path    string
	archive []byte
	file    *modfile.File
}

// release checks the last commit as the release of a version, and prints what it checked. It
// returns what is wrong.
func release(out io.Writer, version string) (found []string, err error) {
	if canonical := module.CanonicalVersion(version); canonical != version {
		return nil, fmt.Errorf("%q is no version of a module: write it as v0.1.0", version)
	}
	modules, err := releaseModules(version)
	if err != nil {
		return nil, err
	}
	for _, m := range modules {
		files, wrong, err := m.check(version, modules[0])
		if err != nil {
			return nil, err
		}
		found = append(found, wrong...)
		fmt.Fprintf(out, "%s: %d files, %d KiB, license, headers, go.mod\n", m.path, files, len(m.archive)/1024)
	}
	text, err := committed(changelog)
	if err != nil {
		return nil, err
	}
	if !regexp.MustCompile(`(?m)^## ` + regexp.QuoteMeta(version) + `\b`).Match(text) {
		found = append(found, fmt.Sprintf("%s: there is no section ## %s", changelog, version))
	} else {
		fmt.Fprintf(out, "%s: section %s\n", changelog, version)
	}
	if len(found) > 0 {
		return found, nil
	}
	return buildReleased(out, version, modules)
}

// committed returns a file of the last commit.
func committed(name string) ([]byte, error) {
	return exec.Command("git", "show", "HEAD:"+name).Output()
}

// releaseModules makes the archives of all modules, the root's first.
func releaseModules(version string) ([]*releaseModule, error) {
	list, err := exec.Command("git", "ls-tree", "-r", "--name-only", "HEAD").Output()
	if err != nil {
		return nil, err
	}
	// The archives are made from a clone, since x/mod does not know the folders of git worktree.
	clone, err := os.MkdirTemp("", "release-clone")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(clone)
	if output, err := exec.Command("git", "clone", "--quiet", "--no-checkout", "--shared", ".", clone).CombinedOutput(); err != nil {
		return nil, fmt.Errorf("git clone: %w: %s", err, output)
	}
	var modules []*releaseModule
	for name := range strings.Lines(string(list)) {
		name = strings.TrimSpace(name)
		if path.Base(name) != "go.mod" || strings.Contains(name, "testdata/") {
			continue
		}
		text, err := committed(name)
		if err != nil {
			return nil, err
		}
		m := &releaseModule{folder: strings.TrimSuffix(strings.TrimSuffix(name, "go.mod"), "/")}
		if m.file, err = modfile.Parse(name, text, nil); err != nil {
			return nil, err
		}
		m.path = m.file.Module.Mod.Path
		var archive bytes.Buffer
		if err := modzip.CreateFromVCS(&archive, module.Version{Path: m.path, Version: version}, clone, "HEAD", m.folder); err != nil {
			return nil, fmt.Errorf("%s: a proxy could not serve it: %w", m.path, err)
		}
		m.archive = archive.Bytes()
		modules = append(modules, m)
	}
	slices.SortFunc(modules, func(a, b *releaseModule) int { return cmp.Compare(a.folder, b.folder) })
	if len(modules) == 0 || modules[0].folder != "" {
		return nil, errors.New("the last commit has no go.mod in its root")
	}
	return modules, nil
}

// licensed matches what the first lines of a file of Go code say.
var licensed = regexp.MustCompile(`(?m)^// (SPDX-License-Identifier: Apache-2\.0|Code generated .* DO NOT EDIT\.)$`)

// check checks the archive and go.mod of a module.
func (m *releaseModule) check(version string, root *releaseModule) (files int, found []string, err error) {
	wrong := func(name, text string, arguments ...any) {
		found = append(found, path.Join(m.folder, name)+": "+fmt.Sprintf(text, arguments...))
	}
	archive, err := zip.NewReader(bytes.NewReader(m.archive), int64(len(m.archive)))
	if err != nil {
		return 0, nil, err
	}
	license := false
	for _, f := range archive.File {
		name := strings.TrimPrefix(f.Name, m.path+"@"+version+"/")
		license = license || name == "LICENSE"
		if path.Ext(name) != ".go" || strings.Contains(name, "testdata/") {
			continue
		}
		head, err := firstBytes(f)
		if err != nil {
			return 0, nil, err
		}
		if !licensed.Match(head) {
			wrong(name, "the first lines name no license")
		}
	}
	if !license {
		wrong("", "its archive has no LICENSE")
	}
	if len(m.file.Replace)+len(m.file.Exclude) > 0 {
		wrong("go.mod", "it has replace or exclude, which do not count for those who require the module")
	}
	for _, r := range m.file.Require {
		if (r.Mod.Path == ours || strings.HasPrefix(r.Mod.Path, ours+"/")) && r.Mod.Version != version {
			wrong("go.mod", "it requires %s %s instead of %s", r.Mod.Path, r.Mod.Version, version)
		}
	}
	if m.file.Go == nil || root.file.Go == nil || minor(m.file.Go.Version) != minor(root.file.Go.Version) {
		wrong("go.mod", "its version of Go is another than that of the root")
	}
	return len(archive.File), found, nil
}

// minor returns a version of Go without its patch.
func minor(version string) string {
	parts := strings.SplitN(version, ".", 3)
	return strings.Join(parts[:min(2, len(parts))], ".")
}

// firstBytes returns the beginning of a file.
func firstBytes(f *zip.File) ([]byte, error) {
	r, err := f.Open()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return io.ReadAll(io.LimitReader(r, 400))
}

// buildReleased builds and vets each module, unpacked from its archive, with the others from a
// proxy that has the archives.
func buildReleased(out io.Writer, version string, modules []*releaseModule) (found []string, err error) {
	dir, err := os.MkdirTemp("", "release-check")
	if err != nil {
		return nil, err
	}
	environment, err := releaseEnvironment(dir)
	if err != nil {
		return nil, err
	}
	defer func() {
		// The files of a module cache cannot be deleted otherwise.
		clean := exec.Command("go", "clean", "-modcache")
		clean.Env = environment
		err = errors.Join(err, clean.Run(), os.RemoveAll(dir))
	}()
	for _, m := range modules {
		if err := m.serve(filepath.Join(dir, "proxy"), version); err != nil {
			return nil, err
		}
	}
	for i, m := range modules {
		archive := filepath.Join(dir, fmt.Sprintf("%d.zip", i))
		if err := os.WriteFile(archive, m.archive, 0o666); err != nil {
			return nil, err
		}
		folder := filepath.Join(dir, fmt.Sprint(i))
		if err := modzip.Unzip(folder, module.Version{Path: m.path, Version: version}, archive); err != nil {
			return nil, err
		}
		for _, arguments := range [][]string{{"build", "-o", os.DevNull, "./..."}, {"vet", "./..."}} {
			c := exec.Command("go", arguments...)
			c.Dir, c.Env = folder, environment
			if output, err := c.CombinedOutput(); err != nil {
				found = append(found, fmt.Sprintf("%s: go %s: %v\n%s", m.path, strings.Join(arguments, " "), err, output))
			}
		}
		fmt.Fprintf(out, "%s: builds, and passes vet, from the archives\n", m.path)
	}
	return found, nil
}

// releaseEnvironment returns an environment without go.work, in which only a proxy in dir has our
// modules. Modules of others that this machine has are not fetched again.
func releaseEnvironment(dir string) ([]string, error) {
	values, err := exec.Command("go", "env", "GOMODCACHE", "GOPROXY").Output()
	if err != nil {
		return nil, err
	}
	cache, proxy, _ := strings.Cut(strings.TrimSpace(string(values)), "\n")
	return append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod -trimpath -modcacherw "+os.Getenv("GOFLAGS"), "GOMODCACHE="+filepath.Join(dir, "cache"),
		"GOPROXY=file://"+filepath.Join(dir, "proxy")+",file://"+filepath.Join(cache, "cache", "download")+","+proxy,
		"GONOSUMDB="+ours+","+ours+"/*", "GONOPROXY=", "GOPRIVATE=", "GOTOOLCHAIN=local"), nil
}

// serve puts the module in a proxy, in the form of the GOPROXY protocol.
func (m *releaseModule) serve(proxy, version string) error {
	folder := filepath.Join(proxy, filepath.FromSlash(m.path), "@v")
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return err
	}
	text, err := committed(path.Join(m.folder, "go.mod"))
	if err != nil {
		return err
	}
	for name, content := range map[string][]byte{
		"list":            []byte(version + "\n"),
		version + ".info": fmt.Appendf(nil, `{"Version": %q, "Time": "2026-01-02T03:04:05Z"}`, version),
		version + ".mod":  text,
		version + ".zip":  m.archive,
	} {
		if err := os.WriteFile(filepath.Join(folder, name), content, 0o666); err != nil {
			return err
		}
	}
	return nil
}
