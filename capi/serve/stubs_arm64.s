// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

//go:build linux || darwin

#include "textflag.h"

#define S1(i) MOVD $(i), R1; JMP tail<>(SB)
#include "stubs.h"

// tail makes an entry on the stack, which stays aligned to 16, and calls
// enterGo with its address. crosscall2 saves the caller's registers.
TEXT tail<>(SB), NOSPLIT|NOFRAME, $0
	STP.W (R29, R30), -48(RSP)
	MOVD  R0, 16(RSP)
	MOVD  R1, 24(RSP)
	MOVD  ZR, 32(RSP)
	MOVD  $·enterGo(SB), R0
	MOVD  (R0), R0
	MOVD  (R0), R0
	ADD   $16, RSP, R1
	MOVD  ZR, R2
	MOVD  ZR, R3
	BL    crosscall2(SB)
	MOVD  32(RSP), R0
	LDP.P 48(RSP), (R29, R30)
	RET
