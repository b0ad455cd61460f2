package plan_test

import (
	"strings"
	"testing"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/plan"
)

// Covers: RUN-33
func TestMermaid(t *testing.T) {
	got := plan.Mermaid([]clew.Todo{
		in(clew.TodoCompleted, todo("end")), in(clew.TodoInProgress, todo("graph", "end")), todo("c", "end", "graph"),
		in(clew.TodoFailed, todo("d")), in(clew.TodoSkipped, todo("e")), in("odd", todo("f")),
	})
	want := `graph LR
    n1["do end"]
    n2["do graph"]
    n3["do c"]
    n4["do d"]
    n5["do e"]
    n6["do f"]
    n1 --> n2
    n1 --> n3
    n2 --> n3
    classDef pending fill:#eceff1,stroke:#607d8b,color:#1c2529
    class n3,n6 pending
    classDef in_progress fill:#1565c0,stroke:#64b5f6,color:#ffffff
    class n2 in_progress
    classDef completed fill:#2e7d32,stroke:#81c784,color:#ffffff
    class n1 completed
    classDef failed fill:#c62828,stroke:#ef9a9a,color:#ffffff
    class n4 failed
    classDef skipped fill:#757575,stroke:#bdbdbd,color:#ffffff,stroke-dasharray:4 3
    class n5 skipped
`
	if got != want {
		t.Errorf("got\n%s", got)
	}
	if none := plan.Mermaid(nil); none != "graph LR\n" {
		t.Errorf("of nothing: %q", none)
	}
}

func TestMermaidLabels(t *testing.T) {
	cases := []struct{ text, want string }{
		{"plain words, 12 of them", "plain words, 12 of them"},
		{"größer 検索 re-run", "größer 検索 re-run"},
		{`say "hi"]`, "say #34;hi#34;#93;"},
		{"a\nclick n1 \"javascript:x\"", "a click n1 #34;javascript#58;x#34;"},
		{"<img src=x>", "#60;img src#61;x#62;"},
		{"%%{init: 1}%%", "#37;#37;#123;init#58; 1#125;#37;#37;"},
		{"`x` #quot;", "#96;x#96; #35;quot#59;"},
		{"1. first - *b* _i_", "1#46; first #45; #42;b#42; #95;i#95;"},
		{"a --> b", "a #45;#45;#62; b"},
		{"a\u202eb\u200bc\x00d\xff", "abc d#65533;"},
		{"😀", "#128512;"},
		{" \t\n", "id"},
		{strings.Repeat("ä", 60), strings.Repeat("ä", 60)},
		{strings.Repeat("ä", 61), strings.Repeat("ä", 59) + "#8230;"},
	}
	for _, c := range cases {
		lines := strings.Split(plan.Mermaid([]clew.Todo{{ID: "id", Task: c.text}}), "\n")
		if want := `    n1["` + c.want + `"]`; lines[1] != want {
			t.Errorf("%q gives %s, want %s", c.text, lines[1], want)
		}
	}
	if lines := strings.Split(plan.Mermaid([]clew.Todo{{}}), "\n"); lines[1] != `    n1["todo 1"]` {
		t.Errorf("without a text and an id: %s", lines[1])
	}
}
