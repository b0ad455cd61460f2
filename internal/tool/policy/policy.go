// Package policy is the one place that decides what a tool call needs: nothing,
// a person's answer, or no chance at all. It is pure. It reads settings, which
// people make, and effects, which tools prepare; nothing that a model writes
// can widen what is allowed.
package policy

import (
	"fmt"
	"io/fs"
	"slices"
	"strconv"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/budget"
	"github.com/clew-run/clew/internal/settings"
	"github.com/clew-run/clew/internal/tool"
)

// A Kind is what a decision comes to.
type Kind string

// The kinds.
const (
	Allow Kind = "allow" // it runs without a person
	Ask   Kind = "ask"   // a person decides
	Deny  Kind = "deny"  // it does not run, whoever agrees
)

// Counters is what happened since a person last answered, and what the whole
// task tree has spent.
type Counters struct {
	AutoApproved int // calls that were approved by themselves since a person last answered
	Mistakes     int // in a row
	CostUSD      float64
	Tokens       int64
}

// Input is all that a decision rests on.
type Input struct {
	Spec     tool.Spec
	Action   *tool.Action
	Values   settings.Values
	Counters Counters
	// Trusted says that a person trusts the workspace as it is now.
	Trusted bool
	// Mode restricts tools and files; nil restricts nothing.
	Mode *settings.Mode
	// AlwaysAllowed says of a tool server's tool that its server's always_allow
	// has it, with the hash of what it is now.
	AlwaysAllowed bool
	// Remembered is what a person allowed for the task, in answer to a question.
	Remembered []clew.RememberedRule
	// Owner and Dir are whose session it is and where it works: of the rules that the
	// server keeps, those count that were made for them. Dir is "" if the server made
	// the directory for the session.
	Owner clew.UserID
	Dir   string
}

// A Decision says what happens to a call and why.
type Decision struct {
	Kind   Kind
	Reason string   // for people and, with Deny, for the model
	Ask    clew.Ask // with Ask: the question to raise
	// Code and Args say with Ask what Reason says, for programs.
	Code clew.PolicyCode
	Args map[string]string
	// By is the rule that allowed it, empty for the agent's own tools.
	By clew.AllowedBy
	// Run, with Allow of a command, is the text to give to bash in place of the
	// command: what was parsed, printed with each word quoted. So bash cannot
	// read the line in another way than the policy did.
	Run string
}

func allow(reason string) Decision { return Decision{Kind: Allow, Reason: reason} }
func deny(reason string) Decision  { return Decision{Kind: Deny, Reason: reason} }

// Decide says what a call needs. Refusals come first, then what always asks,
// then the flags, and last the limits, which turn a yes into a question.
func Decide(in Input) Decision {
	if in.Action == nil {
		return deny("the call was not prepared")
	}
	if in.Action.Refused != "" {
		return deny(in.Action.Refused)
	}
	group := groupOf(in.Spec)
	if why := modeForbids(in, group); why != "" {
		return deny(why)
	}
	if group == tool.GroupMCP && in.serverOff() != "" {
		return deny(in.serverOff())
	}
	line, lineErr := Line{}, error(nil)
	if group == tool.GroupCommand && !in.startsNothing() {
		line, lineErr = Parse(in.Action.Effect.Command)
		if pattern, hit := line.denied(in.Values.DeniedCommands); hit == surely {
			return deny(fmt.Sprintf("the settings forbid commands like %q", pattern))
		}
	}
	if in.Action.Protected {
		return in.ask(group, because(clew.PolicyProtected, "it touches something protected"))
	}
	if group == tool.GroupControl {
		return allow("the agent's own")
	}
	d, known := in.remembered(group, line, lineErr)
	if !known {
		d = in.byFlags(group, line, lineErr)
	}
	if d.Kind == Allow {
		return in.withinLimits(d)
	}
	return d
}

// groupOf gives the group that flags and modes go by. A tool server's word on
// what its tools do is not taken: its tools are always of group mcp.
func groupOf(spec tool.Spec) tool.Group {
	if spec.Server != "" {
		return tool.GroupMCP
	}
	return spec.Group
}

// ask makes the question that fits the call.
func (in Input) ask(group tool.Group, why reason) Decision {
	ask := in.Action.Ask
	if ask == "" {
		switch group {
		case tool.GroupCommand:
			ask = clew.AskCommand
		case tool.GroupMCP:
			ask = clew.AskUseMcpServer
		default:
			ask = clew.AskTool
		}
	}
	return Decision{Kind: Ask, Reason: why.text, Ask: ask, Code: why.code, Args: why.args}
}

// A reason is why a call is asked about: a code, what belongs to it, and words
// for people.
type reason struct {
	code clew.PolicyCode
	text string
	args map[string]string
}

// because makes a reason; args are names and values in turn.
func because(code clew.PolicyCode, text string, args ...string) reason {
	r := reason{code: code, text: text}
	for i := 0; i+1 < len(args); i += 2 {
		if r.args == nil {
			r.args = map[string]string{}
		}
		r.args[args[i]] = args[i+1]
	}
	return r
}

// modeForbids says why the mode does not have the call, "" if it has. The
// control group belongs to every mode: an agent must be able to ask and to end.
func modeForbids(in Input, group tool.Group) string {
	if in.Mode == nil || group == tool.GroupControl {
		return ""
	}
	if !slices.Contains(in.Mode.Groups, string(group)) {
		return fmt.Sprintf("the mode %s may not %s", in.Mode.Slug, doings[group])
	}
	changes := group == tool.GroupEdit || group == tool.GroupNotebook && in.Spec.Class != clew.ClassReadOnly
	if !changes || in.Mode.EditPattern == "" {
		return ""
	}
	for _, path := range in.Action.Effect.Paths {
		if ok, err := doublestar.Match(in.Mode.EditPattern, path); err != nil || !ok || !fs.ValidPath(path) {
			return fmt.Sprintf("the mode %s may only change files like %s, and %s is none", in.Mode.Slug, in.Mode.EditPattern, path)
		}
	}
	if len(in.Action.Effect.Paths) == 0 {
		return fmt.Sprintf("the mode %s may only change files like %s, and the call names none", in.Mode.Slug, in.Mode.EditPattern)
	}
	return ""
}

// doings says what the tools of a group do.
var doings = map[tool.Group]string{
	tool.GroupRead: "read files", tool.GroupEdit: "change files", tool.GroupCommand: "run commands",
	tool.GroupNotebook: "use notebooks", tool.GroupFetch: "fetch from the web", tool.GroupMCP: "use tool servers",
}

// byFlags goes through what people have switched on.
func (in Input) byFlags(group tool.Group, line Line, lineErr error) Decision {
	v := in.Values
	if !v.AutoApproval {
		return in.ask(group, because(clew.PolicyAutoApprovalOff, "auto-approval is off"))
	}
	// Commands and edits in a workspace run, or become, code of that workspace.
	reads := group == tool.GroupRead || (group == tool.GroupCommand || group == tool.GroupNotebook) && in.Spec.Class == clew.ClassReadOnly
	if !in.Trusted && !reads {
		return in.ask(group, because(clew.PolicyUntrusted, "this directory is not trusted yet"))
	}
	switch group {
	case tool.GroupRead:
		if in.Spec.Class != clew.ClassReadOnly {
			return in.ask(group, because(clew.PolicyNotReadOnly, "the tool does more than read"))
		}
		return in.flag(group, v.AllowReadOnly, "always_allow_read_only", "read", "reading")
	case tool.GroupEdit:
		return in.flag(group, v.AllowWrite, "always_allow_write", "edit", "changing files")
	case tool.GroupNotebook:
		return in.notebook()
	case tool.GroupFetch:
		return in.flag(group, v.AllowFetch, "always_allow_fetch", "fetch", "fetching from the web")
	case tool.GroupMCP:
		return in.serverTool()
	case tool.GroupCommand:
		switch {
		case !in.startsNothing() && v.Permissions == settings.PresetSandbox && in.held(line, lineErr):
			d := allow("the sandbox holds it")
			d.By = clew.AllowedBy{Scope: clew.AllowedBySettings, Rule: "permissions"}
			return d
		case !in.startsNothing():
			return in.command(line, lineErr)
		case reads:
			return in.flag(group, v.AllowReadOnly, "always_allow_read_only", "read", "reading")
		}
		if v.Permissions == settings.PresetSandbox {
			return in.flag(group, true, "permissions", "stop", "stopping a command")
		}
		return in.flag(group, v.AllowExecute, "always_allow_execute", "stop", "stopping a command")
	}
	return in.ask(group, because(clew.PolicyNoSetting, "no setting allows this tool"))
}

// held reports whether a command can do no harm outside: a real sandbox holds it, it
// has no network, and the protected files of the workspace are kept from it. The line
// has to be one that the deny list can be held against.
func (in Input) held(line Line, lineErr error) bool {
	e := in.Action.Effect
	return e.Sandbox == sandboxBwrap && !e.Network && in.Action.Guarded && !in.Action.Protected && in.unclear(line, lineErr).code == ""
}

// sandboxBwrap is the one kind of sandbox that is one, as effects name it.
const sandboxBwrap = "bwrap"

// startsNothing reports whether a tool for commands is about one that was
// started before: it reads its output, or stops it.
func (in Input) startsNothing() bool {
	return in.Spec.Class != clew.ClassOnce && len(in.Action.Effect.Argv) == 0
}

// flag decides by one flag; of says what it is about, and what does for people.
func (in Input) flag(group tool.Group, on bool, name, of, what string) Decision {
	if on {
		d := allow(what + " is allowed")
		d.By = clew.AllowedBy{Scope: clew.AllowedBySettings, Rule: name}
		return d
	}
	return in.ask(group, because(clew.PolicyGroupOff, what+" needs approval", "group", of))
}

// withinLimits turns a yes into a question once a limit is reached.
func (in Input) withinLimits(d Decision) Decision {
	v, c := in.Values, in.Counters
	switch {
	case v.MistakeLimit > 0 && c.Mistakes >= v.MistakeLimit:
		return Decision{Kind: Ask, Ask: clew.AskMistakeLimitReached,
			Code: clew.PolicyMistakes, Args: map[string]string{"count": strconv.Itoa(c.Mistakes)},
			Reason: fmt.Sprintf("the agent made %d mistakes in a row", c.Mistakes)}
	case v.AutoApprovalMaxReq > 0 && c.AutoApproved >= v.AutoApprovalMaxReq:
		return Decision{Kind: Ask, Ask: clew.AskAutoApprovalMaxReqReached,
			Code: clew.PolicyRequests, Args: map[string]string{"count": strconv.Itoa(c.AutoApproved)},
			Reason: fmt.Sprintf("%d calls ran without asking, which is the limit", c.AutoApproved)}
	}
	if _, refusal := budget.Reserve(budget.Limit(v.BudgetUSD, v.BudgetTokens), budget.Cost(c.CostUSD, c.Tokens), budget.Amount{}); refusal != nil {
		return Decision{Kind: Ask, Ask: clew.AskAutoApprovalMaxReqReached, Code: clew.PolicyBudget, Reason: refusal.Error()}
	}
	return d
}
