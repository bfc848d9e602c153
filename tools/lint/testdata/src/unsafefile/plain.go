package a

import "unsafe" // want `plain.go imports unsafe`

var _ unsafe.Pointer
