package clew

import "testing"

func TestChangedLines(t *testing.T) {
	for _, c := range []struct {
		diff           string
		added, removed int
	}{
		{"", 0, 0},
		{"-a\n+b\n", 1, 1},
		{"index 1..2\n--- a/x\n+++ b/x\n@@ -1,3 +1,3 @@\n a\n--- a line of dashes\n+++ of pluses\n+more\n", 2, 1},
		{"diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\ndiff --git a/y b/y\n--- a/y\n+++ b/y\n@@ -0,0 +1,2 @@\n+c\n+d\n", 3, 1},
	} {
		if added, removed := changedLines(c.diff); added != c.added || removed != c.removed {
			t.Errorf("%q: +%d -%d, want +%d -%d", c.diff, added, removed, c.added, c.removed)
		}
	}
}
