package blob

import (
	"testing"

	"github.com/clew-run/clew"
)

// BenchmarkFirstQuestion is about a session of 30,000 records with 300 blobs that
// nobody has asked about.
func BenchmarkFirstQuestion(b *testing.B) {
	j := &journal{}
	for i := range 30_000 {
		data := &clew.ToolProgressData{ToolCallID: "call_1", Tool: "read", Status: clew.ToolComplete, Output: "some hundred bytes of what a tool has to say, as it is usual"}
		if i%100 == 0 {
			data.OutputBlob = Scheme + one
		}
		j.add(b, data)
	}
	for b.Loop() {
		if ok, err := NewFinder(j).Refers(b.Context(), "s1", two); ok || err != nil {
			b.Fatal(ok, err)
		}
	}
}
