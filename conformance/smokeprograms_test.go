// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package conformance

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/conformance/internal/session"
	"github.com/purepjrt/purepjrt/conformance/internal/worker"
	"github.com/purepjrt/purepjrt/pjrt/plugins/plugintest"
)

// programsToken is the token of workers that keep the programs which checks compile, in the folder
// that the fault names.
const programsToken = "programs"

// TestProgramsWorker is a worker of TestTheDocumentListsWhatSmokeCompiles.
func TestProgramsWorker(*testing.T) {
	if token, ok := worker.Asked(); !ok || token != programsToken {
		return
	}
	session.Serve(session.Program{Check: new(Options).find, Open: func(setup session.Setup) (*capi.Table, error) {
		real, err := capi.Open(setup.Plugin)
		if err != nil {
			return nil, err
		}
		return session.Keep(real, setup.Fault)
	}})
}

var (
	operationName = regexp.MustCompile(`\bstablehlo\.([a-z_]+)`)
	elementName   = regexp.MustCompile(`tensor<(?:[0-9?]+x)*([a-z][A-Za-z0-9]*(?:<f[0-9]+>)?)`)
)

// TestTheDocumentListsWhatSmokeCompiles compares what a compiler needs for the profile smoke with
// the list in the document for authors of plugins.
func TestTheDocumentListsWhatSmokeCompiles(t *testing.T) {
	if _, ok := worker.Asked(); ok {
		return
	}
	t.Parallel()
	dir := t.TempDir()
	o := Options{Plugin: plugintest.Path(t, "cpu"), NoKnownWaivers: true, NoReruns: true, Profile: Smoke, token: programsToken, fault: dir}
	o.WorkerArgs = []string{"-test.run=^TestProgramsWorker$", "-test.timeout=0", "-test.count=1"}
	c, err := o.config()
	require.NoError(t, err)
	_, err = runConfig(t.Context(), c)
	require.NoError(t, err)
	files, err := filepath.Glob(filepath.Join(dir, "program*"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	operations, elements := make(map[string]bool), make(map[string]bool)
	for _, file := range files {
		code, err := os.ReadFile(file)
		require.NoError(t, err)
		if bytes.HasPrefix(code, []byte("ML\xefR")) {
			continue // the artifacts are all the same program
		}
		for _, m := range operationName.FindAllSubmatch(code, -1) {
			operations[string(m[1])] = true
		}
		for _, m := range elementName.FindAllSubmatch(code, -1) {
			elements[string(m[1])] = true
		}
	}
	list := func(set map[string]bool) string {
		var names []string
		for _, n := range slices.Sorted(maps.Keys(set)) {
			names = append(names, "`"+n+"`")
		}
		return strings.Join(names, ", ")
	}
	text, err := os.ReadFile("../pjrt/docs/writing-a-plugin.md")
	require.NoError(t, err)
	flat := strings.Join(strings.Fields(string(text)), " ")
	for _, want := range []string{
		fmt.Sprintf("operations of StableHLO: %s.", list(operations)), fmt.Sprintf("element types: %s.", list(elements)),
	} {
		assert.True(t, strings.Contains(flat, want), "the document does not say %q", want)
	}
}
