// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package check

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	_ "embed"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/conformance/report"
)

// A plugin may take portable artifacts alone, since JAX sends nothing else. The suite cannot write
// them, but knows its programs: the table has an artifact for each text that a check compiles on
// plugins for CPUs, of the oldest version from 1.0.0 on that has its operations and types. The
// command artifacts of the authors makes it.
//
//go:embed artifacts/programs.gz
var portableFile []byte

// textKey identifies a text in the table.
type textKey [8]byte

func keyOf(text string) textKey {
	sum := sha256.Sum256([]byte(text))
	return textKey(sum[:])
}

// portable has the artifacts of the table.
var portable = sync.OnceValue(func() map[textKey]string {
	table, err := readPortable(portableFile)
	if err != nil {
		panic(err) // it is embedded, and a test reads it
	}
	return table
})

// Portable returns the portable artifact that is the same program as a text, if the suite has it.
func Portable(text string) (artifact string, ok bool) {
	artifact, ok = portable()[keyOf(text)]
	return artifact, ok
}

// WritePortable writes the table of artifacts: artifacts has them by their texts. With keep, what
// the table has of other texts stays in it.
func WritePortable(w io.Writer, artifacts map[string][]byte, keep bool) error {
	byKey := make(map[textKey][]byte, len(artifacts))
	if keep {
		for key, artifact := range portable() {
			byKey[key] = []byte(artifact)
		}
	}
	for text, artifact := range artifacts {
		key := keyOf(text)
		if byKey[key] != nil {
			return fmt.Errorf("two texts have the key %x: make keys longer", key)
		}
		byKey[key] = artifact
	}
	z, err := gzip.NewWriterLevel(w, gzip.BestCompression)
	if err != nil {
		return err
	}
	// Keys cannot be compressed. Artifacts can, best beside others of their length.
	keys := slices.SortedFunc(maps.Keys(byKey), func(a, b textKey) int {
		if d := len(byKey[a]) - len(byKey[b]); d != 0 {
			return d
		}
		return bytes.Compare(a[:], b[:])
	})
	head := binary.AppendUvarint(nil, uint64(len(keys)))
	for _, k := range keys {
		head = append(head, k[:]...)
		head = binary.AppendUvarint(head, uint64(len(byKey[k])))
	}
	if _, err := z.Write(head); err != nil {
		return err
	}
	for _, k := range keys {
		if _, err := z.Write(byKey[k]); err != nil {
			return err
		}
	}
	return z.Close()
}

// readPortable is the reverse of WritePortable.
func readPortable(file []byte) (map[textKey]string, error) {
	z, err := gzip.NewReader(bytes.NewReader(file))
	if err != nil {
		return nil, err
	}
	data, err := io.ReadAll(z)
	if err != nil {
		return nil, err
	}
	number := func() uint64 {
		x, n := binary.Uvarint(data)
		data = data[max(n, 0):]
		return x
	}
	keys := make([]textKey, number())
	lengths := make([]uint64, len(keys))
	for i := range keys {
		data = data[copy(keys[i][:], data):]
		lengths[i] = number()
	}
	table := make(map[textKey]string, len(keys))
	for i, k := range keys {
		if lengths[i] > uint64(len(data)) {
			return nil, errors.New("the table of artifacts is cut off")
		}
		table[k], data = string(data[:lengths[i]]), data[lengths[i]:]
	}
	if len(data) > 0 {
		return nil, fmt.Errorf("%d bytes follow the table of artifacts", len(data))
	}
	return table, nil
}

// bytecodeMagic is what MLIR bytecode begins with.
const bytecodeMagic = "ML\xefR"

// IsBytecode reports whether a program is MLIR bytecode, which a portable artifact is.
func IsBytecode(code string) bool { return strings.HasPrefix(code, bytecodeMagic) }

// isText reports whether a program is StableHLO text.
func isText(p *capi.Program) bool {
	return capi.String(p.Format, p.FormatSize) == "mlir" && !IsBytecode(capi.String(p.Code, p.CodeSize))
}

// Sent returns the program that the check compiles for a StableHLO text: the text itself, or its
// artifact if the plugin does not take text and the suite has one. CMP-01 is about text.
func (t *T) Sent(text string) string {
	if t.env.NoText == "" || t.rule.ID == "CMP-01" {
		return text
	}
	if artifact, ok := Portable(text); ok {
		return artifact
	}
	return text
}

// Program is the function Program, for a program that goes as an artifact if the plugin does not
// take text.
func (t *T) Program(format, code string) *capi.Program {
	if format == "mlir" {
		code = t.Sent(code)
	}
	return Program(format, code)
}

// NeedsText ends a check whose program, which was refused with err, went as StableHLO text because
// the suite has no artifact for it, if the plugin does not take text at all. CMP-01 is about that.
// Whether it takes text was found out before the check, which may have broken the compiler since.
func (t *T) NeedsText(p *capi.Program, err error) {
	if t.rule.ID != "CMP-01" && t.env.NoText != "" && isText(p) {
		t.BlockedBy("CMP-01", report.NoArtifact+", as it does that of a plus one (%s): %v", t.env.NoText, err)
	}
}
