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
