// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package inspect

import (
	_ "embed"
	"errors"
	"fmt"
	"io"
	"strconv"

	g "maragu.dev/gomponents"
	h "maragu.dev/gomponents/html"

	"github.com/purepjrt/purepjrt/internal/excerpt"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/hlo"
)

var (
	//go:embed page.css
	pageStyle string
	//go:embed page.js
	pageScript string
)

// WriteHTML writes the report as a single page that needs no network and no other file. The
// program can be searched. The page follows the reader's choice of light or dark, and fits on
// a phone. An error is from out.
func (r *Report) WriteHTML(out io.Writer) error {
	if r == nil || out == nil {
		return errors.New("inspect: the report or its destination is nil")
	}
	return page(r).Render(out)
}

// page returns the whole page. The package gomponents escapes texts and attributes; only the
// style and the script, which are constants, go in as they are.
func page(r *Report) g.Node {
	return h.Doctype(h.HTML(
		h.Lang("en"),
		h.Head(
			h.Meta(h.Charset("utf-8")),
			h.Meta(h.Name("viewport"), h.Content("width=device-width, initial-scale=1")),
			h.Meta(g.Attr("http-equiv", "Content-Security-Policy"),
				h.Content("default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'")),
			h.Meta(h.Name("color-scheme"), h.Content("light dark")),
			h.TitleEl(g.Text(r.Name)),
			h.StyleEl(g.Raw(pageStyle)),
		),
		h.Body(
			pageHeader(r),
			h.Main(valuesSection(r), memorySection(r), costSection(r), kernelsSection(r), programSection(r.Program),
				absentSection(r.Absent)),
			h.Script(g.Raw(pageScript)),
		),
	))
}

func pageHeader(r *Report) g.Node {
	facts := []g.Node{
		h.Class("facts"),
		fact(r.Replicas, "replica"), fact(r.Partitions, "partition"), fact(len(r.Parameters), "argument"), fact(len(r.Results), "result"),
	}
	links := []g.Node{link("values", "Arguments and results"), link("memory", "Memory")}
	if len(r.Cost) > 0 || r.Counted != nil {
		links = append(links, link("cost", "Cost"))
	}
	if len(r.Kernels) > 0 {
		links = append(links, link("kernels", "Kernels"))
	}
	if r.Program != nil {
		facts = append(facts, fact(len(r.Program.Computations), "computation"))
		links = append(links, link("program", "Program"))
	}
	if r.CodeSize != 0 {
		facts = append(facts, h.Span(h.B(g.Text(formatBytes(r.CodeSize))), g.Text(" of code")))
	}
	return h.Header(h.H1(g.Text(r.Name)), h.P(facts...), h.Nav(links...))
}

func fact(n int, what string) g.Node {
	return h.Span(h.B(g.Text(strconv.Itoa(n))), g.Text(" "+plural(n, what)))
}

func link(section, text string) g.Node { return h.A(h.Href("#"+section), g.Text(text)) }

func plural(n int, what string) string {
	if n == 1 {
		return what
	}
	return what + "s"
}

func section(id, title string, nodes ...g.Node) g.Node {
	return h.Section(h.ID(id), h.H2(g.Text(title)), g.Group(nodes))
}

func note(text string) g.Node { return h.P(h.Class("note"), g.Text(text)) }

func none(text string) g.Node { return h.P(h.Class("none"), g.Text(text)) }

// folded returns nodes that the reader opens, unless they are open from the beginning.
func folded(open bool, summary g.Node, nodes ...g.Node) g.Node {
	return h.Details(g.If(open, g.Attr("open")), h.Summary(summary), g.Group(nodes))
}

// table returns a table with these columns, of which those whose name begins with # are numbers.
func table(columns []string, rows ...g.Node) g.Node {
	heads := g.Map(columns, func(name string) g.Node {
		if name[0] == '#' {
			return h.Th(h.Class("n"), g.Text(name[1:]))
		}
		return h.Th(g.Text(name))
	})
	return h.Div(h.Class("scroll"), h.Table(h.THead(h.Tr(heads)), h.TBody(rows...)))
}

func number(text string) g.Node { return h.Td(h.Class("n"), g.Text(text)) }

func code(text string) g.Node { return h.Code(g.Text(text)) }

func valuesSection(r *Report) g.Node {
	about := "Shapes are those of the part on one device."
	if r.Partitions > 1 {
		about += " The drawings show the whole array cut into tiles, each with the numbers of the partitions that have it."
	}
	return section("values", "Arguments and results", note(about), h.Div(
		h.Class("columns"),
		h.Div(h.H3(g.Text("Arguments")), valueList(r.Parameters)),
		h.Div(h.H3(g.Text("Results")), valueList(r.Results)),
	))
}

func valueList(list []Value) g.Node {
	if len(list) == 0 {
		return none("none")
	}
	var nodes g.Group
	for i, v := range list {
		about := func(name string, text g.Node) g.Node { return h.Div(h.Dt(g.Text(name)), h.Dd(text)) }
		nodes = append(nodes, h.Article(
			h.Class("value"),
			h.H4(h.Span(h.Class("index"), g.Text(strconv.Itoa(i))), g.Text(" "), code(v.Shape.String())),
			h.Dl(
				g.Iff(v.Layout != "", func() g.Node { return about("layout", code(v.Layout)) }),
				g.Iff(v.MemoryKind != "", func() g.Node { return about("memory", g.Text(v.MemoryKind)) }),
				g.Iff(v.Sharding != nil, func() g.Node {
					return about("sharding", h.Code(h.Class("long"), g.Text(v.Sharding.String())))
				}),
			),
			tilesOf(v),
		))
	}
	return nodes
}

// tilesOf draws how an array is spread over devices, if that can be drawn.
func tilesOf(v Value) g.Node {
	grid := newGrid(v)
	if grid == nil {
		return nil
	}
	rows := g.Map(grid.Rows, func(row []tile) g.Node {
		return h.Tr(g.Map(row, func(t tile) g.Node { return h.Td(hue(t.Hue), g.Text(t.Devices)) }))
	})
	return h.Figure(
		h.Class("grid"),
		h.Div(h.Class("scroll"), h.Table(h.Aria("label", "the tiles of the array, with the partitions that have each"), rows)),
		h.FigCaption(g.Text("whole: "), code(grid.Whole), g.If(grid.Note != "", g.Text("; "+grid.Note))),
	)
}

func hue[N int | uint32](n N) g.Node { return h.StyleAttr(fmt.Sprintf("--hue:%d", n)) }

func memorySection(r *Report) g.Node {
	return section("memory", "Memory", memoryBars(r.Memory), memoryOverTime(r.Schedule), allocations(r))
}

func memoryBars(m *pjrt.CompiledMemoryStats) g.Node {
	if m == nil {
		return none("The plugin does not report how much memory an execution takes.")
	}
	var bars, legend g.Group
	item := func(name string, n int64) g.Node { return h.Li(g.Text(name+" "), h.B(g.Text(formatBytes(n)))) }
	for _, b := range newBars(m) {
		if b.Bytes > 0 {
			bars = append(bars, h.Span(h.Class(b.Name), h.StyleAttr("width:"+b.Percent+"%"), h.TitleAttr(b.Name+": "+formatBytes(b.Bytes))))
			legend = append(legend, h.Li(h.I(h.Class(b.Name)), g.Text(b.Name+" "), h.B(g.Text(formatBytes(b.Bytes)))))
		}
	}
	for _, whole := range []struct {
		name  string
		bytes int64
	}{{"results in the place of arguments", m.Aliased}, {"peak", m.Peak}, {"total", m.Total}} {
		if whole.bytes != 0 {
			legend = append(legend, item(whole.name, whole.bytes))
		}
	}
	host := m.HostArguments != 0 || m.HostOutputs != 0 || m.HostTemporary != 0 || m.HostGeneratedCode != 0
	return g.Group{
		h.Div(h.Class("bars"), h.Role("img"), h.Aria("label", "the parts of the device memory"), bars),
		h.Ul(h.Class("legend"), legend),
		g.If(host, note(fmt.Sprintf("In the memory of the host: %s of arguments, %s of results, %s temporary, %s of code.",
			formatBytes(m.HostArguments), formatBytes(m.HostOutputs), formatBytes(m.HostTemporary), formatBytes(m.HostGeneratedCode)))),
	}
}

// drawing returns a figure of rectangles, with these nodes below them.
func drawing(class, label string, below g.Group, marks g.Group, caption g.Node) g.Node {
	return h.Figure(
		h.Class(class),
		h.SVG(g.Attr("viewBox", fmt.Sprintf("0 0 %d %d", chartWidth, chartHeight)), g.Attr("preserveAspectRatio", "none"),
			h.Role("img"), h.Aria("label", label), below, marks),
		h.FigCaption(caption),
	)
}

// rectangle is a part of a drawing that shows its text to whoever points at it.
func rectangle(x, y, width, height, text string, nodes ...g.Node) g.Node {
	return g.El("rect", g.Attr("x", x), g.Attr("y", y), g.Attr("width", width), g.Attr("height", height),
		g.Group(nodes), g.El("title", g.Text(text)))
}

// maxAtPeak limits the values that are listed as alive at the peak.
const maxAtPeak = 200

func memoryOverTime(s *Schedule) g.Node {
	if s == nil {
		return nil
	}
	var nodes g.Group
	if c := newChart(s); c != nil {
		order := "the order of the program, which is not scheduled"
		if s.Measured {
			order = "the order in which the program runs"
		}
		height := strconv.Itoa(chartHeight)
		nodes = append(nodes,
			h.H3(g.Text("Alive over the steps of the entry computation")),
			drawing("chart", "the bytes that are alive in each step",
				g.Group{
					g.El("path", g.Attr("d", c.Path)),
					g.El("line", g.Attr("x1", c.PeakX), g.Attr("x2", c.PeakX), g.Attr("y1", "0"), g.Attr("y2", height)),
				},
				g.Map(c.Marks, func(m mark) g.Node { return rectangle(m.X, "0", m.Width, height, m.Text) }),
				g.Group{
					g.Text("Up to "), h.B(g.Text(formatBytes(s.PeakSize))),
					g.Textf(" in step %d of %d. Estimated from %s and the shapes of its values in the default memory; the compiler"+
						" may put a result in the place of an operand, and computations that the entry calls need memory of their own.",
						s.Peak, len(s.Steps), order),
				}))
	}
	if all := s.atPeak(); len(all) > 0 {
		shown := all[:min(maxAtPeak, len(all))]
		nodes = append(nodes, folded(len(all) <= 12, g.Textf("Alive at the peak: %d values", len(all)),
			table([]string{"value", "kind", "#bytes", "#share", "#steps"}, g.Map(shown, func(n int) g.Node {
				b := &s.Buffers[n]
				return h.Tr(h.Td(code(b.Name)), h.Td(g.Text(b.Kind)), number(formatBytes(b.Bytes)),
					number(share(b.Bytes, s.PeakSize)+"%"), number(fmt.Sprintf("%d–%d", b.First, b.Last)))
			})),
			g.If(len(shown) < len(all), note(fmt.Sprintf("The %d largest of %d.", maxAtPeak, len(all))))))
	}
	return nodes
}

func allocations(r *Report) g.Node {
	if len(r.Allocations) == 0 {
		return nil
	}
	nodes := g.Group{
		h.H3(g.Text("Allocations")),
		note("What the compiler planned (its buffer assignment)." +
			" Values share an allocation when they are not alive at the same time, or lie side by side."),
	}
	for i, a := range sharedFirst(r.Allocations) {
		summary := g.Group{
			g.Textf("allocation %d: ", a.Index), h.B(g.Text(formatBytes(a.Bytes))),
			g.Textf(", %s, %d %s", a.Kind, len(a.Slots), plural(len(a.Slots), "value")),
		}
		var figure g.Node
		if boxes := newBoxes(a, r.Schedule); boxes != nil {
			figure = drawing("chart boxes", "the values of the allocation: steps across, bytes down", nil,
				g.Map(boxes, func(b box) g.Node { return rectangle(b.X, b.Y, b.Width, b.Height, b.Text, hue(b.Hue)) }),
				g.Text("Steps across, bytes down."))
		}
		rows := g.Map(a.Slots, func(s Slot) g.Node {
			name, steps := h.I(g.Text("inside a called computation")), ""
			if s.Name != "" {
				name = code(excerpt.Of(s.Name))
			}
			if s.First >= 0 {
				steps = fmt.Sprintf("%d–%d", s.First, s.Last)
			}
			return h.Tr(h.Td(name), number(strconv.FormatInt(s.Offset, 10)), number(formatBytes(s.Bytes)), number(steps))
		})
		nodes = append(nodes, folded(i == 0, summary, figure, table([]string{"value", "#offset", "#bytes", "#steps"}, rows)))
	}
	if left := unlisted(r.Allocations); left != "" {
		nodes = append(nodes, note(left))
	}
	return nodes
}

func costSection(r *Report) g.Node {
	about := "The compiler's estimate for one execution, under its own names."
	properties := r.Cost
	if len(properties) == 0 {
		if r.Counted == nil {
			return nil
		}
		about = "Counted in the program for one execution, by XLA's rules. The compiler estimates nothing."
		properties = counted(r.Counted)
	}
	return section("cost", "Cost", note(about), table([]string{"property", "#value"}, g.Map(properties, func(a pjrt.Attribute) g.Node {
		return h.Tr(h.Td(g.Text(a.Name)), number(formatNumber(a.Value)))
	})))
}

func counted(c *hlo.Cost) []pjrt.Attribute {
	return []pjrt.Attribute{
		{Name: "flops", Value: c.Flops},
		{Name: "transcendentals", Value: c.Transcendentals},
		{Name: "bytes accessed", Value: c.Bytes},
	}
}

func kernelsSection(r *Report) g.Node {
	if len(r.Kernels) == 0 {
		return nil
	}
	about := "The fusions and custom calls of the program that run by themselves."
	if len(r.Allocations) > 0 {
		about = "The fusions and custom calls of the program that run by themselves: the functions in the machine code."
	}
	rows := g.Map(r.Kernels, func(k Kernel) g.Node {
		uses := ""
		if k.Uses != 0 {
			uses = strconv.Itoa(k.Uses)
		}
		return h.Tr(h.Td(code(k.Name)), h.Td(g.Text(k.Kind)), number(uses))
	})
	n := len(r.Kernels)
	return section("kernels", "Kernels", note(about),
		folded(n <= 20, g.Textf("%d %s", n, plural(n, "kernel")), table([]string{"name", "kind", "#instructions"}, rows)))
}

func programSection(p *Program) g.Node {
	if p == nil {
		return nil
	}
	input := h.Input(h.ID("search"), h.Type("search"), h.Placeholder("dot, f32[8, fusion.1 …"), h.AutoComplete("off"))
	output := g.El("output", h.ID("found"), h.For("search"))
	list := &listing{maxListing}
	// Each computation is written before there are nodes for the next: a program can have many.
	computations := g.NodeFunc(func(out io.Writer) error {
		for i, c := range p.Computations {
			if err := list.section(i, c).Render(out); err != nil {
				return err
			}
		}
		return nil
	})
	return section("program", "Program", h.P(h.Class("search"), h.Label(g.Text("Search "), input), g.Text(" "), output), computations)
}

// section returns the computation of this number.
func (l *listing) section(number int, c Computation) g.Node {
	count := fmt.Sprintf("%d %s", len(c.Instructions), plural(len(c.Instructions), "instruction"))
	if number == 0 {
		count += ", entry"
	}
	return h.Details(h.Class("computation"), g.If(number == 0, g.Attr("open")),
		h.Summary(code(c.Name), g.Text(" "), h.Span(h.Class("count"), g.Text(count))),
		h.Pre(l.of(c)))
}

func absentSection(list []string) g.Node {
	if len(list) == 0 {
		return nil
	}
	items := g.Map(list, func(text string) g.Node { return h.Li(g.Text(text)) })
	return section("absent", "Not reported", h.Ul(h.Class("absent"), items))
}
