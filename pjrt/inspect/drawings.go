// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package inspect

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"io"
	"slices"
	"strconv"
	"strings"

	g "maragu.dev/gomponents"

	"github.com/purepjrt/purepjrt/internal/excerpt"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/sharding"
)

// formatNumber groups the digits of a large number.
func formatNumber(v any) string {
	var text string
	switch n := v.(type) {
	case float32:
		if n != 0 && n < 1e-3 && n > -1e-3 || n > 1e18 || n < -1e18 {
			return strconv.FormatFloat(float64(n), 'g', -1, 32)
		}
		text = strconv.FormatFloat(float64(n), 'f', -1, 32)
	case int64:
		text = strconv.FormatInt(n, 10)
	default:
		return fmt.Sprint(v)
	}
	whole, fraction, _ := strings.Cut(text, ".")
	for i := len(whole) - 3; i > 0 && whole[i-1] != '-'; i -= 3 {
		whole = whole[:i] + "\u2009" + whole[i:]
	}
	if fraction != "" {
		whole += "." + fraction
	}
	return whole
}

// maxAllocations limits the allocations of a page.
const maxAllocations = 200

// sharedFirst returns the largest allocations: those that several values share by size, then
// the others by size. It leaves out those of single threads, which are small and many.
func sharedFirst(list []Allocation) []Allocation {
	var shown []Allocation
	for _, a := range list {
		if a.Kind != ofThread {
			shown = append(shown, a)
		}
	}
	slices.SortStableFunc(shown, func(a, b Allocation) int { return cmp.Compare(b.Bytes, a.Bytes) })
	shown = shown[:min(maxAllocations, len(shown))]
	slices.SortStableFunc(shown, func(a, b Allocation) int {
		switch several, others := len(a.Slots) > 1, len(b.Slots) > 1; {
		case several && !others:
			return -1
		case others && !several:
			return 1
		}
		return 0
	})
	return shown
}

// unlisted describes the allocations that sharedFirst leaves out.
func unlisted(list []Allocation) string {
	n := len(list) - len(sharedFirst(list))
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("%d allocations are not listed: smaller ones, and those of single threads.", n)
}

// share returns the percentage that part is of whole, for CSS and SVG.
func share(part, whole int64) string {
	if whole <= 0 || part <= 0 {
		return "0"
	}
	return strconv.FormatFloat(100*min(1, float64(part)/float64(whole)), 'f', 2, 64)
}

// listing writes the instructions of a program, up to a size. Names that many instructions use as
// operands can make it much larger than the program.
type listing struct{ left int }

// maxListing is more than anybody reads of a program.
const maxListing = 64 << 20

// of returns the instructions of a computation, one a line.
func (l *listing) of(c Computation) g.Node {
	return g.NodeFunc(func(out io.Writer) error {
		for i := range c.Instructions {
			if l.left <= 0 {
				return g.Textf("... %d more\n", len(c.Instructions)-i).Render(out)
			}
			line := c.Instructions[i].String() + "\n"
			l.left -= len(line)
			if err := g.Text(line).Render(out); err != nil {
				return err
			}
		}
		return nil
	})
}

// grid is a drawing of an array, cut into tiles.
type grid struct {
	Whole string // the shape of the whole array
	Note  string // what the drawing leaves out
	Rows  [][]tile
}

type tile struct {
	Devices string
	Hue     int
}

// maxTiles limits a drawing.
const maxTiles = 1024

// newGrid draws how an array is spread over devices: the first two dimensions that are cut
// become rows and columns. It returns nil for a sharding that cannot be drawn.
func newGrid(v Value) *grid {
	s := v.Sharding
	if s == nil {
		return nil
	}
	g := &grid{}
	rank := len(v.Shape.Dims)
	if s.Kind == sharding.Replicated {
		g.Whole, g.Rows = v.Shape.String(), [][]tile{{{Devices: "every device", Hue: 210}}}
		return g
	}
	if s.Kind != sharding.Tiled || len(s.Tiles) < rank || len(s.Devices) == 0 || len(s.Devices) > maxTiles {
		return nil
	}
	whole := pjrt.Shape{Type: v.Shape.Type, Dims: slices.Clone(v.Shape.Dims)}
	var cut []int // dimensions
	tiles := 1
	for d, n := range s.Tiles[:rank] {
		if n < 1 || n > maxTiles {
			return nil
		}
		whole.Dims[d] *= n
		tiles *= int(n)
		if tiles > maxTiles {
			return nil
		}
		if n > 1 {
			cut = append(cut, d)
		}
	}
	if len(s.Devices)%tiles != 0 {
		return nil
	}
	g.Whole = whole.String()
	rows, columns := 1, tiles
	switch {
	case len(cut) == 1 && (cut[0] < rank-1 || rank == 1):
		rows, columns = tiles, 1
		if rank == 1 {
			rows, columns = 1, tiles
		}
	case len(cut) >= 2:
		rows = int(s.Tiles[cut[0]])
		columns = tiles / rows
		if len(cut) > 2 {
			g.Note = fmt.Sprintf("dimension %d down, the others across", cut[0])
		}
	}
	sharing := len(s.Devices) / tiles
	for y := range rows {
		row := make([]tile, columns)
		for x := range row {
			at := (y*columns + x) * sharing
			row[x] = tile{Devices: ranges(s.Devices[at : at+sharing]), Hue: (y*columns + x) * 360 / tiles}
		}
		g.Rows = append(g.Rows, row)
	}
	return g
}

// ranges lists numbers, with consecutive ones as 4–7.
func ranges(list []int64) string {
	list = slices.Sorted(slices.Values(list))
	var parts []string
	for i := 0; i < len(list); {
		j := i
		for j+1 < len(list) && list[j+1] == list[j]+1 {
			j++
		}
		switch {
		case j == i:
			parts = append(parts, strconv.FormatInt(list[i], 10))
		case j == i+1:
			parts = append(parts, strconv.FormatInt(list[i], 10), strconv.FormatInt(list[j], 10))
		default:
			parts = append(parts, fmt.Sprintf("%d–%d", list[i], list[j]))
		}
		i = j + 1
	}
	return strings.Join(parts, ", ")
}

// The sizes of drawings, in their own units.
const (
	chartWidth  = 1000
	chartHeight = 240
)

// chart is the memory that is alive over the steps of a schedule.
type chart struct {
	Path  string
	PeakX string
	Marks []mark
}

// mark is an invisible bar over a step, with a text.
type mark struct{ X, Width, Text string }

// maxMarks limits the texts of a chart.
const maxMarks = 500

func newChart(s *Schedule) *chart {
	if s == nil || len(s.Steps) == 0 || s.PeakSize <= 0 {
		return nil
	}
	n := len(s.Steps)
	columns := min(n, maxMarks)
	width := float64(chartWidth) / float64(columns)
	c := &chart{PeakX: coordinate((float64(s.Peak) + 0.5) / float64(n) * chartWidth)}
	var path strings.Builder
	fmt.Fprintf(&path, "M0 %d", chartHeight)
	for i := range columns {
		// A column of several steps shows the highest.
		from, to := i*n/columns, (i+1)*n/columns
		top := from
		for k := from; k < to; k++ {
			if s.Steps[k].Bytes > s.Steps[top].Bytes {
				top = k
			}
		}
		x, y := float64(i)*width, chartHeight*(1-float64(s.Steps[top].Bytes)/float64(s.PeakSize))
		fmt.Fprintf(&path, "L%s %sL%s %s", coordinate(x), coordinate(y), coordinate(x+width), coordinate(y))
		c.Marks = append(c.Marks, mark{
			coordinate(x), coordinate(width), fmt.Sprintf("step %d, %s: %s", top, s.Steps[top].Name, formatBytes(s.Steps[top].Bytes)),
		})
	}
	fmt.Fprintf(&path, "L%d %dZ", chartWidth, chartHeight)
	c.Path = path.String()
	return c
}

func coordinate(x float64) string { return strconv.FormatFloat(x, 'f', 2, 64) }

// box is a value in an allocation: its steps across, its bytes down.
type box struct {
	X, Y, Width, Height, Text string
	Hue                       uint32
}

// maxBoxes limits a drawing.
const maxBoxes = 2000

// newBoxes draws the values that share an allocation, if there are several and it is known
// when they are alive.
func newBoxes(a Allocation, s *Schedule) []box {
	if s == nil || len(a.Slots) < 2 || len(a.Slots) > maxBoxes || a.Bytes <= 0 {
		return nil
	}
	var list []box
	for _, slot := range a.Slots {
		if slot.First < 0 || slot.Bytes <= 0 {
			continue
		}
		step := float64(chartWidth) / float64(len(s.Steps))
		h := fnv.New32a()
		_, _ = io.WriteString(h, slot.Name) // a hash never fails
		list = append(list, box{
			X: coordinate(float64(slot.First) * step), Width: coordinate(float64(slot.Last-slot.First+1) * step),
			Y:      coordinate(float64(slot.Offset) / float64(a.Bytes) * chartHeight),
			Height: coordinate(max(1, float64(slot.Bytes)/float64(a.Bytes)*chartHeight)),
			Text:   fmt.Sprintf("%s: %s from byte %d on, steps %d to %d", excerpt.Of(slot.Name), formatBytes(slot.Bytes), slot.Offset, slot.First, slot.Last),
			Hue:    h.Sum32() % 360,
		})
	}
	if len(list) < 2 {
		return nil
	}
	return list
}

// bar is a kind of memory, with its share of the whole.
type bar struct {
	Name    string // also the class of its elements
	Bytes   int64
	Percent string
}

// newBars returns the parts of the device memory of an execution.
func newBars(m *pjrt.CompiledMemoryStats) []bar {
	list := []bar{
		{"arguments", m.Arguments, ""},
		{"results", m.Outputs - m.Aliased, ""},
		{"temporary", m.Temporary, ""},
		{"code", m.GeneratedCode, ""},
	}
	all := int64(0)
	for _, b := range list {
		all += max(0, b.Bytes)
	}
	for i := range list {
		list[i].Percent = share(list[i].Bytes, all)
	}
	return list
}
