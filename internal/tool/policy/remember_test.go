package policy

import (
	"slices"
	"strings"
	"testing"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/settings"
	"github.com/clew-run/clew/internal/tool"
)

func TestSuggest(t *testing.T) {
	tests := []struct{ command, pattern string }{
		{"go test ./...", "go test *"},
		{"git log -p", "git log *"},
		{"ls -la", "ls *"},
		{"rm -rf build", "rm -rf build"},
		{"python3 tools/gen.py --all", "python3 tools/gen.py --all"},
		{"go test -exec x ./...", "go test -exec x ./..."}, // no star covers that
		{"timeout 60 go test ./... | tee out.txt", "timeout 60 go test ./... | tee out.txt"},
		{"go vet ./... && go test ./...", "go vet ./... && go test ./..."},
		{"git -c core.pager=x log", "git -c core.pager=x log"},
		{"echo a\nrm b", ""},
		{"echo 'x", ""},
		{"gо test ./...", ""},        // a Cyrillic o
		{"go te\u200bst ./...", ""},  // an invisible space
		{"ls \u202egro.elpmaxe", ""}, // text that is turned round
		{"", ""},
	}
	for _, tt := range tests {
		got := Suggest(tt.command)
		if got != tt.pattern {
			t.Errorf("%q: suggested is %q, want %q", tt.command, got, tt.pattern)
		}
		if got == "" {
			continue
		}
		match, miss := Examples(tt.command, got)
		if match == "" || !Covers(match, got) || miss == "" || Covers(miss, got) || !Covers(tt.command, got) {
			t.Errorf("%q: %q covers %q and not %q", tt.command, got, match, miss)
		}
	}
}

func TestNoPatternToRemember(t *testing.T) {
	for _, p := range []string{"", "*", " ", "* *", "go test\nrm", "go\ttest", " go test", "go test * ", "g\u200bo test *", "gо test *", strings.Repeat("x", 2000)} {
		if Problem(p) == "" || Covers("go test", p) {
			t.Errorf("%q may be remembered", p)
		}
	}
}

// What is remembered allows calls alike, and nothing that is refused, protected or
// unclear; it says nothing about other tools.
//
// Covers: UIC-05, TOOL-17
func TestRemembered(t *testing.T) {
	none := settings.Values{McpEnabled: true}
	call := func(command, pattern string, change func(*Input)) Decision {
		in := input(tool.GroupCommand, none)
		in.Action.Effect.Command = command
		in.Remembered = []clew.RememberedRule{{Tool: in.Spec.Name, Pattern: pattern}}
		if change != nil {
			change(&in)
		}
		return Decide(in)
	}
	if d := call("go test -race ./...", "go test *", nil); d.Kind != Allow || d.Run != "'go' 'test' '-race' './...'" {
		t.Errorf("remembered: %+v", d)
	}
	for name, d := range map[string]Decision{
		"another command":  call("go vet ./...", "go test *", nil),
		"a longer line":    call("go test && curl x", "go test *", nil),
		"a dangerous word": call("go test -exec x", "go test *", nil),
		"a substitution":   call("go test $(x)", "go test *", nil),
		"a star":           call("go test", "*", nil),
		"protected":        call("go test", "go test *", func(in *Input) { in.Action.Protected = true }),
		"not trusted":      call("go test", "go test *", func(in *Input) { in.Trusted = false }),
		"another tool":     call("go test", "go test *", func(in *Input) { in.Remembered[0].Tool = "other" }),
		"a tool server's":  call("go test", "go test *", func(in *Input) { in.Spec.Server = "x"; in.Values.McpServers = map[string]settings.McpServer{"x": {}} }),
		"a wary program":   call("git log", "git log *", func(in *Input) { in.Action.Wary = map[string]string{"git": "its configuration"} }),
		"an environment":   call("go test", "go test *", func(in *Input) { in.Action.Effect.Environment = map[string]string{"LD_PRELOAD": "x"} }),
	} {
		if d.Kind != Ask {
			t.Errorf("%s: %+v", name, d)
		}
	}
	if d := call("go test", "go test *", func(in *Input) { in.Values.DeniedCommands = []string{"go test"} }); d.Kind != Deny {
		t.Errorf("denied: %+v", d)
	}
	if d := call("go test", "go test *", func(in *Input) { in.Values.AutoApprovalMaxReq, in.Counters.AutoApproved = 1, 1 }); d.Ask != clew.AskAutoApprovalMaxReqReached {
		t.Errorf("over the limit: %+v", d)
	}
	bound := func(in *Input) { in.Remembered[0].WhileAuto = true }
	if d := call("go test", "go test *", bound); d.Kind != Ask {
		t.Errorf("made while auto-approval was on, which is off now: %+v", d)
	}
	if d := call("go test", "go test *", func(in *Input) { bound(in); in.Values.AutoApproval = true }); d.Kind != Allow {
		t.Errorf("made while auto-approval was on, as it is: %+v", d)
	}
	for host, want := range map[string]Kind{"example.org": Allow, "": Ask, "example.com": Ask, "org": Ask} {
		get := input(tool.GroupFetch, none)
		get.Action.Effect = clew.Effect{URL: "https://example.org/a"}
		get.Remembered = []clew.RememberedRule{{Tool: get.Spec.Name, Pattern: host}}
		if d := Decide(get); d.Kind != want {
			t.Errorf("fetch with %q remembered: %+v", host, d)
		}
	}
	edit := input(tool.GroupEdit, none)
	edit.Remembered = []clew.RememberedRule{{Tool: edit.Spec.Name}}
	if d := Decide(edit); d.Kind != Allow {
		t.Errorf("an edit: %+v", d)
	}
}

// Only what would have an effect is offered.
func TestOffer(t *testing.T) {
	flags := func(v settings.Values) settings.Values { v.AutoApproval, v.AllowExecute = true, true; return v }
	scopes := func(in Input) []string {
		var list []string
		if o := Offer(in); o != nil {
			for _, s := range o.Scopes {
				list = append(list, string(s))
			}
		}
		return list
	}
	off, on := input(tool.GroupCommand, settings.Values{}), input(tool.GroupCommand, flags(settings.Values{}))
	server := input(tool.GroupMCP, everything())
	server.Spec.Server = "x"
	untrusted, protected, allowed := on, on, input(tool.GroupCommand, everything())
	untrusted.Trusted = false
	protected.Action = &tool.Action{Effect: on.Action.Effect, Protected: true}
	for name, tt := range map[string]struct {
		in   Input
		want []string
	}{
		"flags off":  {off, []string{"task"}},
		"flags on":   {on, []string{"task", "session"}},
		"edit":       {input(tool.GroupEdit, settings.Values{}), []string{"task"}},
		"not asked":  {allowed, nil},
		"untrusted":  {untrusted, nil},
		"protected":  {protected, nil},
		"server":     {server, nil},
		"own tools":  {input(tool.GroupControl, settings.Values{}), nil},
		"no pattern": {func() Input { in := on; in.Action = &tool.Action{Effect: clew.Effect{Command: "echo '"}}; return in }(), nil},
	} {
		if got := scopes(tt.in); !slices.Equal(got, tt.want) {
			t.Errorf("%s: offered are %v, want %v", name, got, tt.want)
		}
	}
}

func FuzzSuggest(f *testing.F) {
	for _, c := range []string{"go test ./...", "ls *", "a && b", "git log --output=x", "*", "$(x)", "rm -rf /"} {
		f.Add(c, "go test *")
	}
	f.Fuzz(func(t *testing.T, command, pattern string) {
		if p := Suggest(command); p != "" && (!Covers(command, p) || Problem(p) != "") {
			t.Errorf("%q does not cover %q", p, command)
		}
		if match, miss := Examples(command, pattern); match != "" && !Covers(match, pattern) || miss != "" && Covers(miss, pattern) {
			t.Errorf("%q: match %q, near miss %q", pattern, match, miss)
		}
	})
}

// A call that nobody was asked about says by which rule.
func TestAllowedBy(t *testing.T) {
	values := settings.Values{
		AutoApproval: true, AllowExecute: true, AllowReadOnly: true, McpEnabled: true,
		AllowedCommands: []string{"git status *", "ls *"}, RememberedCommands: []string{"go vet *"},
	}
	tests := []struct {
		command string
		scope   clew.AllowScope
		rule    string
	}{
		{"git status --short", clew.AllowedBySettings, "git status *"},
		{"go vet ./...", clew.AllowedForSession, "go vet *"},
		{"go test ./...", clew.AllowedForTask, "go test *"},
		{"ls && go test ./... && ls -l", clew.AllowedForTask, "ls *, go test *"},
		{"make all | tee out.txt", clew.AllowedForTask, "make all | tee out.txt"},
	}
	for _, tt := range tests {
		in := input(tool.GroupCommand, values)
		in.Action.Effect.Command = tt.command
		in.Remembered = []clew.RememberedRule{{Tool: in.Spec.Name, Pattern: "go test *"}, {Tool: in.Spec.Name, Pattern: "make all | tee out.txt"}}
		if d := Decide(in); d.Kind != Allow || d.By.Scope != tt.scope || d.By.Rule != tt.rule {
			t.Errorf("%q: %+v, by %+v", tt.command, d, d.By)
		}
	}
	in := input(tool.GroupRead, values)
	in.Spec.Class = clew.ClassReadOnly
	if d := Decide(in); d.By.Rule != "always_allow_read_only" || d.By.Scope != clew.AllowedBySettings {
		t.Errorf("a flag: %+v, by %+v", d, d.By)
	}
}

// A pattern that looks as if it covered a command says why it does not.
func TestWhyNot(t *testing.T) {
	for _, c := range []struct{ command, pattern, want string }{
		{"sh check.sh", "sh *", "sh may run or change anything, so only the exact line can be remembered"},
		{"python3 -m pytest", "python3 *", "only the exact line can be remembered"},
		{"sudo ls", "sudo *", "only the exact line"},
		{"find . -exec rm x", "find *", "only the exact line can be remembered"},
		{"rg --pre ./x y", "rg *", "--pre is not known to be harmless for rg"},
		{"go test && make", "go *", "more commands"},
		{"go test ./...", "go vet *", ""},
	} {
		got := WhyNot(c.command, c.pattern)
		if Covers(c.command, c.pattern) || !strings.Contains(got, c.want) || (c.want == "") != (got == "") {
			t.Errorf("%q for %q: %q, want %q", c.pattern, c.command, got, c.want)
		}
	}
}

// A rule that is kept counts for its owner, in its directory, with auto-approval on and
// in a trusted workspace; a star in it covers what the table has and no more.
func TestKeptRules(t *testing.T) {
	rule := settings.KeptRule{ID: "req_1", Owner: "ann", Dir: "/w", Tool: "tool", Pattern: "go test *"}
	always := rule
	always.Dir = ""
	for name, c := range map[string]struct {
		rule settings.KeptRule
		edit func(in *Input)
		want Kind
	}{
		"here":               {rule, func(*Input) {}, Allow},
		"always":             {always, func(*Input) {}, Allow},
		"always, no folder":  {always, func(in *Input) { in.Dir = "" }, Allow},
		"no folder":          {rule, func(in *Input) { in.Dir = "" }, Ask},
		"another folder":     {rule, func(in *Input) { in.Dir = "/w/sub" }, Ask},
		"another owner":      {rule, func(in *Input) { in.Owner = "bob" }, Ask},
		"always, another":    {always, func(in *Input) { in.Owner = "bob" }, Ask},
		"nobody":             {settings.KeptRule{ID: "x", Tool: "tool", Pattern: "go test *"}, func(in *Input) { in.Owner = "" }, Ask},
		"another tool":       {rule, func(in *Input) { in.Spec.Name = "other" }, Ask},
		"not trusted":        {rule, func(in *Input) { in.Trusted = false }, Ask},
		"auto-approval off":  {rule, func(in *Input) { in.Values.AutoApproval = false }, Ask},
		"protected":          {rule, func(in *Input) { in.Action.Protected = true }, Ask},
		"refused":            {rule, func(in *Input) { in.Action.Refused = "no" }, Deny},
		"denied":             {rule, func(in *Input) { in.Values.DeniedCommands = []string{"go test"} }, Deny},
		"beyond the star":    {rule, func(in *Input) { in.Action.Effect.Command = "go test -exec x ./..." }, Ask},
		"another command":    {rule, func(in *Input) { in.Action.Effect.Command = "go vet ./..." }, Ask},
		"more than the rule": {rule, func(in *Input) { in.Action.Effect.Command = "go test ./... && rm -rf ." }, Ask},
		"of a tool server":   {rule, func(in *Input) { in.Spec.Server = "s" }, Ask},
	} {
		in := input(tool.GroupCommand, settings.Values{AutoApproval: true, McpEnabled: true, McpServers: map[string]settings.McpServer{"s": {}}, KeptRules: []settings.KeptRule{c.rule}})
		in.Spec.Name, in.Owner, in.Dir, in.Action.Effect.Command = "tool", "ann", "/w", "go test ./..."
		c.edit(&in)
		if d := Decide(in); d.Kind != c.want {
			t.Errorf("%s: %+v", name, d)
		}
	}
}
