package settings

import (
	"embed"
	"slices"
	"strings"
)

// ToolGroups are the groups of tools that a mode can name.
var ToolGroups = []string{"read", "edit", "command", "notebook", "fetch", "mcp", "control"}

// Where a mode comes from.
const (
	SourceBuiltIn   = "built-in"
	SourceGlobal    = "global"
	SourceWorkspace = "workspace"
)

//go:embed modes/*.md
var modePrompts embed.FS

// builtIn are the modes that are always there. Each has its prompt in a file
// beside this one.
var builtIn = []Mode{
	{Slug: "code", Name: "Code", WhenToUse: "Write or change software.",
		Groups: []string{"read", "edit", "command", "fetch", "mcp", "control"}},
	{Slug: "architect", Name: "Architect", WhenToUse: "Plan and design before the work starts.",
		Groups: []string{"read", "edit", "fetch", "mcp", "control"}, EditPattern: "**/*.md"},
	{Slug: "ask", Name: "Ask", WhenToUse: "Get an explanation without any change.",
		Groups: []string{"read", "fetch", "mcp", "control"}},
	{Slug: "debug", Name: "Debug", WhenToUse: "Find the cause of a failure and repair it.",
		Groups: []string{"read", "edit", "command", "fetch", "mcp", "control"}},
	{Slug: "orchestrator", Name: "Orchestrator", WhenToUse: "Split a large task into subtasks.",
		Groups: []string{"control"}},
	{Slug: "web", Name: "Web", WhenToUse: "Find something out on pages and from APIs.",
		Groups: []string{"fetch", "mcp", "control"}},
	{Slug: "compute", Name: "Compute", WhenToUse: "Compute something in the sandbox.",
		Groups: []string{"read", "command", "notebook", "control"}},
	{Slug: "app", Name: "App", WhenToUse: "Build something that runs, and show it.",
		Groups: []string{"read", "edit", "command", "control"}},
	{Slug: "desktop", Name: "Desktop", WhenToUse: "Answer at once and delegate what takes longer.",
		Groups: []string{"read", "control"}},
}

// BuiltInModes gives the modes that need no settings.
func BuiltInModes() []Mode {
	modes := make([]Mode, len(builtIn))
	for i, m := range builtIn {
		prompt, err := modePrompts.ReadFile("modes/" + m.Slug + ".md")
		if err != nil {
			panic(err) // embedded, so a mistake in the build
		}
		m.Prompt = strings.TrimSpace(string(prompt))
		m.Groups = slices.Clone(m.Groups)
		m.Source = SourceBuiltIn
		modes[i] = m
	}
	return modes
}

// Modes gives all modes: the built-in ones, those of the settings and those of
// the workspace, where a later one takes the place of an earlier one with the
// same slug. workspaceModes must be nil unless the workspace is trusted. For
// the same reason a mode in the settings that says it is a workspace's does not
// count.
func Modes(v Values, workspaceModes []Mode) []Mode {
	modes := BuiltInModes()
	put := func(m Mode, source string) {
		m.Source = source
		if i := slices.IndexFunc(modes, func(o Mode) bool { return o.Slug == m.Slug }); i >= 0 {
			modes[i] = m
			return
		}
		modes = append(modes, m)
	}
	for _, m := range v.CustomModes {
		if m.Source != SourceWorkspace {
			put(m, SourceGlobal)
		}
	}
	for _, m := range workspaceModes {
		put(m, SourceWorkspace)
	}
	return modes
}

// FindMode looks a mode up by its slug.
func FindMode(modes []Mode, slug string) (Mode, bool) {
	for _, m := range modes {
		if m.Slug == slug {
			return m, true
		}
	}
	return Mode{}, false
}

// Allows reports whether the mode may use tools of a group. The agent's own
// tools are part of every mode: without them it could not even finish.
func (m Mode) Allows(group string) bool {
	return group == "control" || slices.Contains(m.Groups, group)
}
