// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package main

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/checker"
	"golang.org/x/tools/go/analysis/passes/asmdecl"
	"golang.org/x/tools/go/analysis/passes/buildtag"
	"golang.org/x/tools/go/analysis/passes/framepointer"
	"golang.org/x/tools/go/analysis/passes/unsafeptr"
	"golang.org/x/tools/go/packages"
)

// byPlatform are the analyzers of vet whose findings depend on the platform.
var byPlatform = []*analysis.Analyzer{asmdecl.Analyzer, buildtag.Analyzer, framepointer.Analyzer, unsafeptr.Analyzer}

// platforms returns what is wrong on each platform. It reads imported packages from their sources
// instead of compiling them for each platform, which takes a tenth of the time. It does not
// assemble or link: `make platforms` builds an example for that.
func platforms(list []string) (found []string) {
	for i, lines := range checkAll(".", list) {
		for _, line := range lines {
			found = append(found, list[i]+": "+line)
		}
	}
	return found
}

// checkAll returns what is wrong with the packages below a folder on each platform.
func checkAll(dir string, platforms []string) [][]string {
	found := make([][]string, len(platforms))
	turn := make(chan struct{}, 2) // each takes up to two gigabytes of memory
	var wg sync.WaitGroup
	for i, platform := range platforms {
		wg.Go(func() {
			turn <- struct{}{}
			defer func() { <-turn }()
			found[i] = checkPlatform(dir, platform)
		})
	}
	wg.Wait()
	return found
}

// checkPlatform returns what is wrong with the packages below a folder on one platform.
func checkPlatform(dir, platform string) []string {
	system, processor, ok := strings.Cut(platform, "/")
	if !ok {
		return []string{"a platform is written GOOS/GOARCH, such as linux/arm64"}
	}
	initial, err := packages.Load(&packages.Config{
		Mode:  packages.LoadAllSyntax | packages.NeedModule,
		Dir:   dir,
		Env:   append(os.Environ(), "GOOS="+system, "GOARCH="+processor, "CGO_ENABLED=0"),
		Tests: true,
	}, "./...")
	if err != nil {
		return []string{err.Error()}
	}
	var found []string
	for _, p := range initial {
		for _, e := range p.Errors {
			found = append(found, e.Error())
		}
	}
	if len(initial) == 0 {
		found = append(found, "there are no packages")
	}
	if len(found) == 0 {
		found = vetPlatform(initial)
	}
	slices.Sort(found)
	return slices.Compact(found) // a package and its test variant share files
}

// vetPlatform returns what the analyzers say about packages without errors.
func vetPlatform(initial []*packages.Package) []string {
	graph, err := checker.Analyze(byPlatform, initial, nil)
	if err != nil {
		return []string{err.Error()}
	}
	var found []string
	for _, root := range graph.Roots {
		if root.Err != nil {
			found = append(found, fmt.Sprintf("%s: %v", root.Package.ID, root.Err))
		}
		for _, d := range root.Diagnostics {
			found = append(found, fmt.Sprintf("%s: %s", root.Package.Fset.Position(d.Pos), d.Message))
		}
	}
	return found
}
