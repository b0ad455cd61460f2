package clew

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// The levels of record types are history: those of a level that went out are never
// joined by others, since a node of that level does not know them.
func TestLevels(t *testing.T) {
	list, err := os.ReadFile("testdata/levels.txt")
	if err != nil {
		t.Fatal(err)
	}
	noted := map[EventType]int{}
	for line := range strings.Lines(string(list)) {
		var level int
		var typ EventType
		if _, err := fmt.Sscanf(line, "%d %s", &level, &typ); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		noted[typ] = level
	}
	highest := 1
	for _, e := range Events {
		level := e.Level()
		highest = max(highest, level)
		switch was, known := noted[e.Type]; {
		case !e.Kind.Journaled() && level != 0:
			t.Errorf("%s is never on record and has level %d", e.Type, level)
		case !e.Kind.Journaled():
		case !known && level == 1:
			t.Errorf("%s is new: raise Level in catalogue_level.go unless that was done since the last release, name the type in since with that level, and add %q to testdata/levels.txt", e.Type, fmt.Sprintf("%d %s", Level, e.Type))
		case was != level:
			t.Errorf("%s has level %d, testdata/levels.txt says %d", e.Type, level, was)
		}
	}
	if highest > Level {
		t.Errorf("a type has level %d, above the program's %d", highest, Level)
	}
	if got := LevelOf("sun_rose"); got != Level+1 {
		t.Errorf("an unknown type has level %d", got)
	}
}
