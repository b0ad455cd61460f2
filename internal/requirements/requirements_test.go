package requirements

import (
	"bytes"
	"maps"
	"os"
	"reflect"
	"strings"
	"testing"
	"testing/fstest"
)

const repository = "../.."

// The generator refuses to write a document that this test would refuse.
func TestRowsAndTestsAgree(t *testing.T) {
	rows, found := tree(t)
	if err := Check(rows, found); err != nil {
		t.Error(err)
	}
}

// tree reads the rows and the claims of this repository.
func tree(t *testing.T) ([]Row, Coverage) {
	t.Helper()
	rows, err := List()
	if err != nil {
		t.Fatal(err)
	}
	found, err := Scan(os.DirFS(repository))
	if err != nil {
		t.Fatal(err)
	}
	return rows, found
}

func TestDocumentIsCurrent(t *testing.T) {
	rows, found := tree(t)
	got, err := os.ReadFile(repository + "/" + DocPath)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, Render(rows, found)) {
		t.Errorf("%s is out of date, run: make generate", DocPath)
	}
}

// The list is whole: as many rows in each area as the requirements have.
func TestList(t *testing.T) {
	rows, err := List()
	if err != nil {
		t.Fatal(err)
	}
	count := make(map[string]int)
	for _, row := range rows {
		count[row.Area]++
	}
	want := map[string]int{
		"WS": 109, "MSG": 32, "HIS": 32, "UIC": 48, "IPC": 18, "EVT": 20, "JUP": 21, "SET": 24, "STO": 33, "CHK": 23, "TSK": 12,
		"AGT": 31, "CTX": 16, "POL": 22, "WIN": 19, "TOOL": 23, "RUN": 33, "C": 82, "G": 18,
	}
	if !maps.Equal(count, want) {
		t.Errorf("rows by area %v, want %v", count, want)
	}
	for _, a := range areas {
		delete(count, a.name)
	}
	if len(count) != 0 {
		t.Errorf("areas without a place in the document: %v", count)
	}
}

func TestParseRowsRefuses(t *testing.T) {
	for name, bad := range map[string]string{
		"too few fields":  "WS-001\tbehaves",
		"too many":        "WS-001\tbehaves\tTitle\tping\twhy\tmore",
		"no id":           "WS001\tbehaves\tTitle",
		"no state":        "WS-001\tdone\tTitle",
		"no title":        "WS-001\tbehaves\t",
		"no reason":       "WS-001\tvocabulary\tTitle",
		"an unknown type": "WS-001\tbehaves\tTitle\tpling",
		"listed twice":    "WS-001\tbehaves\tTitle\nWS-001\tbehaves\tTitle",
	} {
		if rows, err := parseRows(bad); err == nil {
			t.Errorf("%s: %v", name, rows)
		}
	}
	rows, err := parseRows("# a comment\n\nWS-001\tnot here\tTitle\tping pong\tNot built yet.\n")
	want := Row{ID: "WS-001", Area: "WS", State: NotHere, Title: "Title", Types: []string{"ping", "pong"}, Reason: "Not built yet."}
	if err != nil || len(rows) != 1 || !reflect.DeepEqual(rows[0], want) {
		t.Errorf("%+v, %v", rows, err)
	}
}

func TestCheck(t *testing.T) {
	rows := []Row{{ID: "WS-1", State: Behaves}, {ID: "WS-2", State: Behaves}, {ID: "WS-3", State: Vocabulary}, {ID: "WS-4", State: NotHere}}
	shown := []Ref{{Label: "a.TestOne"}}
	if err := Check(rows, Coverage{"WS-1": shown, "WS-2": shown}); err != nil {
		t.Error(err)
	}
	err := Check(rows, Coverage{"WS-1": shown, "WS-3": shown, "WS-4": shown})
	if err == nil {
		t.Fatal("no error")
	}
	for _, part := range []string{"WS-2 behaves", "a.TestOne covers WS-3, which is vocabulary", "a.TestOne covers WS-4, which is not here"} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("%q is not in: %v", part, err)
		}
	}
}

func TestScan(t *testing.T) {
	root := fstest.MapFS{
		"a/a_test.go": {Data: []byte(`package a_test

// TestOne shows a thing.
//
// Covers: WS-001, C-10
func TestOne(t *testing.T) {
	t.Run("x", func(t *testing.T) {
		// Covers: MSG-02..MSG-04
	})
}
`)},
		"a/testdata/b.txtar":          {Data: []byte("# what it shows\n# Covers: WS-001\n-- client --\n# Covers: WS-002\n")},
		"w/d.test.tsx":                {Data: []byte("test(\"x\", () => {\n  // Covers: WS-131\n});\n")},
		"w/e.ts":                      {Data: []byte("// Covers: WS-132\n")},
		"a/testdata/c_test.go":        {Data: []byte("not Go")},
		"node_modules/x/x_test.go":    {Data: []byte("not Go")},
		".hidden/testdata/hide.txtar": {Data: []byte("# Covers: WS-003\n")},
	}
	found, err := Scan(root)
	if err != nil {
		t.Fatal(err)
	}
	one := Ref{Label: "a.TestOne", Path: "a/a_test.go"}
	b := Ref{Label: "a/testdata/b.txtar", Path: "a/testdata/b.txtar"}
	d := Ref{Label: "w/d.test.tsx", Path: "w/d.test.tsx"}
	want := map[string][]Ref{"WS-131": {d}, "WS-001": {one, b}, "C-10": {one}, "MSG-02": {one}, "MSG-03": {one}, "MSG-04": {one}}
	if len(found) != len(want) {
		t.Errorf("got %v", found)
	}
	for id, refs := range want {
		if len(found[id]) != len(refs) {
			t.Fatalf("%s: got %v, want %v", id, found[id], refs)
		}
	}
}

func TestScanReportsBadClaims(t *testing.T) {
	root := fstest.MapFS{"a/a_test.go": {Data: []byte(`package a

// Covers: WS-001

var x = 1

// Covers: WS-999
func TestUnknown(t *testing.T) {}

// Covers:
func TestNothing(t *testing.T) {}
`)}}
	_, err := Scan(root)
	if err == nil {
		t.Fatal("no error")
	}
	for _, part := range []string{"a_test.go:3:", "a_test.go:7:", "WS-999", "a_test.go:10:"} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("%q is not in: %v", part, err)
		}
	}
}

func TestRender(t *testing.T) {
	rows := []Row{
		{ID: "WS-1", Area: "WS", State: Behaves, Title: "Title", Types: []string{"ping", "pong"}},
		{ID: "WS-2", Area: "WS", State: NotHere, Title: "Other", Reason: "Not built yet."},
		{ID: "WS-3", Area: "WS", State: Behaves, Title: "Third", Reason: "But once."},
		{ID: "WS-4", Area: "WS", State: Vocabulary, Title: "Fourth", Reason: "Never sent."},
	}
	one := Ref{Label: "a.TestOne", Path: "a/a_test.go"}
	found := Coverage{"WS-1": {one, {Label: "a/testdata/b.txtar", Path: "a/testdata/b.txtar"}}, "WS-3": {one}}
	doc := string(Render(rows, found))
	for _, row := range []string{
		"| [WS](#ws) | wire protocol | 4 | 2 | 1 | 1 |",
		"| WS-1 | Title (`ping`, `pong`) | behaves | [a.TestOne](../a/a_test.go), [b.txtar](../a/testdata/b.txtar) |",
		"| WS-2 | Other | not here | Not built yet. |",
		"| WS-3 | Third | behaves | But once. [a.TestOne](../a/a_test.go) |",
		"| WS-4 | Fourth | vocabulary | Never sent. |",
	} {
		if !strings.Contains(doc, row+"\n") {
			t.Errorf("no row %q in:\n%s", row, doc)
		}
	}
}
