package a

import "unsafe"

var _ unsafe.Pointer
