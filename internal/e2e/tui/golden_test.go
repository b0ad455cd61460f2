package tui

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// What is another in every run, and stands for it.
var changing = []struct {
	what *regexp.Regexp
	with string
}{
	{regexp.MustCompile(`/tmp/clew-tui-\d+`), "/tmp/clew"},
	{regexp.MustCompile(`\d\d:\d\d`), "00:00"},
	{regexp.MustCompile(`expires in \d+:\d\d`), "expires in 0:00"},
	{regexp.MustCompile(`working( \d+:\d\d)?`), "working 0:00"},
	{regexp.MustCompile(`[◓◑◒]`), "◐"}, // it turns
	{regexp.MustCompile(`ended after [0-9.]+m?s`), "ended after 0ms"},
}

// stable gives a picture a form that is the same in every run.
func stable(text string) string {
	var lines []string
	for _, l := range strings.Split(text, "\n") {
		for _, c := range changing {
			l = c.what.ReplaceAllString(l, c.with)
		}
		lines = append(lines, strings.TrimRight(l, " "))
	}
	return strings.TrimRight(strings.Join(lines, "\n"), "\n") + "\n"
}

// golden waits until the screen is the picture that is kept: a text that was waited
// for may show before all else has come to it.
func golden(t *testing.T, scr *screen, name string, picture func() string) {
	t.Helper()
	path := filepath.Join("testdata", "screens", name)
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(stable(picture())), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	got := ""
	if _, ok := scr.wait(func(string) bool { got = stable(picture()); return got == string(want) }); !ok {
		t.Errorf("%s is\n%s\nwant\n%s", name, got, want)
	}
}
