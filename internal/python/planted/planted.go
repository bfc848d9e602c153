// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package planted has a folder in which other people have put code, for tests of programs that
// start programs there.
package planted

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// modules are what Python, and pip, import first.
var modules = []string{
	"pip.py", "json.py", "os.py", "runpy.py", "site.py", "sitecustomize.py", "usercustomize.py", "encodings/__init__.py", "ssl.py",
}

// leaves is a module that leaves its name. It works while Python has no files and no encodings yet.
const leaves = `try: import posix as system
except ImportError: import nt as system
system.write(system.open(b%q, system.O_APPEND | system.O_CREAT | system.O_WRONLY), b"%s\n")
`

// programs are what PATH leads to, and what shims of Python look for.
var programs = []string{
	"python3", "python", "pip", "go", "git", "sh", "bash", "env", "uname", "bin/python3", "bin/sh", ".venv/bin/python3", "venv/bin/python3",
}

// libraries are where plugins would be if the folder were one of Python packages.
var libraries = []string{
	"libtpu/libtpu.so", "jax_plugins/xla_cuda13/xla_cuda_plugin.so", "pjrt_c_api_cpu_plugin.so",
	".venv/lib/python3.11/site-packages/libtpu/libtpu.so",
}

// log is the file in the folder in which everything that ran has left its name.
const log = "taken"

// Folder returns a folder full of bait: modules, programs and plugins that leave their names when
// they run.
func Folder(t testing.TB) string {
	t.Helper()
	dir := t.TempDir()
	put := func(name, content string, mode os.FileMode) {
		file := filepath.Join(dir, filepath.FromSlash(name))
		err := os.MkdirAll(filepath.Dir(file), 0o755)
		if err == nil {
			err = os.WriteFile(file, []byte(content), mode)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	taken := filepath.Join(dir, log)
	for _, name := range modules {
		put(name, fmt.Sprintf(leaves, taken, name), 0o644)
	}
	for _, name := range programs {
		put(name, "#!/bin/sh\necho "+name+" >>'"+taken+"'\n", 0o755)
	}
	for _, name := range libraries {
		put(name, "not a library", 0o755)
	}
	return dir
}

// Taken returns the names of what ran in a folder of [Folder].
func Taken(t testing.TB, dir string) []string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, log))
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return strings.Fields(string(text))
}
