// Package report makes the files that a run leaves behind to read: the same
// content as Markdown, HTML, JSON and PDF, and a chart of the todos in time.
//
// It is pure. It reads no clock and no file, so the same input gives the same
// bytes on every node and in every retry, and the files can be stored by hash.
//
// Nearly all text in a report comes from a model or from people. None of it is
// trusted: it reaches each form as text, or through the closed set of blocks in
// doc.go, and never as markup of its own.
package report

import (
	"fmt"

	clew "github.com/clew-run/clew"
)

// MaxSize is the most bytes that one file of a report has.
const MaxSize = 5 << 20

// CSP is the Content-Security-Policy to serve the HTML and the SVG with. The
// HTML says it too, for those who open a saved copy.
const CSP = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"

// Input is all that a report tells.
type Input struct {
	SessionID  clew.SessionID
	RunID      string
	Title      string
	Request    string
	StartedMS  int64
	EndedMS    int64
	Result     clew.RunResult
	Intent     *clew.Intent
	Entities   []clew.Entity
	PlanID     string
	Version    int
	Todos      []clew.Todo
	Mermaid    string
	Response   clew.Response
	Statistics clew.Statistics
	Decisions  []Decision
}

// A Decision is what a person decided during the run, or a deadline in place of
// one.
type Decision struct {
	AtMS      int64  `json:"at_ms"`
	Question  string `json:"question"`
	Action    string `json:"action"`
	By        string `json:"by,omitempty"`
	Comment   string `json:"comment,omitempty"`
	ByTimeout bool   `json:"by_timeout,omitempty"`
}

// A File is one form of the report.
type File struct {
	Name       string
	MediaType  string
	Data       []byte
	Attachment clew.AttachmentType
	Title      string
}

// Options are what the operator may choose.
type Options struct {
	// Font is a TrueType font for the characters in the PDF that the built-in
	// fonts lack. They have Latin, Greek and Cyrillic.
	Font []byte
}

// Make renders all files: report.md, report.html, report.json, report.pdf and
// chart.svg. It fails only on a font that CheckFont refuses.
func Make(in Input, o Options) ([]File, error) {
	fonts, err := loadFonts(o.Font)
	if err != nil {
		return nil, err
	}
	// Escaping can make a text several times longer, so a limit on what goes in
	// does not quite bound what comes out. In the rare case that it does not,
	// once more with less.
	for scale := 1; ; scale *= 4 {
		files, err := render(in, fonts, scale)
		if err != nil {
			return nil, err
		}
		if largest(files) <= MaxSize || scale >= 256 {
			return files, nil
		}
	}
}

func render(in Input, fonts *fonts, scale int) ([]File, error) {
	v := newView(in, limitsFor(len(in.Todos), scale))
	data, err := writeJSON(in, v.lim)
	if err != nil {
		return nil, fmt.Errorf("report: json: %w", err)
	}
	pdf, err := writePDF(v, fonts)
	if err != nil {
		return nil, fmt.Errorf("report: pdf: %w", err)
	}
	return []File{
		{"report.md", "text/markdown; charset=utf-8", writeMarkdown(v), clew.AttachmentFile, "Report (Markdown)"},
		{"report.html", "text/html; charset=utf-8", writeHTML(v), clew.AttachmentFile, "Report (HTML)"},
		{"report.json", "application/json", data, clew.AttachmentFile, "Report (JSON)"},
		{"report.pdf", "application/pdf", pdf, clew.AttachmentFile, "Report (PDF)"},
		{"chart.svg", "image/svg+xml", writeSVG(v.Chart, false), clew.AttachmentChart, "Timeline of the todos"},
	}, nil
}

func largest(files []File) int {
	most := 0
	for _, f := range files {
		most = max(most, len(f.Data))
	}
	return most
}
