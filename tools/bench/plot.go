// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package main

import (
	"bytes"
	"fmt"
	"image/color"
	"math"
	"os"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// colors are distinct even for colour-blind readers (Okabe and Ito).
var colors = map[string]color.RGBA{
	viaCgo:  {0xD5, 0x5E, 0x00, 0xFF},
	bare:    {0x99, 0x99, 0x99, 0xFF},
	viaCapi: {0x56, 0xB4, 0xE9, 0xFF},
	viaPjrt: {0x00, 0x72, 0xB2, 0xFF},
	withJAX: {0xCC, 0x79, 0xA7, 0xFF},
	inONNX:  {0xD5, 0x5E, 0x00, 0xFF},
	inC:     {0x99, 0x99, 0x99, 0xFF},
}

// figure is a plot of ratios to one program.
type figure struct {
	title    string
	baseline string
	columns  []string
	has      func(row) bool
	ratio    func(*Cell) *Quartiles
}

// The figures of most rows, and of the jobs.
var (
	ofC = figure{
		"Time of an operation, C = 1 (logarithmic)", baseline, columns,
		func(r row) bool { return !isApart(r) && group(r.name) != "serve" }, func(c *Cell) *Quartiles { return c.Ratio },
	}
	ofJAX = figure{
		"Time of a job, JAX = 1 (logarithmic)", withJAX, jobColumns,
		func(r row) bool { return group(r.name) == jobs }, func(c *Cell) *Quartiles { return c.OfJAX },
	}
)

// drawPlot writes the ratios as an SVG file: a line for each row, a point for each program, and a bar
// from quartile to quartile.
func drawPlot(results *Results, f figure, path string) error {
	var names []string
	var shown []*Row
	for _, r := range slices.Backward(rows) { // so that the first is on top
		measured := results.row(r.name)
		if measured == nil || !f.has(r) || !f.hasRatios(measured) {
			continue
		}
		names, shown = append(names, strings.ReplaceAll(r.title, "`", "")), append(shown, measured)
	}
	if len(shown) == 0 {
		return fmt.Errorf("there is nothing to draw")
	}
	plot.DefaultFont.Variant = "Sans"
	p := plot.New()
	p.Title.Text = f.title
	p.X.Scale, p.X.Tick.Marker = plot.LogScale{}, ticks{}
	p.NominalY(names...)
	p.Add(plotter.NewGrid())
	p.Legend.Top, p.Legend.Padding = true, vg.Points(3)
	for _, program := range f.columns {
		if program == f.baseline {
			continue
		}
		var points errPoints
		for y, row := range shown {
			if c := row.Cells[program]; c != nil && f.ratio(c) != nil {
				q := f.ratio(c)
				points.XYs = append(points.XYs, plotter.XY{X: q.Median, Y: float64(y)})
				points.XErrors = append(points.XErrors, struct{ Low, High float64 }{q.Median - q.Q1, q.Q3 - q.Median})
			}
		}
		if len(points.XYs) == 0 {
			continue
		}
		dots, err := plotter.NewScatter(points.XYs)
		if err != nil {
			return err
		}
		dots.GlyphStyle = draw.GlyphStyle{Color: colors[program], Radius: vg.Points(3.5), Shape: draw.CircleGlyph{}}
		bars, err := plotter.NewXErrorBars(points)
		if err != nil {
			return err
		}
		bars.LineStyle.Color = colors[program]
		p.Add(bars, dots)
		p.Legend.Add(strings.Trim(titles[program], "`"), dots)
	}
	one, err := plotter.NewLine(plotter.XYs{{X: 1, Y: -0.5}, {X: 1, Y: float64(len(shown)) - 0.5}})
	if err != nil {
		return err
	}
	p.Add(one)
	p.Legend.Add(titles[f.baseline], one)
	// No point lies on the edge, and none under the legend.
	p.X.Min, p.X.Max = p.X.Min/1.2, p.X.Max*math.Pow(p.X.Max/p.X.Min, 0.3)
	w, err := p.WriterTo(22*vg.Centimeter, vg.Length(3+0.7*float64(len(shown)))*vg.Centimeter, "svg")
	if err != nil {
		return err
	}
	var svg bytes.Buffer
	if _, err := w.WriteTo(&svg); err != nil {
		return err
	}
	// Where a text begins was computed for Liberation Sans. Arial is as wide.
	return os.WriteFile(path, bytes.ReplaceAll(svg.Bytes(), []byte("font-family:Liberation Sans"),
		[]byte("font-family:'Liberation Sans',Arial,Helvetica,sans-serif")), 0o644)
}

// hasRatios reports whether a program has a ratio to the figure's.
func (f figure) hasRatios(row *Row) bool {
	for _, c := range row.Cells {
		if c != nil && f.ratio(c) != nil {
			return true
		}
	}
	return false
}

// errPoints are points with bars along x.
type errPoints struct {
	plotter.XYs
	plotter.XErrors
}

// ticks are at 1, 2 and 5 of each power of ten.
type ticks struct{}

func (ticks) Ticks(low, high float64) []plot.Tick {
	var all []plot.Tick
	for power := 1e-6; power < 1e6; power *= 10 {
		for _, digit := range []float64{1, 2, 5} {
			if x := digit * power; x >= low && x <= high {
				all = append(all, plot.Tick{Value: x, Label: fmt.Sprintf("%.3g", x)})
			}
		}
	}
	return all
}
