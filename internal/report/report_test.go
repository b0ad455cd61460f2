package report

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	clew "github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/nightly"
)

var update = flag.Bool("update", false, "write the golden files anew")

func made(t testing.TB, in Input, o Options) map[string]File {
	t.Helper()
	files, err := Make(in, o)
	if err != nil {
		t.Fatal(err)
	}
	byName := map[string]File{}
	for _, f := range files {
		byName[f.Name] = f
	}
	return byName
}

// Covers: RUN-29, RUN-30, RUN-33
func TestGolden(t *testing.T) {
	files := made(t, sample(), Options{})
	for _, name := range []string{"report.md", "report.html", "report.json", "chart.svg"} {
		path := filepath.Join("testdata", name)
		if *update {
			if err := os.WriteFile(path, files[name].Data, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(files[name].Data, want) {
			t.Errorf("%s differs from testdata; look at it, then run go test -update", name)
		}
	}
}

func TestFiles(t *testing.T) {
	files, err := Make(sample(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, f := range files {
		names = append(names, f.Name)
		if f.MediaType == "" || f.Title == "" || len(f.Data) == 0 {
			t.Errorf("%s: type %q, title %q, %d bytes", f.Name, f.MediaType, f.Title, len(f.Data))
		}
		want := clew.AttachmentFile
		if f.Name == "chart.svg" {
			want = clew.AttachmentChart
		}
		if f.Attachment != want {
			t.Errorf("%s is a %s", f.Name, f.Attachment)
		}
	}
	if got := strings.Join(names, " "); got != "report.md report.html report.json report.pdf chart.svg" {
		t.Errorf("files: %s", got)
	}
}

func TestSameInputSameBytes(t *testing.T) {
	nightly.Alone(t)
	for name, in := range map[string]Input{"sample": sample(), "hostile": hostile(), "many": many(80, 2000), "empty": {}} {
		first := made(t, in, Options{})
		for range 3 {
			for file, f := range made(t, in, Options{}) {
				if !bytes.Equal(f.Data, first[file].Data) {
					t.Errorf("%s: %s differs from one time to the next", name, file)
				}
			}
		}
	}
}

// Runs end at the same time; their reports share the built-in fonts.
func TestManyAtOnce(t *testing.T) {
	want := made(t, sample(), Options{})["report.pdf"].Data
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			in := sample()
			if i%2 == 1 {
				in = hostile()
			}
			files, err := Make(in, Options{})
			if err != nil || i%2 == 0 && !bytes.Equal(files[3].Data, want) {
				t.Errorf("report %d differs (%v)", i, err)
			}
		})
	}
	wg.Wait()
}

// Covers: WS-037
func TestJSONIsWhole(t *testing.T) {
	in := sample()
	in.Request = "a\u202Eb\x1b\u200bc 한국어 😀"
	data := made(t, in, Options{})["report.json"].Data
	if i := bytes.IndexFunc(data, func(r rune) bool { return r != '\n' && hidden(r) }); i >= 0 {
		t.Errorf("a hidden character at byte %d", i)
	}
	var d document
	if err := json.Unmarshal(data, &d); err != nil {
		t.Fatal(err)
	}
	if d.Request != in.Request || d.Truncated {
		t.Errorf("request %q, truncated %v", d.Request, d.Truncated)
	}
	if d.Statistics != in.Statistics || d.Response.Text != in.Response.Text || len(d.Todos) != 5 {
		t.Errorf("the document lost something: %+v", d.Statistics)
	}
}

func TestEmptyRun(t *testing.T) {
	files := made(t, Input{}, Options{})
	if !strings.Contains(string(files["report.html"].Data), "<h1 dir=\"auto\">Report of a run</h1>") {
		t.Error("a run without a title has none in the report")
	}
	if !bytes.HasPrefix(files["chart.svg"].Data, []byte("<svg ")) {
		t.Error("no chart")
	}
}

func TestFormats(t *testing.T) {
	const text = "a *b*\n  c"
	for format, want := range map[clew.ResponseFormat]string{
		clew.FormatText:     "<p dir=\"auto\">a *b*<br>\u00a0\u00a0c</p>",
		clew.FormatMarkdown: "<p dir=\"auto\">a <em>b</em> c</p>",
		clew.FormatJSON:     "<pre tabindex=\"0\"><code>a *b*\n  c</code></pre>",
	} {
		v := newView(Input{Response: clew.Response{Format: format, Text: text}}, limitsFor(0, 1))
		if got := strings.TrimSpace(answerHTML(v.Answer)); got != want {
			t.Errorf("%s: %q", format, got)
		}
	}
}
