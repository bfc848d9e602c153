// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package filetype names the kinds of files that users take for a program or for arrays, so that an
// error can say what a file is rather than what it is not.
package filetype

import (
	"bytes"
	"encoding/binary"
)

// Of returns what data is the beginning of, such as "a NumPy array (.npy)", or "" if it is nothing
// that this package knows.
func Of(data []byte) string {
	for _, s := range signatures {
		if len(data) > s.at && bytes.HasPrefix(data[s.at:], []byte(s.magic)) {
			return s.name
		}
	}
	text := bytes.TrimLeft(data, "\ufeff \t\r\n")
	switch {
	case hasPrefixFold(text, "<!doctype html"), hasPrefixFold(text, "<html"):
		return "an HTML page"
	case isJSON(text):
		return "a JSON file"
	case isSafetensors(data):
		return "a safetensors file"
	case isONNX(data):
		return "an ONNX model"
	}
	return ""
}

// signature is how files of a kind begin.
type signature struct {
	at    int // offset of magic
	magic string
	name  string
}

var signatures = []signature{
	{0, "\x93NUMPY", "a NumPy array (.npy)"},
	{0, "PK\x03\x04", "a zip archive, such as NumPy's .npz and PyTorch's .pt"},
	{0, "PK\x05\x06", "an empty zip archive"},
	{0, "version https://git-lfs.github.com/spec/", "a pointer of Git LFS, which stands for a file that was not downloaded (git lfs pull does)"},
	{0, "GGUF\x01\x00", "a GGUF file"},
	{0, "GGUF\x02\x00", "a GGUF file"},
	{0, "GGUF\x03\x00", "a GGUF file"},
	{4, "TFL3", "a TensorFlow Lite model"},
	{0, "\x89HDF\r\n\x1a\n", "an HDF5 file"},
	{0, "\x80\x02", "a Python pickle"},
	{0, "\x80\x03", "a Python pickle"},
	{0, "\x80\x04", "a Python pickle"},
	{0, "\x80\x05", "a Python pickle"},
	{0, "\x7fELF", "an executable file or shared library for Linux (ELF)"},
	{0, "\xcf\xfa\xed\xfe", "an executable file or shared library for macOS (Mach-O)"},
	{0, "\xca\xfe\xba\xbe", "an executable file or shared library for macOS (Mach-O)"},
	{0, "MZ\x90\x00", "an executable file or DLL for Windows"},
	{0, "BC\xc0\xde", "LLVM bitcode"},
	{0, "\x1f\x8b", "a file compressed with gzip"},
	{0, "\x28\xb5\x2f\xfd", "a file compressed with zstd"},
	{0, "\xfd7zXZ\x00", "a file compressed with xz"},
	{4, "1AY&SY", "a file compressed with bzip2"},
}

func hasPrefixFold(data []byte, prefix string) bool {
	return len(data) >= len(prefix) && bytes.EqualFold(data[:len(prefix)], []byte(prefix))
}

// isJSON reports whether text begins as a JSON object does. Only a dictionary of resources begins
// with a brace in MLIR, and that goes on with {-#.
func isJSON(text []byte) bool {
	rest, ok := bytes.CutPrefix(text, []byte("{"))
	rest = bytes.TrimLeft(rest, " \t\r\n")
	return ok && len(rest) > 0 && (rest[0] == '"' || rest[0] == '}')
}

// isSafetensors reports whether data begins with the length of a header and a JSON object, as
// safetensors files do.
func isSafetensors(data []byte) bool {
	const longest = 100 << 20 // of a header, in the format's own library
	if len(data) < 10 {
		return false
	}
	length := binary.LittleEndian.Uint64(data)
	return length >= 2 && length <= longest && data[8] == '{' && (data[9] == '"' || data[9] == '}')
}

// isONNX reports whether data begins with the version of a ModelProto, its first field, and the
// name of its producer, its second, or with the version alone and the graph, its seventh.
func isONNX(data []byte) bool {
	const newest = 32 // version; it was 13 in 2026
	if len(data) < 4 || data[0] != 1<<3 || data[1] == 0 || data[1] > newest {
		return false
	}
	return data[2] == 2<<3|2 && printable(data[4:min(len(data), 4+int(data[3]))]) || data[2] == 7<<3|2
}

func printable(data []byte) bool {
	for _, c := range data {
		if c < ' ' || c > '~' {
			return false
		}
	}
	return len(data) > 0
}
