// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package restate

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const (
	hash = "0123456789abcdef0123456789abcdef01234567"
	text = "api_major: 0\napi_minor: 117\n" +
		"xla/a.h: 0.114 commit " + hash + " 2026-01-02T03:04:05-07:00\n" +
		"xla/b.h: 0.117 tf-nightly 2.23.0.dev20261026\n" +
		"xla/c.h: 0.117 unknown\n"
)

func TestVersionIsWrittenAsItWasRead(t *testing.T) {
	t.Parallel()
	v, err := ReadVersion([]byte(text))
	require.NoError(t, err)
	assert.Equal(t, &Version{0, 117, map[string]Origin{
		"xla/a.h": {114, CommitSource(hash, "2026-01-02T03:04:05-07:00")}, "xla/b.h": {117, "tf-nightly 2.23.0.dev20261026"}, "xla/c.h": {117, UnknownSource},
	}}, v)
	assert.Equal(t, text, string(v.Bytes()))

	v.Compared("xla/b.h", Origin{117, UnknownSource})
	assert.Equal(t, text, string(v.Bytes()), "what is known stays")
	v.Compared("xla/b.h", Origin{118, UnknownSource})
	assert.Contains(t, string(v.Bytes()), "xla/b.h: 0.118 unknown\n")
}

func TestWhatIsNoVersionIsRefusedWithTheLine(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ text, want string }{
		"no key":      {"abc\n", `"abc" is not of the form key: value`},
		"no number":   {"api_major: x\n", "no number"},
		"no minor":    {"api_major: 0\n", "no api_minor"},
		"bad version": {text + "xla/d.h: 114 unknown\n", "no number where a version is expected"},
		"twice":       {text + "xla/a.h: 0.114 unknown\n", "xla/a.h is listed twice"},
		"bad source":  {text + "xla/d.h: 0.114 somewhere\n", "the source of a header is"},
		"bad commit":  {text + "xla/d.h: 0.114 commit abc today\n", "the source of a header is"},
	} {
		_, err := ReadVersion([]byte(c.text))
		assert.ErrorContains(t, err, c.want, name)
	}
}

func TestAWheelsFileNameHasItsNameAndVersion(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]Source{
		"tf_nightly-2.23.0.dev20261026-cp311-cp311-manylinux_2_27_x86_64.whl": "tf-nightly 2.23.0.dev20261026",
		"some.whl": UnknownSource,
	} {
		assert.Equal(t, want, WheelSource(name))
		assert.True(t, WheelSource(name).Valid())
	}
}
