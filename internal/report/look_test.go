package report

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

var look = flag.String("look", "", "directory for pictures of the report")

// nanum is where Debian's fonts-nanum puts a Korean TrueType font.
const nanum = "/usr/share/fonts/truetype/nanum/NanumGothic.ttf"

// missing skips a test for want of a program, except in CI, which installs it.
func missing(t testing.TB, what string) {
	t.Helper()
	if os.Getenv("CI") != "" {
		t.Fatal(what)
	}
	t.Skip(what)
}

func program(t testing.TB, name, debian string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		missing(t, fmt.Sprintf("%s is not installed (Debian: %s)", name, debian))
	}
	return path
}

func run(t testing.TB, name string, args ...string) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), name, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
	return string(out)
}

// save writes the files of a report into a directory.
func save(t testing.TB, dir string, files []File) {
	t.Helper()
	for _, f := range files {
		if err := os.WriteFile(filepath.Join(dir, f.Name), f.Data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// TestLook takes pictures of the report for people to look at: the PDF, and the
// HTML on a desk and on a phone, light and dark.
func TestLook(t *testing.T) {
	if *look == "" {
		t.Skip("no -look DIR")
	}
	chromium := program(t, "chromium", "chromium")
	topng := program(t, "pdftoppm", "poppler-utils")
	dir, err := filepath.Abs(*look)
	if err != nil {
		t.Fatal(err)
	}
	for _, kind := range []struct {
		name string
		in   Input
		font string
	}{{"sample", sample(), nanum}, {"boxes", sample(), ""}, {"gaps", withGaps(), ""}, {"many", many(500, 400), ""}, {"hostile", hostile(), ""}} {
		var o Options
		if kind.font != "" {
			if o.Font, err = os.ReadFile(kind.font); err != nil {
				missing(t, "no Korean font (Debian: fonts-nanum)")
			}
		}
		files, err := Make(kind.in, o)
		if err != nil {
			t.Fatal(err)
		}
		to := filepath.Join(dir, kind.name)
		if err := os.MkdirAll(to, 0o700); err != nil {
			t.Fatal(err)
		}
		save(t, to, files)
		run(t, topng, "-png", "-r", "80", "-l", "4", filepath.Join(to, "report.pdf"), filepath.Join(to, "pdf"))
		for _, name := range []string{"report.html", "chart.svg"} {
			for _, w := range []int{1440, 390} {
				for _, dark := range []bool{false, true} {
					shoot(t, chromium, to, name, w, dark)
				}
			}
		}
	}
}

func shoot(t testing.TB, chromium, dir, name string, width int, dark bool) {
	theme, scheme := "light", "1"
	if dark {
		theme, scheme = "dark", "0"
	}
	out := filepath.Join(dir, fmt.Sprintf("%s-%d-%s.png", strings.TrimSuffix(name, filepath.Ext(name)), width, theme))
	// A headless window is never narrower than 500, so a phone is drawn in a
	// frame of its width.
	page := "file://" + filepath.Join(dir, name)
	if width < 500 {
		frame := filepath.Join(dir, "frame.html")
		text := fmt.Sprintf(`<style>body{margin:0;background:#777}</style><iframe src=%q style="border:0;width:%dpx;height:4200px">`, name, width)
		if err := os.WriteFile(frame, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		page = "file://" + frame
	}
	height := 3000
	if width < 500 {
		height = 4200
	}
	run(t, chromium, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
		"--user-data-dir="+t.TempDir(), "--blink-settings=preferredColorScheme="+scheme,
		fmt.Sprintf("--window-size=%d,%d", max(width, 500), height), "--screenshot="+out, page)
}
