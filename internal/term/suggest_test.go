package term

import (
	"slices"
	"testing"
)

func TestDistance(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"mode", "mode", 0}, {"mode", "mdoe", 1}, {"settings", "settinsg", 1}, {"nope", "code", 2}, {"mode", "model", 1}, {"a", "", 1}, {"kitten", "sitting", 3}} {
		if got := distance(tt.a, tt.b); got != tt.want {
			t.Errorf("%q, %q: %d", tt.a, tt.b, got)
		}
	}
}

func TestSuggest(t *testing.T) {
	known := []string{"stop", "sessions", "new", "help"}
	for word, want := range map[string][]string{
		"hlep": {"help"}, "se": {"sessions"}, "sesions": {"sessions"}, "net": {"new"}, "help": {"help"}, "s": nil, "bogus": nil, "": nil,
	} {
		if got := Suggest(word, known); !slices.Equal(got, want) {
			t.Errorf("%q: %v", word, got)
		}
	}
}
