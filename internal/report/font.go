package report

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"sync"

	"codeberg.org/go-pdf/fpdf"
	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/gofont/gobolditalic"
	"golang.org/x/image/font/gofont/goitalic"
	"golang.org/x/image/font/gofont/gomono"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/text/unicode/norm"
)

// The families of fonts in a PDF.
const (
	familyText = "go"
	familyMono = "mono"
	familyOwn  = "own" // the operator's
)

// box stands for a character that no font has.
const box = '□'

// fonts knows which font has which character.
type fonts struct {
	text, mono, own *sfnt.Font
	ownData         []byte
}

var builtIn = sync.OnceValues(func() (*fonts, error) {
	text, err := sfnt.Parse(goregular.TTF)
	if err != nil {
		return nil, err
	}
	mono, err := sfnt.Parse(gomono.TTF)
	return &fonts{text: text, mono: mono}, err
})

// CheckFont reports whether a font can be used for Options.Font: a single
// TrueType font, neither a collection nor one with PostScript outlines.
func CheckFont(data []byte) error {
	_, err := loadFonts(data)
	return err
}

func loadFonts(own []byte) (*fonts, error) {
	f, err := builtIn()
	if err != nil {
		return nil, fmt.Errorf("report: built-in font: %w", err)
	}
	if len(own) == 0 {
		return f, nil
	}
	// The PDF library reads TrueType outlines only and does not say so.
	if head := string(own[:min(4, len(own))]); head != "\x00\x01\x00\x00" && head != "true" {
		return nil, errors.New("report: the font is not a TrueType font")
	}
	parsed, err := sfnt.Parse(own)
	if err != nil {
		return nil, fmt.Errorf("report: font: %w", err)
	}
	with := &fonts{text: f.text, mono: f.mono, own: parsed, ownData: own}
	return with, with.try()
}

// try makes a page with the font, because the library may panic on a damaged one.
func (f *fonts) try() (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("report: font: %v", r)
		}
	}()
	doc := fpdf.New("P", "mm", "A4", "")
	f.add(doc)
	doc.AddPage()
	doc.SetFont(familyOwn, "", 10)
	doc.Text(10, 10, "a가")
	return doc.Output(discard{})
}

type discard struct{}

func (discard) Write(b []byte) (int, error) { return len(b), nil }

// add gives the fonts to a document. The library writes into the bytes of a font
// while it cuts it down to what is used, so each document has its own copy.
func (f *fonts) add(doc *fpdf.Fpdf) {
	doc.AddUTF8FontFromBytes(familyText, "", bytes.Clone(goregular.TTF))
	doc.AddUTF8FontFromBytes(familyText, "B", bytes.Clone(gobold.TTF))
	doc.AddUTF8FontFromBytes(familyText, "I", bytes.Clone(goitalic.TTF))
	doc.AddUTF8FontFromBytes(familyText, "BI", bytes.Clone(gobolditalic.TTF))
	doc.AddUTF8FontFromBytes(familyMono, "", bytes.Clone(gomono.TTF))
	if f.own != nil {
		doc.AddUTF8FontFromBytes(familyOwn, "", bytes.Clone(f.ownData))
	}
}

// has reports whether a font shows a character. The PDF library knows 16 bits of
// a character only.
func has(f *sfnt.Font, r rune) bool {
	if f == nil || r > 0xffff {
		return false
	}
	i, err := f.GlyphIndex(nil, r)
	return err == nil && i != 0
}

// family is the font for a character, empty if there is none.
func (f *fonts) family(r rune, mono bool) string {
	switch {
	case mono && has(f.mono, r):
		return familyMono
	case has(f.text, r):
		return familyText
	case has(f.own, r):
		return familyOwn
	}
	return ""
}

// A stretch is a text in one font.
type stretch struct {
	family, text string
}

// split divides a text by fonts. It reports whether a character was replaced by
// a box. Joiners and variants of emoji have no shape of their own and go.
func (f *fonts) split(s string, mono bool) (out []stretch, boxed bool) {
	var b strings.Builder
	now := ""
	flush := func() {
		if b.Len() > 0 {
			out = append(out, stretch{now, b.String()})
			b.Reset()
		}
	}
	for _, r := range norm.NFC.String(s) {
		if r == '\u200c' || r == '\u200d' || r >= 0xfe00 && r <= 0xfe0f {
			continue
		}
		if r == '\u00a0' || r == '\t' {
			r = ' '
		}
		family := f.family(r, mono)
		if family == "" {
			family, r, boxed = familyText, box, true
		}
		if family != now {
			flush()
			now = family
		}
		b.WriteRune(r)
	}
	flush()
	return out, boxed
}
