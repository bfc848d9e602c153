// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package subprocess

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const name = "SUBPROCESS_TEST"

// alone makes this program a parent that ignores how its children end.
const alone = "SUBPROCESS_TEST_ALONE"

// TestMain plays the child, too. It answers each line with the same line, and does what it says.
func TestMain(m *testing.M) {
	if os.Getenv(alone) != "" {
		playAlone()
	}
	if os.Getenv(name) == "" {
		os.Exit(m.Run())
	}
	p, err := Inherit(name)
	if err != nil {
		fmt.Println(err)
		os.Exit(ExitNoPipes)
	}
	for lines := bufio.NewScanner(p.Requests); lines.Scan(); {
		switch what := lines.Text(); what {
		case "exit":
			os.Exit(7)
		case "panic":
			panic("as asked")
		case "hang":
			time.Sleep(time.Hour)
		case "close":
			p.Answers.Close()
			time.Sleep(time.Hour)
		case "environment":
			fmt.Fprintf(p.Answers, "%s%q\n", p.Key, os.Getenv(name+keySuffix)+os.Getenv(name+pipesSuffix))
		case "file":
			text, _ := io.ReadAll(p.Files[0])
			fmt.Fprintf(p.Answers, "%s%s\n", p.Key, text)
		default:
			fmt.Println("printed", what)
			fmt.Fprintf(p.Answers, "%s%s\n", p.Key, what)
		}
	}
	os.Exit(ExitOrphaned)
}

// start starts a child. Its answers are lines that begin with the key.
func start(t *testing.T, files ...*os.File) *Process[string] {
	t.Helper()
	p, err := launch(files...)
	require.NoError(t, err)
	t.Cleanup(p.End)
	return p
}

func launch(files ...*os.File) (*Process[string], error) {
	self, err := Self()
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), name+"=1")
	return Start(cmd, Config[string]{
		Name: name, Output: &Tail{Limit: 1 << 10}, Trace: &Tail{Limit: 1 << 10}, Files: files,
		Answers: func(in io.Reader, key []byte) func() (string, error) {
			lines := bufio.NewReader(in)
			return func() (string, error) {
				line, err := lines.ReadString('\n')
				if !strings.HasPrefix(line, string(key)) {
					return "", io.ErrUnexpectedEOF
				}
				return strings.TrimSpace(line[len(key):]), err
			}
		},
	})
}

func ask(t *testing.T, p *Process[string], what string) (string, error) {
	t.Helper()
	require.NoError(t, p.Send([]byte(what+"\n")))
	return p.Next(t.Context(), time.Minute)
}

func TestAChildAnswers(t *testing.T) {
	t.Parallel()
	p := start(t)
	for _, what := range []string{"a", "b"} {
		got, err := ask(t, p, what)
		require.NoError(t, err)
		assert.Equal(t, what, got)
	}
	got, err := ask(t, p, "environment")
	require.NoError(t, err)
	assert.Equal(t, `""`, got, "what it starts is not taken for a child")
	assert.False(t, p.Gone())
	p.HangUp()
	p.Bury()
	assert.True(t, p.Gone())
	signal, status := p.Ended()
	assert.Equal(t, ExitOrphaned, status)
	assert.Empty(t, signal)
	assert.Equal(t, "printed a\nprinted b\n", p.Output.String())
	assert.EqualValues(t, 20, p.Output.Written())
}

func TestAChildGetsFiles(t *testing.T) {
	t.Parallel()
	file, err := os.CreateTemp(t.TempDir(), "")
	require.NoError(t, err)
	defer file.Close()
	_, err = file.WriteString("shared")
	require.NoError(t, err)
	_, err = file.Seek(0, io.SeekStart)
	require.NoError(t, err)
	got, err := ask(t, start(t, file), "file")
	require.NoError(t, err)
	assert.Equal(t, "shared", got)
}

func TestNextSaysThatAChildIsGone(t *testing.T) {
	t.Parallel()
	for what, want := range map[string]struct {
		status int
		trace  string
	}{
		"exit": {7, ""}, "panic": {2, "panic: as asked"},
	} {
		p := start(t)
		_, err := ask(t, p, what)
		require.ErrorIs(t, err, ErrGone)
		p.Bury()
		signal, status := p.Ended()
		assert.Empty(t, signal)
		assert.Equal(t, want.status, status)
		assert.Contains(t, p.Trace.String(), want.trace)
	}
}

func TestAChildThatDoesNotAnswerIsEnded(t *testing.T) {
	t.Parallel()
	p := start(t)
	require.NoError(t, p.Send([]byte("hang\n")))
	_, err := p.Next(t.Context(), time.Millisecond)
	require.ErrorIs(t, err, ErrSilent)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = p.Next(ctx, 0)
	require.ErrorIs(t, err, context.Canceled)
	assert.False(t, p.Gone())
	p.End()
	p.End()
	assert.True(t, p.Gone())

	p = start(t)
	_, err = ask(t, p, "close")
	require.ErrorIs(t, err, ErrGone, "it runs, but cannot answer")
	p.End()
}

func TestInheritRefusesAProcessWithoutAParent(t *testing.T) {
	for pipes, key := range map[string]string{"": "k", "3,4": "k", "3,4,5": "", "3,4,x": "k"} {
		t.Setenv(name+pipesSuffix, pipes)
		t.Setenv(name+keySuffix, key)
		_, err := Inherit(name)
		require.ErrorContains(t, err, name+pipesSuffix, pipes)
	}
}

func TestTailKeepsTheEnd(t *testing.T) {
	t.Parallel()
	var next bytes.Buffer
	tail := &Tail{Limit: 4, Next: &next}
	for _, c := range []struct{ write, kept string }{
		{"ab", "ab"}, {"cdef", "cdef"}, {"ghi", "fghi"}, {"0123456789", "6789"}, {"", "6789"}, {"\xff", "789\uFFFD"},
	} {
		n, err := tail.Write([]byte(c.write))
		require.NoError(t, err)
		assert.Equal(t, len(c.write), n)
		assert.Equal(t, c.kept, tail.String())
	}
	assert.EqualValues(t, 20, tail.Written())
	assert.Equal(t, "abcdefghi0123456789\xff", next.String())
	tail.Reset()
	assert.Empty(t, tail.String())
	assert.Zero(t, tail.Written())
}

func TestSignalIn(t *testing.T) {
	t.Parallel()
	for trace, want := range map[string]string{
		"SIGABRT: abort\nPC=0x1": "SIGABRT", "panic: x\n[signal SIGSEGV: segmentation violation]": "SIGSEGV",
		"Exception 0xc0000005 0x0": "0xc0000005", "panic: SIGSEGV: x": "", "": "",
	} {
		assert.Equal(t, want, SignalIn(trace), trace)
	}
}
