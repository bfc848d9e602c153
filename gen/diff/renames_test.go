// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package diff_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/purepjrt/purepjrt/gen/diff"
)

// house is a header with something of each sort that can be renamed.
const house = `
typedef struct PJRT_Room PJRT_Room;
typedef struct PJRT_Lamp { int watts; double volts; } PJRT_Lamp;
typedef enum { PJRT_Color_Red, PJRT_Color_Blue } PJRT_Color;
typedef void (*PJRT_Ready)(PJRT_Room* room, PJRT_Lamp* lamp);
typedef struct { size_t struct_size; PJRT_Room* room; } PJRT_Room_Close_Args;
typedef PJRT_Error* PJRT_Room_Close(PJRT_Room_Close_Args* args);
typedef struct { size_t struct_size; PJRT_Room* room; PJRT_Lamp* lamp; PJRT_Color color; PJRT_Ready ready; } PJRT_Light_Args;
typedef PJRT_Error* PJRT_Light(PJRT_Light_Args* args);
typedef struct { size_t struct_size; void* priv; PJRT_Room_Close* PJRT_Room_Close; PJRT_Light* PJRT_Light; } PJRT_Api;
enum { PJRT_Api_STRUCT_SIZE = SIZE(PJRT_Api, PJRT_Light) };
typedef PJRT_Error* PJRT_House_Sell(PJRT_Room_Close_Args* args, PJRT_Room* hall);
typedef struct { PJRT_Base base; PJRT_House_Sell* sell; } PJRT_House_Extension;
`

func TestCompareRecognisesWhatWasRenamed(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name    string
		replace []string // pairs
		want    []string // "item kind name", with "!" in front when it breaks the ABI
	}{
		{"a handle", []string{"PJRT_Room;", "PJRT_Hall;", "PJRT_Room*", "PJRT_Hall*", "struct PJRT_Room ", "struct PJRT_Hall "},
			[]string{"handle renamed PJRT_Hall"}},
		{"a struct", []string{"PJRT_Lamp", "PJRT_Candle"}, []string{"struct renamed PJRT_Candle"}},
		{"a struct, and a field of it", []string{"PJRT_Lamp", "PJRT_Candle", "watts", "power"},
			[]string{"field renamed PJRT_Candle.power", "struct renamed PJRT_Candle"}},
		{"a struct that shrank too", []string{"PJRT_Lamp", "PJRT_Candle", " double volts;", ""},
			[]string{"! field removed PJRT_Candle.volts", "! struct resized PJRT_Candle", "struct renamed PJRT_Candle"}},
		{"an enum", []string{"PJRT_Color", "PJRT_Paint"}, []string{"enum renamed PJRT_Paint"}},
		{"an enum, and not its values", []string{"} PJRT_Color;", "} PJRT_Paint;\ntypedef PJRT_Paint PJRT_Color;"},
			[]string{"alias added PJRT_Color", "enum renamed PJRT_Paint"}},
		{"an enum and a value", []string{"PJRT_Color", "PJRT_Paint", "_Red", "_Green"},
			[]string{"enum renamed PJRT_Paint", "value renamed PJRT_Paint_Green"}},
		{"an enum with other numbers", []string{"PJRT_Color", "PJRT_Paint", "PJRT_Paint_Red, PJRT_Paint_Blue", "PJRT_Paint_Blue, PJRT_Paint_Red"},
			[]string{"! value renumbered PJRT_Paint_Blue", "! value renumbered PJRT_Paint_Red", "enum renamed PJRT_Paint"}},
		{"a callback", []string{"PJRT_Ready", "PJRT_Done"}, []string{"callback renamed PJRT_Done"}},
		{"a function", []string{"PJRT_Light ", "PJRT_Shine ", "PJRT_Light;", "PJRT_Shine;", "PJRT_Light*", "PJRT_Shine*",
			"PJRT_Light(", "PJRT_Shine(", "PJRT_Light_Args", "PJRT_Shine_Args", "PJRT_Light)", "PJRT_Shine)"},
			[]string{"slot renamed PJRT_Api.PJRT_Shine", "struct renamed PJRT_Shine_Args"}},
		{"a function of a handle with another name", []string{"PJRT_Room", "PJRT_Hall"}, []string{
			"handle renamed PJRT_Hall", "slot renamed PJRT_Api.PJRT_Hall_Close", "struct renamed PJRT_Hall_Close_Args"}},
		{"an extension", []string{"PJRT_House", "PJRT_Home"}, []string{
			"struct renamed PJRT_Home_Extension"}},

		// A type that different types replace in different places was not renamed.
		{"a handle that two replace", []string{"struct PJRT_Room PJRT_Room", "struct PJRT_Hall PJRT_Hall;\ntypedef struct PJRT_Attic PJRT_Attic",
			"PJRT_Room* room; }", "PJRT_Hall* room; }", "PJRT_Room*", "PJRT_Attic*"}, []string{
			"! callback signature PJRT_Ready", "! field retyped PJRT_Light_Args.ready", "! field retyped PJRT_Light_Args.room",
			"! field retyped PJRT_Room_Close_Args.room", "! slot signature PJRT_House_Extension.sell",
			"handle added PJRT_Attic", "handle added PJRT_Hall", "handle removed PJRT_Room"}},
		{"a handle that another one takes over", []string{"typedef struct PJRT_Room PJRT_Room;", "", "PJRT_Room*", "PJRT_Door*"}, []string{
			"! callback signature PJRT_Ready", "! field retyped PJRT_Light_Args.ready", "! field retyped PJRT_Light_Args.room",
			"! field retyped PJRT_Room_Close_Args.room", "! slot signature PJRT_House_Extension.sell", "handle removed PJRT_Room"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			text := house
			for i := 0; i < len(test.replace); i += 2 {
				text = strings.ReplaceAll(text, test.replace[i], test.replace[i+1])
			}
			report := diff.Compare(parse(t, prelude+house), parse(t, prelude+text), diff.Options{})
			got, _ := lines(report)
			slices.Sort(got)
			assert.Equal(t, test.want, got)
		})
	}
}
