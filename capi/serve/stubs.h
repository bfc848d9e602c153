// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// C calls a stub with the args struct in the first register. The stub puts its
// number into the second, where the C function has no argument, and goes on to
// the entry into Go, which returns to C. Numbers begin at 1, since moving 0
// would be a shorter instruction and all stubs must have one length.
// S1 is one stub; the file that includes this one defines it.
#define S4(i) S1(i); S1(i+1); S1(i+2); S1(i+3)
#define S16(i) S4(i); S4(i+4); S4(i+8); S4(i+12)
#define S64(i) S16(i); S16(i+16); S16(i+32); S16(i+48)
#define S256(i) S64(i); S64(i+64); S64(i+128); S64(i+192)
#define S1024(i) S256(i); S256(i+256); S256(i+512); S256(i+768)

TEXT stubs<>(SB), NOSPLIT|NOFRAME, $0
	S1024(1)
	S1024(1025)
	S1024(2049)
	S1024(3073)
	S1024(4097)
	S1024(5121)
	S1024(6145)
	S1024(7169)
	S1024(8193)
	S1024(9217)
	S1024(10241)
	S1024(11265)
	S1024(12289)
	S1024(13313)
	S1024(14337)
	S1024(15361)

GLOBL ·stubs(SB), NOPTR|RODATA, $8
DATA ·stubs(SB)/8, $stubs<>(SB)
