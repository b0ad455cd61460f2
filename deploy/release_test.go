package deploy

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// What is published together names one version: the npm and the PyPI package, the
// action, the changelog and the notes of the release.
func TestOneVersion(t *testing.T) {
	version := regexp.MustCompile(`"version": "([^"]+)"`).FindStringSubmatch(text(t, "../sdk/typescript/package.json"))[1]
	if n := strings.Count(text(t, "../sdk/typescript/package-lock.json")[:400], `"version": "`+version+`"`); n == 0 {
		t.Errorf("the lock file of the npm package is not of version %s", version)
	}
	if !strings.Contains(text(t, "../sdk/python/pyproject.toml"), "\nversion = \""+version+"\"\n") {
		t.Errorf("the Python package is not of version %s", version)
	}
	if latest := regexp.MustCompile(`(?m)^## \[(\d\S*)\]`).FindStringSubmatch(text(t, "../CHANGELOG.md")); latest == nil || latest[1] != version {
		t.Errorf("the changelog's newest section is %v, want %s", latest, version)
	}
	if !strings.Contains(text(t, "action/README.md"), "clew-run/clew/deploy/action@v"+version+"\n") {
		t.Errorf("the action's page names another version than %s", version)
	}
	notes := "../docs/releases/v" + version + ".md"
	if !strings.HasPrefix(text(t, notes), "# clew "+version+"\n") {
		t.Errorf("%s is not about %s", notes, version)
	}
	// The notes stand on the release page, where a path of the repository leads nowhere.
	for _, link := range regexp.MustCompile(`\]\(([^)]+)\)`).FindAllStringSubmatch(text(t, notes), -1) {
		path, ours := strings.CutPrefix(link[1], "https://github.com/clew-run/clew/blob/v"+version+"/")
		if _, err := os.Stat("../" + path); !ours || err != nil {
			t.Errorf("%s links to %s", notes, link[1])
		}
	}
}
