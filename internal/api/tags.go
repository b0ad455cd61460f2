package api

import (
	"strings"

	"github.com/danielgtaylor/huma/v2"
)

// A group of routes is a tag of the document, by what their paths begin with.
type group struct {
	name, text string
	paths      []string
}

// groups are in the order in which the document lists them. Of two that fit a path,
// the longer beginning counts.
var groups = []group{
	{"Sessions", "Make sessions, list them, search them, read them, share them and send commands to them.", []string{prefix + "/sessions", prefix + "/search", prefix + "/tasks", prefix + "/folders", "/ws", "/reports"}},
	{"Git", "What a session changed in its files: diff, commit, work trees, merge.", []string{
		prefix + "/sessions/{id}/commit", prefix + "/sessions/{id}/diff", prefix + "/sessions/{id}/merge", prefix + "/sessions/{id}/worktree", prefix + "/worktrees",
	}},
	{"Notebooks", "What the kernels of notebooks know.", []string{prefix + "/sessions/{id}/notebooks"}},
	{"Questions", "What agents ask people: the inbox, answer links and push messages.", []string{prefix + "/inbox", prefix + "/answer", "/answer", prefix + "/push"}},
	{"Permissions", "What agents may do without asking.", []string{prefix + "/permissions", prefix + "/rules"}},
	{"Models", "Model profiles, the catalogue, and the model in use.", []string{prefix + "/model", prefix + "/models"}},
	{"Tool servers", "Servers that bring tools of their own (MCP).", []string{prefix + "/mcp"}},
	{"Settings", "Settings and secrets of the server.", []string{prefix + "/settings", prefix + "/secrets"}},
	{"People", "Who the caller is, signing in, API keys.", []string{prefix + "/me", prefix + "/sign-in", prefix + "/sign-out", prefix + "/tickets", prefix + "/keys"}},
	{"Server", "Health, metrics, backups, and these documents.", []string{prefix + "/backup", prefix + "/usage", "/healthz", "/readyz", "/metrics", "/openapi.json", "/asyncapi.json"}},
}

// groupOf is the group of a path, empty for one that has none yet.
func groupOf(path string) string {
	name, length := "", 0
	for _, g := range groups {
		for _, begin := range g.paths {
			if len(begin) > length && strings.HasPrefix(path, begin) {
				name, length = g.name, len(begin)
			}
		}
	}
	return name
}

// tag puts every operation of the document into its group.
func (a *API) tag() {
	for _, g := range groups {
		a.doc.Tags = append(a.doc.Tags, &huma.Tag{Name: g.name, Description: g.text})
	}
	for path, item := range a.doc.Paths {
		for _, op := range []*huma.Operation{item.Get, item.Put, item.Post, item.Patch, item.Delete} {
			if op != nil {
				op.Tags = []string{groupOf(path)}
			}
		}
	}
}
