// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package main

import (
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestWithoutProcOrNullTheCommandSaysWhatIsMissing(t *testing.T) {
	t.Parallel()
	_, env := home(t)
	for missing, dir := range map[string]string{"/proc/self": "/proc", "/dev/null": "/dev"} {
		for _, args := range []string{"list --no-python cpu", "info cpu", "doctor --json cpu", "list --no-python --try=none cpu"} {
			// Without a PATH, no script in front of Python makes a file called /dev/null.
			c := exec.CommandContext(t.Context(), "sh", append([]string{"-c", "mount -t tmpfs tmpfs " + dir + ` && echo mounted && PATH=/nowhere exec "$0" "$@"`, command},
				strings.Fields(args)...)...)
			c.Env = env
			c.SysProcAttr = &syscall.SysProcAttr{Unshareflags: syscall.CLONE_NEWNS}
			o := finish(t, t.TempDir(), c)
			text, ok := strings.CutPrefix(o.stdout, "mounted\n")
			if !ok {
				t.Skip("this user cannot mount: ", o.stderr)
			}
			o.stdout = text
			want := missing + " is missing, as containers and chroots have it: mount "
			switch {
			case strings.Contains(args, "none"):
				assert.Zero(t, o.status, o.stderr)
			case strings.Contains(args, "doctor"):
				assert.Equal(t, 1, o.status)
				found := diagnosis(t, o)
				assert.Equal(t, wrong, found["child process"].State)
				assert.Contains(t, found["child process"].Remedy, want)
				assert.Equal(t, fine, found["plugin cpu"].State, "the rest is looked at")
			default:
				o.requireFailure(t, 1, want)
			}
		}
	}
}
