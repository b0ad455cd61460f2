package report

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/image/font/gofont/goregular"

	clew "github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/nightly"
)

// pdfText reads the text of a PDF with a program that knows nothing of ours.
func pdfText(t *testing.T, data []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "report.pdf")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	totext := program(t, "pdftotext", "poppler-utils")
	if info := run(t, program(t, "pdfinfo", "poppler-utils"), path); strings.Contains(info, "Error") || strings.Contains(info, "JavaScript:      yes") {
		t.Errorf("pdfinfo: %s", info)
	}
	return run(t, totext, "-layout", path, "-")
}

func TestPDFStructure(t *testing.T) {
	data := made(t, sample(), Options{})["report.pdf"].Data
	if !bytes.HasPrefix(data, []byte("%PDF-1.")) || !bytes.HasSuffix(bytes.TrimSpace(data), []byte("%%EOF")) {
		t.Error("not a PDF")
	}
	if !bytes.Contains(data, []byte("D:20260921141627")) {
		t.Error("its date is not the end of the run")
	}
}

// Covers: RUN-29, RUN-30
func TestPDFText(t *testing.T) {
	text := pdfText(t, made(t, sample(), Options{})["report.pdf"].Data)
	for _, want := range []string{
		"Success", "Answer", "Sales grew by 6.2 % over last year", "1,240", "Try the prices again tomorrow",
		"Timeline", "Fetch the competitors", "3 retries", "TOOL_EXECUTION_FAILED", "An earlier attempt failed",
		"approve by", "skip by the deadline", "48,213", "0.3127 USD", "plan_7, version 2",
		"□", "Some characters are not shown; see the HTML report.",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in the PDF:\n%s", want, text)
		}
	}
}

func TestPDFKorean(t *testing.T) {
	font, err := os.ReadFile(nanum)
	if err != nil {
		missing(t, "no Korean font (Debian: fonts-nanum)")
	}
	if err := CheckFont(font); err != nil {
		t.Fatal(err)
	}
	in := sample()
	in.Response.Summary = "\u1112\u1161\u11ab\u1100\u1173\u11af" // the letters of 한글 one by one
	first := made(t, in, Options{Font: font})["report.pdf"].Data
	if again := made(t, in, Options{Font: font})["report.pdf"].Data; !bytes.Equal(first, again) {
		t.Error("the same input gave other bytes")
	}
	text := pdfText(t, first)
	for _, want := range []string{"3분기 매출 분석과 보고서", "서울(Seoul)은", "한글", "부산 매장 두 곳의"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in the PDF:\n%s", want, text)
		}
	}
	if strings.Contains(text, "□") || strings.Contains(text, "not shown") {
		t.Error("the font has all characters, but some are boxes")
	}
}

func TestPDFHostile(t *testing.T) {
	nightly.Alone(t)
	for _, a := range answers {
		in := hostile()
		in.Response.Text = a
		data := made(t, in, Options{})["report.pdf"].Data
		for _, bad := range []string{"/JavaScript", "/JS", "/Launch", "/URI (javascript", "/Type /EmbeddedFile", "/OpenAction <<"} {
			if bytes.Contains(data, []byte(bad)) {
				t.Errorf("the PDF has %s for %q", bad, a)
			}
		}
	}
}

func TestLongPDFKeepsItsPages(t *testing.T) {
	nightly.Alone(t)
	text := pdfText(t, made(t, many(120, 3000), Options{})["report.pdf"].Data)
	pages := strings.Count(text, "\f")
	if last := strings.TrimSpace(text[strings.LastIndex(strings.TrimSuffix(text, "\f"), "\f")+1:]); pages < 5 || !strings.Contains(last, " / ") {
		t.Errorf("%d pages; the last: %s", pages, last)
	}
	for _, want := range []string{"t1 ", "t60 ", "t120 ", "and 60 more in the table"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q", want)
		}
	}
}

func TestCheckFont(t *testing.T) {
	if err := CheckFont(goregular.TTF); err != nil {
		t.Error(err)
	}
	if err := CheckFont(nil); err != nil {
		t.Errorf("no font is fine: %v", err)
	}
	for name, data := range map[string][]byte{
		"text": []byte("not a font"), "short": {0}, "collection": []byte("ttcf\x00\x01\x00\x00"),
		"postscript": append([]byte("OTTO"), goregular.TTF[4:]...), "half": bytes.Clone(goregular.TTF[:len(goregular.TTF)/2]),
	} {
		if CheckFont(data) == nil {
			t.Errorf("%s passes for a font", name)
		}
		if _, err := Make(sample(), Options{Font: data}); err == nil {
			t.Errorf("%s: a report was made", name)
		}
	}
}

func TestWrap(t *testing.T) {
	v := newView(Input{Response: clew.Response{}}, limitsFor(0, 1))
	f, err := loadFonts(nil)
	if err != nil {
		t.Fatal(err)
	}
	p := newPDF(v, f)
	for _, text := range []string{
		"a few short words that take more than one line of this width", strings.Repeat("x", 300),
		"mixed " + strings.Repeat("y", 90) + " end", "", " ",
	} {
		got := ""
		for _, l := range p.wrap(p.tokens([]span{{text: text}}, body), 40) {
			if w := p.width(l); w > 40.001 {
				t.Errorf("a line of %.1f mm", w)
			}
			for _, tok := range l {
				got += strings.Repeat(" ", tok.space) + tok.text
			}
		}
		if strings.ReplaceAll(got, " ", "") != strings.ReplaceAll(text, " ", "") {
			t.Errorf("%q became %q", text, got)
		}
	}
}
