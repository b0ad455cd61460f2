package report

import (
	"bytes"
	"fmt"
	"time"

	"codeberg.org/go-pdf/fpdf"

	clew "github.com/clew-run/clew"
)

// Measures of a page, in mm.
const (
	pageTop    = 18.0
	pageBottom = 275.0
	pageLeft   = 22.0
	pageWidth  = 168.0
	threadX    = 13.0
)

type rgb struct{ r, g, b int }

var (
	ink  = rgb{0x23, 0x20, 0x1c}
	mute = rgb{0x6b, 0x64, 0x5a}
	hair = rgb{0xdd, 0xd5, 0xc8}
	card = rgb{0xf7, 0xf3, 0xec}
	teal = rgb{0x0f, 0x76, 0x6e}
	red  = rgb{0xb4, 0x23, 0x18}
	grey = rgb{0x8a, 0x83, 0x78}
)

// writePDF writes report.pdf without a browser.
func writePDF(v *view, fonts *fonts) (data []byte, err error) {
	// The library panics where it should fail. A report is not worth a server.
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%v", r)
		}
	}()
	p := newPDF(v, fonts)
	p.report(v)
	p.footers(v)
	var b bytes.Buffer
	err = p.doc.Output(&b)
	return b.Bytes(), err
}

// pdf draws from top to bottom and keeps the place itself: y is where the next
// thing goes.
type pdf struct {
	doc   *fpdf.Fpdf
	fonts *fonts
	y     float64
	boxed bool // some characters are shown as boxes
}

func newPDF(v *view, fonts *fonts) *pdf {
	doc := fpdf.New("P", "mm", "A4", "")
	// Same input, same bytes: the library would take the time of day and the
	// order of its maps.
	doc.SetCreationDate(time.UnixMilli(v.endedMS).UTC())
	doc.SetModificationDate(time.UnixMilli(v.endedMS).UTC())
	doc.SetCatalogSort(true)
	doc.SetTitle(v.Title, true)
	doc.SetCreator("clew", true)
	doc.SetAutoPageBreak(false, 0)
	doc.SetCellMargin(0)
	fonts.add(doc)
	p := &pdf{doc: doc, fonts: fonts}
	doc.SetHeaderFunc(func() {
		p.fill(teal)
		top := 0.0
		if doc.PageNo() == 1 {
			top = pageTop + 2
		}
		doc.Rect(threadX-0.25, top, 0.5, 297-top, "F")
	})
	p.newPage()
	return p
}

func (p *pdf) newPage() {
	p.doc.AddPage()
	p.y = pageTop
}

// need makes room for so much, on a new page if it has to.
func (p *pdf) need(h float64) {
	if p.y+h > pageBottom {
		p.newPage()
	}
}

func (p *pdf) fill(c rgb) { p.doc.SetFillColor(c.r, c.g, c.b) }
func (p *pdf) draw(c rgb) { p.doc.SetDrawColor(c.r, c.g, c.b) }

func (p *pdf) report(v *view) {
	p.title(v)
	if v.Summary != "" {
		p.y += 2
		p.paras(v.Summary, face{size: 12, color: ink})
	}
	if len(v.Answer) > 0 {
		p.section("Answer")
		p.blocks(v.Answer, pageLeft, pageWidth)
	}
	p.bullets("Next actions", v.Actions)
	p.files(v.Files)
	if len(v.Todos) > 0 {
		p.need(min(40+float64(len(v.Chart.Bars))*barHeight, 130)) // a short chart stays whole
		p.section("Timeline")
		p.chart(v.Chart)
		p.section("Todos")
		p.todos(v.Todos)
	}
	p.decisions(v.Decisions)
	p.section("Statistics")
	p.facts(v.Facts)
	p.request(v)
	p.notes(v)
}

func (p *pdf) title(v *view) {
	p.fill(teal)
	p.doc.Circle(threadX, p.y+2.2, 1.9, "F")
	p.text(pageLeft, pageWidth, "Report of a run", face{size: 9, color: mute})
	p.y++
	p.text(pageLeft, pageWidth, v.Title, face{size: 19, color: ink, style: style{bold: true}})
	p.y += 1.5
	status := clew.TodoSkipped
	switch v.Result {
	case clew.ResultSuccess:
		status = clew.TodoCompleted
	case clew.ResultFailed:
		status = clew.TodoFailed
	}
	p.mark(status, pageLeft+1.5, p.y+2.4)
	p.text(pageLeft+5, pageWidth, resultName(v.Result)+"  ·  "+v.Ended, face{size: 9.5, color: mute})
	p.y += 2
}

// section starts a part of the report with a knot on the thread. A heading does
// not stand alone at the foot of a page.
func (p *pdf) section(title string) {
	p.y += 6
	p.need(24)
	p.draw(teal)
	p.doc.SetFillColor(255, 255, 255)
	p.doc.SetLineWidth(0.5)
	p.doc.Circle(threadX, p.y+2.9, 1.3, "FD")
	p.text(pageLeft, pageWidth, title, face{size: 12.5, color: ink, style: style{bold: true}})
	p.y += 1.5
}

func (p *pdf) paras(s string, f face) {
	for _, b := range plain(s) {
		p.flow(pageLeft, pageWidth, b.(para).text, f)
		p.y += 1.5
	}
}

func (p *pdf) bullets(title string, items []string) {
	if len(items) == 0 {
		return
	}
	p.section(title)
	l := list{}
	for _, s := range items {
		l.items = append(l.items, []block{para{[]span{{text: s}}}})
	}
	p.blocks([]block{l}, pageLeft, pageWidth)
}

func (p *pdf) files(files []fileRef) {
	if len(files) == 0 {
		return
	}
	p.section("Attachments")
	l := list{}
	for _, f := range files {
		// A path means nothing outside of the server; as text it still says which.
		text := []span{{text: f.Title, link: safeLink(f.URL)}}
		if text[0].link == "" && f.URL != "" {
			text = append(text, span{text: "  "}, span{text: f.URL, style: style{code: true}})
		}
		l.items = append(l.items, []block{para{text}})
	}
	p.blocks([]block{l}, pageLeft, pageWidth)
}

func (p *pdf) request(v *view) {
	if v.Request == "" && v.Understood == "" {
		return
	}
	p.section("Request")
	if v.Request != "" {
		p.blocks([]block{quote{plain(v.Request)}}, pageLeft, pageWidth)
	}
	if v.Understood != "" {
		p.y += 1.5
		p.text(pageLeft, pageWidth, "Understood as "+v.Understood, face{size: 10, color: mute})
	}
	for _, e := range v.Entities {
		p.text(pageLeft, pageWidth, e, face{size: 10, color: mute})
	}
}

func (p *pdf) notes(v *view) {
	notes := v.Notes
	if p.boxed {
		notes = append(notes[:len(notes):len(notes)], "Some characters are not shown; see the HTML report.")
	}
	if len(notes) == 0 {
		return
	}
	p.y += 6
	for _, n := range notes {
		p.text(pageLeft, pageWidth, n, face{size: 9, color: mute, style: style{italic: true}})
	}
}

// footers go last, because only then the number of pages is known.
func (p *pdf) footers(v *view) {
	n := p.doc.PageCount()
	for i := 1; i <= n; i++ {
		p.doc.SetPage(i)
		p.y = 283 // below the foot: nothing here may turn the page
		p.textRight(pageLeft+pageWidth, fmt.Sprintf("%d / %d", i, n), face{size: 8, color: mute})
		p.textAnchored(pageLeft, 0, short(v.Title, 80), face{size: 8, color: mute})
	}
}
