package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The fragments of this tree can be joined.
func TestFragments(t *testing.T) {
	entries, err := read("../../..")
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d fragments", len(entries))
}

func TestParse(t *testing.T) {
	tests := []struct{ file, text, want string }{
		{"jump-to-run.added.md", "`clew jump` goes to a run.\n", ""},
		{"lines.fixed.md", "Two\nlines.", ""},
		{"jump.md", "Text.", "form"},
		{"Jump.added.md", "Text.", "form"},
		{"jump.improved.md", "Text.", "none of added"},
		{"jump.added.md", " \n", "empty"},
		{"jump.added.md", "- Text.", "list"},
		{"jump.added.md", "One.\n\nTwo.", "paragraphs"},
		{"jump.added.md", "No stop", "full stop"},
		{"jump.added.md", strings.Repeat("a", maxText) + ".", "more than"},
	}
	for _, tt := range tests {
		_, err := parse(tt.file, tt.text)
		if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
			t.Errorf("%s %.20q: %v, want %q", tt.file, tt.text, err, tt.want)
		}
	}
}

func TestNotesAndFold(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, fragments), 0o700); err != nil {
		t.Fatal(err)
	}
	write(document, "# Changelog\n\n## [Unreleased]\n\n## [0.1.0] - 2026-01-02\n\nThe first.\n")
	write(fragments+"/README.md", "How to write one.")
	write(fragments+"/b.fixed.md", "A fix\nin two lines.\n")
	write(fragments+"/a.fixed.md", "A fix.\n")
	write(fragments+"/c.added.md", "A feature.\n")

	want := "### Added\n\n- A feature.\n\n### Fixed\n\n- A fix.\n- A fix\n  in two lines.\n"
	if got, err := notes(dir, "0.2.0"); err != nil || got != want {
		t.Errorf("notes of the fragments: %v\n%s", err, got)
	}
	if got, err := notes(dir, "0.1.0"); err != nil || got != "The first.\n" {
		t.Errorf("notes of 0.1.0: %q, %v", got, err)
	}
	if _, err := fold(dir, "cc122eb"); err == nil {
		t.Error("a hash was taken for a version")
	}
	if _, err := fold(dir, "0.2.0"); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(dir, document))
	if err != nil {
		t.Fatal(err)
	}
	if got := string(text); got != "# Changelog\n\n## [Unreleased]\n\n## [0.2.0]\n\n"+want+"\n## [0.1.0] - 2026-01-02\n\nThe first.\n" {
		t.Errorf("the changelog is\n%s", got)
	}
	if got, err := notes(dir, "0.2.0"); err != nil || got != want {
		t.Errorf("notes of the version: %v\n%s", err, got)
	}
	left, _ := os.ReadDir(filepath.Join(dir, fragments))
	if len(left) != 1 || left[0].Name() != readme {
		t.Errorf("%d files are left", len(left))
	}
	if _, err := fold(dir, "0.3.0"); err == nil {
		t.Error("a version of nothing")
	}
}
