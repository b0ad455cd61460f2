package requirements

import (
	"bytes"
	"os"
	"strings"
	"testing"
	"testing/fstest"
)

const repository = "../.."

// milestones is how many of them are reached.
const milestones = 6

// Every id of a milestone that is reached has a test.
func TestMilestones(t *testing.T) {
	found, err := Scan(os.DirFS(repository))
	if err != nil {
		t.Fatal(err)
	}
	for n := 1; n <= milestones; n++ {
		want, err := Milestone(n)
		if err != nil {
			t.Fatal(err)
		}
		if missing := Missing(want, found); len(missing) > 0 || len(want) == 0 {
			t.Errorf("milestone %d: %d of %d ids have no test: %s", n, len(missing), len(want), strings.Join(missing, " "))
		}
	}
}

func TestDocumentIsCurrent(t *testing.T) {
	ids, err := List()
	if err != nil {
		t.Fatal(err)
	}
	found, err := Scan(os.DirFS(repository))
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(repository + "/" + DocPath)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, Render(ids, found)) {
		t.Errorf("%s is out of date, run: make generate", DocPath)
	}
}

func TestList(t *testing.T) {
	ids, err := List()
	if err != nil {
		t.Fatal(err)
	}
	count := make(map[string]int)
	for _, id := range ids {
		count[id.Area]++
		if (id.Area == "WS" || id.Area == "C" || id.Area == "G") && id.Title == "" {
			t.Errorf("%s has no title", id.Name)
		}
	}
	if len(ids) != 616 || count["WS"] != 109 || count["C"] != 82 || count["G"] != 18 {
		t.Errorf("got %d ids: %v", len(ids), count)
	}
	for _, a := range areas {
		delete(count, a.name)
	}
	if len(count) != 0 {
		t.Errorf("areas without a place in the document: %v", count)
	}
}

func TestMilestoneNamesKnownIDs(t *testing.T) {
	ids, err := List()
	if err != nil {
		t.Fatal(err)
	}
	want, err := Milestone(1)
	if err != nil {
		t.Fatal(err)
	}
	if len(want) == 0 {
		t.Fatal("the first milestone is empty")
	}
	for _, name := range want {
		if _, err := expand(name, ids); err != nil {
			t.Error(err)
		}
	}
}

func TestParseIDsRefuses(t *testing.T) {
	for _, bad := range []string{"WS-001", "WS-001\tC", "WS001\tWS", "WS-1\tWS\nWS-1\tWS", "WS-1\tWS\ta\tb\tc"} {
		if _, err := parseIDs(bad); err == nil {
			t.Errorf("%q was taken", bad)
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
	if got := Missing([]string{"WS-002", "WS-001"}, found); len(got) != 1 || got[0] != "WS-002" {
		t.Errorf("missing: got %v", got)
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
	ids := []ID{{Name: "WS-1", Area: "WS", Title: "title"}, {Name: "WS-2", Area: "WS", NotHere: true}, {Name: "WS-3", Area: "WS"}}
	found := Coverage{"WS-1": {{Label: "a.TestOne", Path: "a/a_test.go"}, {Label: "a/testdata/b.txtar", Path: "a/testdata/b.txtar"}}}
	doc := string(Render(ids, found))
	for _, row := range []string{
		"| [WS](#ws) | wire protocol | 3 | 1 |",
		"| WS-1 | title | [a.TestOne](../a/a_test.go), [b.txtar](../a/testdata/b.txtar) |",
		"| WS-2 |  | n/a |",
		"| WS-3 |  | not yet |",
	} {
		if !strings.Contains(doc, row+"\n") {
			t.Errorf("no row %q in:\n%s", row, doc)
		}
	}
}
