package policy

import (
	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/settings"
	"github.com/clew-run/clew/internal/tool"
)

// notebook decides on a call about a notebook, by what it does and not by what there is to
// show of it. To run a cell, or to start a kernel, is to run a command that no pattern can
// be held against: it runs unasked only if a sandbox holds it, and not where the settings
// forbid commands, because a cell can run any.
func (in Input) notebook() Decision {
	v, e := in.Values, in.Action.Effect
	switch {
	case in.Spec.Class == clew.ClassReadOnly:
		return in.flag(tool.GroupNotebook, v.AllowReadOnly, "always_allow_read_only", "read", "reading")
	case !in.Action.Runs && in.Spec.Class == clew.ClassCheckable:
		return in.flag(tool.GroupNotebook, v.AllowWrite, "always_allow_write", "edit", "changing a notebook")
	case !in.Action.Runs: // the kernel is interrupted or ended
		return in.flag(tool.GroupNotebook, v.AllowExecute, "always_allow_execute", "command", "changing the kernel")
	case v.Permissions == settings.PresetSandbox && e.Sandbox == sandboxBwrap && !e.Network && in.Action.Guarded && len(v.DeniedCommands) == 0:
		return in.flag(tool.GroupNotebook, true, "permissions", "command", "running cells in the sandbox")
	case v.AllowExecute && e.Sandbox != sandboxBwrap:
		return in.ask(tool.GroupNotebook, because(clew.PolicyGroupOff, "no sandbox holds the kernel", "group", "command"))
	case v.AllowExecute && e.Network && !v.CommandNetwork: // it was started when it was to have one
		return in.ask(tool.GroupNotebook, because(clew.PolicyGroupOff, "the kernel has a network, and the settings give none", "group", "command"))
	case v.AllowExecute && len(v.DeniedCommands) > 0:
		return in.ask(tool.GroupNotebook, because(clew.PolicyGroupOff, "a cell could run a command that the settings forbid", "group", "command"))
	}
	return in.flag(tool.GroupNotebook, v.AllowExecute, "always_allow_execute", "command", "running cells")
}
