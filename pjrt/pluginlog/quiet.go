// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pluginlog

import (
	"fmt"
	"log/slog"
	"os"
)

// LevelFatal is the level of records of fatal messages, after which a plugin ends the process.
const LevelFatal = slog.LevelError + 4

// Variable is an environment variable.
type Variable struct {
	Name, Value string
}

// Quiet tells plugins to log nothing below level. It sets the environment variables that
// [Variables] lists, except those that are set already, so that the user's own settings win. Call
// it before the first plugin is loaded, and while no other goroutine uses the environment. Plugins
// always log fatal messages.
func Quiet(level slog.Level) error {
	for _, v := range Variables(level) {
		if _, set := os.LookupEnv(v.Name); set {
			continue
		}
		if err := os.Setenv(v.Name, v.Value); err != nil {
			return fmt.Errorf("set %s, which quiets plugins: %w", v.Name, err)
		}
	}
	return nil
}

// Variables returns the environment variables that tell the plugins of XLA, libtpu and Neuron to
// log nothing below level.
func Variables(level slog.Level) []Variable {
	// Each of them has a few levels, with its own names.
	abseil, grpc, neuron := "0", "INFO", "INFO"
	switch {
	case level > slog.LevelError:
		abseil, grpc, neuron = "3", "NONE", "FATAL"
	case level > slog.LevelWarn:
		abseil, grpc, neuron = "2", "ERROR", "ERROR"
	case level > slog.LevelInfo:
		abseil, grpc, neuron = "1", "ERROR", "WARNING"
	}
	return []Variable{
		{"TF_CPP_MIN_LOG_LEVEL", abseil},
		{"TPU_MIN_LOG_LEVEL", abseil},
		{"TPU_STDERR_LOG_LEVEL", abseil},
		{"GRPC_VERBOSITY", grpc},
		{"NEURON_RT_LOG_LEVEL", neuron},
	}
}
