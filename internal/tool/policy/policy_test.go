package policy

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/settings"
	"github.com/clew-run/clew/internal/tool"
)

func spec(group tool.Group) tool.Spec {
	class := clew.ClassOnce
	if group == tool.GroupRead || group == tool.GroupFetch {
		class = clew.ClassReadOnly
	}
	return tool.Spec{Name: "x_" + string(group), Class: class, Group: group, Schema: json.RawMessage(`{"type":"object"}`)}
}

// everything is settings with all that can be switched on.
func everything() settings.Values {
	return settings.Values{
		AutoApproval: true, AllowReadOnly: true, AllowWrite: true, AllowExecute: true, AllowMcp: true, AllowFetch: true,
		AllowedCommands: []string{"ls *"}, McpEnabled: true,
	}
}

func input(group tool.Group, v settings.Values) Input {
	return Input{Spec: spec(group), Values: v, Trusted: true,
		Action: &tool.Action{Effect: clew.Effect{Command: "ls", Paths: []string{"a/b.md"}}}}
}

// Covers: UIC-05, UIC-54, TOOL-17
func TestEachFlagDecidesItsGroup(t *testing.T) {
	off := map[tool.Group]func(*settings.Values){
		tool.GroupRead:    func(v *settings.Values) { v.AllowReadOnly = false },
		tool.GroupEdit:    func(v *settings.Values) { v.AllowWrite = false },
		tool.GroupCommand: func(v *settings.Values) { v.AllowExecute = false },
		tool.GroupFetch:   func(v *settings.Values) { v.AllowFetch = false },
	}
	for group, without := range off {
		if d := Decide(input(group, everything())); d.Kind != Allow {
			t.Errorf("%s with its flag: %+v", group, d)
		}
		v := everything()
		without(&v)
		want := clew.AskTool
		if group == tool.GroupCommand {
			want = clew.AskCommand
		}
		if d := Decide(input(group, v)); d.Kind != Ask || d.Ask != want {
			t.Errorf("%s without its flag: %+v", group, d)
		}
		v = everything()
		v.AutoApproval = false
		if d := Decide(input(group, v)); d.Kind != Ask {
			t.Errorf("%s with auto-approval off: %+v", group, d)
		}
		in := input(group, everything())
		in.Trusted = false
		if d := Decide(in); (d.Kind == Allow) != (group == tool.GroupRead) {
			t.Errorf("%s in a workspace without trust: %+v", group, d)
		}
	}
	if d := Decide(input(tool.GroupControl, settings.Values{})); d.Kind != Allow {
		t.Errorf("control: %+v", d)
	}
	if d := Decide(input("other", everything())); d.Kind != Ask {
		t.Errorf("an unknown group: %+v", d)
	}
	in := input(tool.GroupRead, everything())
	in.Spec.Class = clew.ClassOnce
	if d := Decide(in); d.Kind != Ask {
		t.Errorf("a tool that reads and changes: %+v", d)
	}
}

// Covers: C-56
func TestRefusedAndProtectedComeBeforeFlags(t *testing.T) {
	for _, group := range []tool.Group{tool.GroupRead, tool.GroupEdit, tool.GroupCommand, tool.GroupFetch, tool.GroupControl} {
		in := input(group, everything())
		in.Action.Protected = true
		if d := Decide(in); d.Kind != Ask {
			t.Errorf("%s protected: %+v", group, d)
		}
		in.Action.Refused = "no"
		if d := Decide(in); d.Kind != Deny || d.Reason != "no" {
			t.Errorf("%s refused: %+v", group, d)
		}
	}
	if d := Decide(Input{Spec: spec(tool.GroupRead), Values: everything()}); d.Kind != Deny {
		t.Errorf("not prepared: %+v", d)
	}
}

func TestModes(t *testing.T) {
	mode := &settings.Mode{Slug: "architect", Groups: []string{"read", "edit"}, EditPattern: "**/*.md"}
	cases := []struct {
		group tool.Group
		paths []string
		want  Kind
	}{
		{tool.GroupRead, []string{"x.go"}, Allow},
		{tool.GroupEdit, []string{"x.md", "a/b/c.md"}, Allow},
		{tool.GroupEdit, []string{"x.md", "x.go"}, Deny},
		{tool.GroupEdit, []string{"../x.md"}, Deny},
		{tool.GroupEdit, []string{"/x.md"}, Deny},
		{tool.GroupEdit, nil, Deny},
		{tool.GroupCommand, nil, Deny},
		{tool.GroupMCP, nil, Deny},
		{tool.GroupFetch, nil, Deny},
		{tool.GroupControl, nil, Allow},
	}
	for _, c := range cases {
		in := input(c.group, everything())
		in.Mode, in.Action.Effect.Paths = mode, c.paths
		if d := Decide(in); d.Kind != c.want {
			t.Errorf("%s %v: %+v", c.group, c.paths, d)
		}
	}
	broken := input(tool.GroupEdit, everything())
	broken.Mode = &settings.Mode{Groups: []string{"edit"}, EditPattern: "[a"}
	if d := Decide(broken); d.Kind != Deny {
		t.Errorf("a pattern that is none: %+v", d)
	}
}

// Covers: C-56
func TestLimitsTurnAYesIntoAQuestion(t *testing.T) {
	cases := []struct {
		name string
		set  func(*settings.Values)
		c    Counters
		want clew.Ask
	}{
		{"requests", func(v *settings.Values) { v.AutoApprovalMaxReq = 5 }, Counters{AutoApproved: 5}, clew.AskAutoApprovalMaxReqReached},
		{"requests left", func(v *settings.Values) { v.AutoApprovalMaxReq = 5 }, Counters{AutoApproved: 4}, ""},
		{"mistakes", func(v *settings.Values) { v.MistakeLimit = 3 }, Counters{Mistakes: 3}, clew.AskMistakeLimitReached},
		{"money", func(v *settings.Values) { v.BudgetUSD = 0.5 }, Counters{CostUSD: 0.5}, clew.AskAutoApprovalMaxReqReached},
		{"money left", func(v *settings.Values) { v.BudgetUSD = 0.5 }, Counters{CostUSD: 0.4}, ""},
		{"tokens", func(v *settings.Values) { v.BudgetTokens = 10 }, Counters{Tokens: 11}, clew.AskAutoApprovalMaxReqReached},
		{"no limits", func(*settings.Values) {}, Counters{AutoApproved: 1e6, Mistakes: 99, CostUSD: 1e6, Tokens: 1e12}, ""},
	}
	for _, c := range cases {
		v := everything()
		c.set(&v)
		in := input(tool.GroupCommand, v)
		in.Counters = c.c
		d := Decide(in)
		if (d.Kind == Ask) != (c.want != "") || d.Ask != c.want || (d.Kind == Ask && d.Run != "") {
			t.Errorf("%s: %+v", c.name, d)
		}
		in = input(tool.GroupControl, v)
		in.Counters = c.c
		if d := Decide(in); d.Kind != Allow {
			t.Errorf("%s stops control: %+v", c.name, d)
		}
	}
}

// Covers: TOOL-15
func TestServerTools(t *testing.T) {
	cases := []struct {
		name   string
		change func(*Input, *settings.McpServer)
		want   Kind
	}{
		{"as allowed", func(*Input, *settings.McpServer) {}, Allow},
		{"flag off", func(i *Input, _ *settings.McpServer) { i.Values.AllowMcp = false }, Ask},
		{"not trusted", func(i *Input, _ *settings.McpServer) { i.Trusted = false }, Ask},
		{"not listed, or changed", func(i *Input, _ *settings.McpServer) { i.AlwaysAllowed = false }, Ask},
		{"server off", func(_ *Input, s *settings.McpServer) { s.Disabled = true }, Deny},
		{"all servers off", func(i *Input, _ *settings.McpServer) { i.Values.McpEnabled = false }, Deny},
		{"says it is control", func(i *Input, _ *settings.McpServer) { i.Spec.Group, i.AlwaysAllowed = tool.GroupControl, false }, Ask},
		{"other server", func(i *Input, _ *settings.McpServer) { i.Spec.Server = "else" }, Deny},
		{"other server, flags off", func(i *Input, _ *settings.McpServer) { i.Spec.Server, i.Values.AutoApproval = "else", false }, Deny},
	}
	for _, c := range cases {
		// The server says that its tool only reads. Its word does not count.
		in, server := input(tool.GroupRead, everything()), settings.McpServer{}
		in.Spec.Server, in.AlwaysAllowed = "wiki", true
		c.change(&in, &server)
		in.Values.McpServers = map[string]settings.McpServer{"wiki": server}
		d := Decide(in)
		if d.Kind != c.want || (d.Kind == Ask && d.Ask != clew.AskUseMcpServer) {
			t.Errorf("%s: %+v", c.name, d)
		}
	}
}

func TestToolsForRunningCommands(t *testing.T) {
	cases := []struct {
		class   clew.ToolClass
		trusted bool
		change  func(*settings.Values)
		want    Kind
	}{
		{clew.ClassReadOnly, true, func(v *settings.Values) { v.AllowExecute = false }, Allow},
		{clew.ClassReadOnly, false, func(*settings.Values) {}, Allow},
		{clew.ClassReadOnly, true, func(v *settings.Values) { v.AllowReadOnly = false }, Ask},
		{clew.ClassRepeatable, true, func(*settings.Values) {}, Allow},
		{clew.ClassRepeatable, true, func(v *settings.Values) { v.DeniedCommands = []string{"make"} }, Allow}, // it can be stopped
		{clew.ClassRepeatable, true, func(v *settings.Values) { v.AllowExecute = false }, Ask},
		{clew.ClassRepeatable, false, func(*settings.Values) {}, Ask},
		{clew.ClassOnce, true, func(*settings.Values) {}, Ask},
		{clew.ClassOnce, true, func(v *settings.Values) { v.DeniedCommands = []string{"make"} }, Deny},
	}
	for _, c := range cases {
		v := everything()
		c.change(&v)
		in := input(tool.GroupCommand, v)
		in.Spec.Class, in.Trusted, in.Action.Effect.Command = c.class, c.trusted, "make all"
		if d := Decide(in); d.Kind != c.want || d.Run != "" {
			t.Errorf("%s, trusted %v: %+v", c.class, c.trusted, d)
		}
	}
	in := input(tool.GroupCommand, everything())
	in.Spec.Class, in.Action.Effect.Command = clew.ClassRepeatable, "make all"
	in.Action.Effect.Argv = []string{"/bin/bash", "--noprofile", "--norc", "-c", "make all"}
	if d := Decide(in); d.Kind != Ask {
		t.Errorf("what starts something is held against the list, whatever its class: %+v", d)
	}
}

func TestWhatRunsIsWhatWasParsed(t *testing.T) {
	cases := []struct {
		name   string
		change func(*Input)
		want   Kind
	}{
		{"bash", func(i *Input) { i.Action.Effect.Argv = []string{"bash", "--noprofile", "--norc", "-c", "ls"} }, Allow},
		{"bash by its path", func(i *Input) { i.Action.Effect.Argv = []string{"/bin/bash", "--noprofile", "--norc", "-c", "ls"} }, Allow},
		{"another bash", func(i *Input) { i.Action.Effect.Argv = []string{"./bash", "--noprofile", "--norc", "-c", "ls"} }, Ask},
		{"start-up files", func(i *Input) { i.Action.Effect.Argv = []string{"bash", "-c", "ls"} }, Ask},
		{"other text", func(i *Input) { i.Action.Effect.Argv = []string{"bash", "--noprofile", "--norc", "-c", "rm x"} }, Ask},
		{"other program", func(i *Input) { i.Action.Effect.Argv = []string{"zsh", "-c", "ls"} }, Ask},
		{"start-up file", func(i *Input) { i.Action.Effect.Environment = map[string]string{"BASH_ENV": "x"} }, Ask},
		{"library", func(i *Input) { i.Action.Effect.Environment = map[string]string{"LD_PRELOAD": "x"} }, Ask},
		{"own function", func(i *Input) { i.Action.Effect.Environment = map[string]string{"BASH_FUNC_ls%%": "x"} }, Ask},
		{"set by a person", func(i *Input) {
			i.Action.Effect.Environment = map[string]string{"GIT_DIR": "x", "HOME": "/h", "GIT_PAGER": "cat", "GIT_TERMINAL_PROMPT": "0"}
			i.Values.CommandEnv = map[string]string{"GIT_DIR": "x"}
		}, Allow},
		{"set otherwise", func(i *Input) {
			i.Action.Effect.Environment = map[string]string{"GIT_PAGER": "evil"}
			i.Values.CommandEnv = map[string]string{"GIT_PAGER": "cat"}
		}, Ask},
		{"certificates of the person", func(i *Input) {
			i.Action.Effect.Environment = map[string]string{"GIT_SSL_CAINFO": "/etc/ssl/certs/ca.crt", "SSL_CERT_FILE": "/etc/ssl/certs/ca.crt"}
		}, Allow},
		{"no command", func(i *Input) { i.Action.Effect.Command = "" }, Ask},
	}
	for _, c := range cases {
		in := input(tool.GroupCommand, everything())
		c.change(&in)
		if d := Decide(in); d.Kind != c.want {
			t.Errorf("%s: %+v", c.name, d)
		}
	}
}

func TestRewrittenInputIsDecidedTheSame(t *testing.T) {
	for _, line := range plainLines {
		first := decide(line, harmless, nil)
		input, err := json.Marshal(map[string]any{"command": line, "timeout_sec": 5})
		if err != nil {
			t.Fatal(err)
		}
		rewritten, err := first.Rewrite(input)
		if err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		var got struct {
			Command string `json:"command"`
			Timeout int    `json:"timeout_sec"`
		}
		if err := json.Unmarshal(rewritten, &got); err != nil || got.Timeout != 5 {
			t.Fatalf("%q: %s, %v", line, rewritten, err)
		}
		if again := decide(got.Command, harmless, nil); !reflect.DeepEqual(again, first) {
			t.Errorf("%q: %+v, then %+v", line, first, again)
		}
	}
	for _, d := range []Decision{{Kind: Ask, Run: "ls"}, {Kind: Allow}} {
		if got, err := d.Rewrite(json.RawMessage(`{"command":"ls"}`)); err == nil {
			t.Errorf("%+v gives %s", d, got)
		}
	}
	if got, err := decide("ls", harmless, nil).Rewrite(json.RawMessage(`{}`)); err == nil {
		t.Errorf("a command out of nothing: %s", got)
	}
}
