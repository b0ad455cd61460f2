package policy

import (
	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/tool"
)

// serverTool decides on a tool of a tool server.
func (in Input) serverTool() Decision {
	switch {
	case !in.Values.AllowMcp:
		return in.ask(tool.GroupMCP, because(clew.PolicyGroupOff, "tools of tool servers need approval", "group", "mcp"))
	case !in.AlwaysAllowed:
		return in.ask(tool.GroupMCP, because(clew.PolicyToolNotAllowed, "this tool is not allowed yet, or it has changed since"))
	}
	d := allow("the tool is allowed, and unchanged")
	d.By = clew.AllowedBy{Scope: clew.AllowedBySettings, Rule: "always_allow"}
	return d
}

// serverOff says why a tool server may not be used, "" if it may.
func (in Input) serverOff() string {
	server, ok := in.Values.McpServers[in.Spec.Server]
	if !in.Values.McpEnabled || !ok || server.Disabled {
		return "the tool server is switched off"
	}
	return ""
}
