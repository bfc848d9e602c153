// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package check

import (
	"embed"
	"fmt"
	"slices"
)

// An Artifact is a program as a portable artifact of a version of StableHLO. All artifacts are
// the same program, which returns its argument, tensor<4xf32>, plus 10, 20, 30 and 40.
type Artifact struct {
	Version []int64 // three numbers
	Code    string
}

// String returns the version.
func (a Artifact) String() string { return versionText(a.Version) }

func versionText(v []int64) string { return fmt.Sprintf("%d.%d.%d", v[0], v[1], v[2]) }

//go:embed artifacts/*.mlirbc
var artifactFiles embed.FS

// Artifacts are the artifacts of the suite, oldest first.
var Artifacts = func() (list []Artifact) {
	for _, v := range [][]int64{{0, 9, 0}, {0, 14, 0}, {0, 19, 0}, {1, 0, 0}, {1, 5, 0}, {1, 9, 0}, {1, 13, 3}} {
		code, err := artifactFiles.ReadFile("artifacts/" + versionText(v) + ".mlirbc")
		if err != nil {
			panic(err) // it is embedded
		}
		list = append(list, Artifact{v, string(code)})
	}
	return list
}()

// ArtifactsBetween returns the artifacts that a plugin must read which says that it reads the
// versions from lowest to highest. It skips the check if the suite has none.
func (t *T) ArtifactsBetween(lowest, highest []int64) []Artifact {
	list := slices.DeleteFunc(slices.Clone(Artifacts), func(a Artifact) bool {
		return slices.Compare(a.Version, lowest) < 0 || slices.Compare(a.Version, highest) > 0
	})
	if len(list) == 0 {
		t.SkipEnvf("the plugin reads StableHLO %v to %v, but the suite has no program of these versions", lowest, highest)
	}
	return list
}
