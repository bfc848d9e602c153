// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package plugins

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
)

// Environment variables that say which platforms to use. Each holds names that [Find] takes,
// separated by commas, the preferred one first. If several are set, the first one here wins.
const (
	PlatformsVariable       = "PJRT_PLATFORMS"
	JAXPlatformsVariable    = "JAX_PLATFORMS"
	JAXPlatformNameVariable = "JAX_PLATFORM_NAME" // the older name of JAXPlatformsVariable
)

// selectPlugins returns the usable plugins, the preferred one first, or those of the platforms that
// the user chose. If there is none, it returns an error.
func (f *finder) selectPlugins(ctx context.Context) ([]Candidate, error) {
	for _, variable := range []string{PlatformsVariable, JAXPlatformsVariable, JAXPlatformNameVariable} {
		if value := f.getenv(variable); value != "" {
			return f.selectNamed(ctx, variable, value)
		}
	}
	all, err := f.list(ctx)
	if err != nil {
		return nil, err
	}
	var list, rejected []Candidate
	for _, c := range all {
		switch {
		case c.Name == "" && c.Origin == OriginNames:
			return nil, c.Problem // an entry of a variable that cannot be parsed
		case c.Name == "":
		case c.Err() != nil && !c.FailQuietly:
			return nil, fmt.Errorf("%s: plugin %s is not usable: %w", c.source(), c.Name, c.Err())
		case c.Err() != nil:
			rejected = append(rejected, c)
		case c.Experimental:
		default:
			list = append(list, c)
		}
	}
	if len(list) == 0 {
		return nil, &SearchError{Rejected: rejected, Advice: append(f.hints(all), f.advice("cpu")...)}
	}
	// Nothing shows that there is a device for a plugin of an unknown kind, and some end the
	// process if there is none.
	slices.SortStableFunc(list, func(a, b Candidate) int { return uninvited(a) - uninvited(b) })
	return list, nil
}

// chosenPlatforms reports whether the user chose the platforms, so that no other replaces them.
func (f *finder) chosenPlatforms() bool {
	return cmp.Or(f.getenv(PlatformsVariable), f.getenv(JAXPlatformsVariable), f.getenv(JAXPlatformNameVariable)) != ""
}

// uninvited returns 1 for a plugin that happens to be on the machine, and 0 for one that the user
// asked for, or whose devices were seen.
func uninvited(c Candidate) int {
	if c.chosen() || knows(c.Platform) {
		return 0
	}
	return 1
}

// selectNamed returns a plugin for each name in the value of a variable.
func (f *finder) selectNamed(ctx context.Context, variable, value string) ([]Candidate, error) {
	var list []Candidate
	for name := range strings.SplitSeq(value, ",") {
		if name = strings.TrimSpace(name); name == "" {
			continue
		}
		c, err := f.lookupPlugin(ctx, name)
		if err == nil {
			err = c.Err()
		}
		if err != nil {
			return nil, fmt.Errorf("%s=%s: %s is not usable: %w", variable, value, name, err)
		}
		list = append(list, c)
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("%s=%q names no platform: unset it, or name one such as cpu", variable, value)
	}
	return list, nil
}

// Hints says what is missing on this machine, given the result of [List]: devices without a plugin,
// and plugins whose devices lack a driver. Each hint is a sentence for the user.
func Hints(list []Candidate) []string {
	return newFinder(ListOptions{NoPython: true}).hints(list)
}

func (f *finder) hints(list []Candidate) (hints []string) {
	for _, p := range platforms {
		if p.name == "cpu" || p.experimental || f.hardware(p.name) != nil {
			continue
		}
		loadable := slices.ContainsFunc(list, func(c Candidate) bool { return c.Platform == p.name && c.Problem == nil })
		if !loadable {
			hint := "there are devices for " + p.name + ", but no plugin that can be loaded"
			table := f.suited()
			if i := slices.IndexFunc(table, func(q Package) bool { return platformOf(q.Name) == p.name }); i >= 0 {
				hint += "; run: pjrt install " + table[i].Name
			}
			hints = append(hints, hint)
		}
	}
	return hints
}
