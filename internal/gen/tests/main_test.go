package main

import (
	"maps"
	"slices"
	"testing"
)

func graphOf(imports map[string][]string) []pkg {
	var graph []pkg
	for _, name := range slices.Sorted(maps.Keys(imports)) {
		p := pkg{ImportPath: module + "/" + name}
		for _, i := range imports[name] {
			p.Imports = append(p.Imports, module+"/"+i)
		}
		graph = append(graph, p)
	}
	return append(graph, pkg{ImportPath: module})
}

func TestChoose(t *testing.T) {
	graph := graphOf(map[string][]string{
		"internal/plan":        nil,
		"internal/session":     {"internal/plan"},
		"internal/journal":     {"internal/plan", "internal/session"},
		"internal/e2e/story":   {"internal/plan"},
		"internal/api":         {"internal/session"},
		"docs":                 nil,
		"internal/session/sub": {"docs"},
	})
	graph[slices.IndexFunc(graph, func(p pkg) bool { return p.name() == "internal/api" })].Deps = []string{module + "/internal/plan"}
	// A test's import counts as well.
	graph[slices.IndexFunc(graph, func(p pkg) bool { return p.name() == "internal/api" })].XTestImports = []string{module + "/docs"}

	s := choose(graph, []string{"internal/plan/plan.go", "README.md"})
	if got := slices.Concat(s.changed, s.importers, s.slow, s.suites); !slices.Equal(got, []string{"internal/plan", "internal/session", "internal/journal", "internal/e2e/story"}) || s.farther != 1 {
		t.Errorf("a change of plan chooses %+v", s)
	}
	if s := choose(graph, []string{"internal/journal/testdata/deep/a.txt"}); !slices.Equal(s.changed, []string{"internal/journal"}) {
		t.Errorf("a change of journal chooses %+v", s)
	}
	if s := choose(graph, []string{"docs/runs.md"}); !slices.Equal(s.changed, []string{"docs"}) || !slices.Equal(s.importers, []string{"internal/api", "internal/session/sub"}) {
		t.Errorf("a change of docs chooses %+v", s)
	}
	if s := choose(graph, []string{"internal/plan/plan_test.go", "internal/plan/testdata/a.txtar"}); len(s.tested) != 1 || s.farther != 0 {
		t.Errorf("a change of the tests of plan chooses %+v", s)
	}
	if s := choose(graph, []string{"Makefile", "tools/vuln"}); len(s.tested) != 0 {
		t.Errorf("a change of the tools chooses %+v", s)
	}
}
