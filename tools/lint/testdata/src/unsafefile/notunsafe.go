package a

import p "unsafe" // want `notunsafe.go imports unsafe`

var _ p.Pointer
