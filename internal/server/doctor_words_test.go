package server

import (
	"strings"
	"testing"

	"github.com/clew-run/clew/internal/journal"
)

// The engine's own words are for programs; a person hears that there are some.
func TestDoctorSaysItPlainly(t *testing.T) {
	var out strings.Builder
	e := Examined{Report: journal.Report{Engine: []string{"Filestore [X] raw words"}}}
	if err := e.Write(&out); err != nil {
		t.Fatal(err)
	}
	if text := out.String(); strings.Contains(text, "Filestore") || !strings.Contains(text, "note: the store gave 1 warning when it was opened") {
		t.Errorf("it says:\n%s", text)
	}
}

// Damage, a wrong state and a session that is too new are three things.
func TestDoctorTellsThemApart(t *testing.T) {
	var out strings.Builder
	e := Examined{Report: journal.Report{
		Findings: []journal.Finding{{Session: "s1", Problem: "a section does not match"}},
		Wrong:    []journal.Finding{{Session: "s2", Problem: "the state sealed at record 3 is not what the records say: title"}},
		TooNew:   []journal.Finding{{Session: "s3", Problem: "a newer server sealed it"}},
		Older:    2,
	}}
	if err := e.Write(&out); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"damaged: session s1:", "wrong: session s2:", "too new: session s3:", "the state of 2 sessions is of an older version", "1 damaged"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("it does not say %q:\n%s", want, out.String())
		}
	}
	if e.Problems() != 2 || e.Warnings() != 1 {
		t.Errorf("%d problems, %d warnings", e.Problems(), e.Warnings())
	}
}
