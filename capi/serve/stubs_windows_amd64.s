// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

#include "textflag.h"

#define S1(i) MOVL $(i), DX; JMP tail<>(SB)
#include "stubs.h"

// entryPC holds the address of the entry into Go.
TEXT tail<>(SB), NOSPLIT|NOFRAME, $0
	MOVQ ·entryPC(SB), AX
	JMP  AX
