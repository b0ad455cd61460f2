package tui

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/term"
	"github.com/clew-run/clew/internal/tui/paint"
)

// planWith sends words as a run with a plan.
func (m *model) planWith(words string) tea.Cmd {
	return m.post(clew.UserMessageData{Text: words, Mode: clew.ModeRun, MayAnswer: []clew.RequestID{}}, clew.ArrivalSteer)
}

// initProject has the agent write AGENTS.md, as clew init does.
func (m *model) initProject(words string) tea.Cmd {
	text := strings.TrimSpace(m.o.InitPrompt)
	if words != "" {
		text += "\n\nThe user adds: " + words
	}
	return m.post(clew.UserMessageData{Text: text, MayAnswer: []clew.RequestID{}}, clew.ArrivalQueue)
}

// compact has a summary take the place of old messages to the model.
func (m *model) compact() tea.Cmd {
	return m.command(clew.CommandCondenseContext, clew.CondenseContextData{}, told("summarizing what the model was told so far"))
}

// undo undoes the last rewind; where there is none it lists where to go back to.
func (m *model) undo() tea.Cmd {
	if !m.state.Status.CanUndo {
		m.tell(paint.Soft, "There is no rewind to undo.")
		return m.open(&rewind{files: true})
	}
	return m.undoRewind()
}

func (m *model) undoRewind() tea.Cmd {
	return m.command(clew.CommandUndoRewind, clew.UndoRewindData{}, func(m *model) tea.Cmd {
		m.write.dropAgain()
		return told("undone")(m)
	})
}

// fork makes a session with the past of this one, and goes there.
func (m *model) fork() tea.Cmd {
	session, api := m.link.session, m.api
	return m.run(func(ctx context.Context) func(*model) tea.Cmd {
		in := map[string]any{"type": clew.CommandForkSession, "session_id": session, "message_id": newID(), "data": clew.ForkSessionData{}}
		var made struct {
			SessionID clew.SessionID `json:"session_id"`
		}
		err := api.Call(ctx, http.MethodPost, sessionPath(session, "commands"), nil, in, &made)
		return func(m *model) tea.Cmd {
			if err != nil {
				m.fail(err)
				return nil
			}
			return m.goTo(made.SessionID, "")
		}
	})
}

// rename gives the session a title.
func (m *model) rename(words string) tea.Cmd {
	return m.command(clew.CommandRenameSession, clew.RenameSessionData{Title: words}, nil)
}

func (m *model) askTitle() tea.Cmd {
	m.askFor("A new title", m.state.Session.Title, (*model).rename)
	return nil
}

// diffPage shows what the session changed: its first checkpoint against the files
// as they are.
func diffPage() *page {
	return &page{title: "What this session changed", load: func(ctx context.Context, l *link) (pageLines, error) {
		var d clew.CheckpointDiffAnswer
		if err := query(ctx, l, clew.CommandCheckpointDiff, clew.CheckpointDiffData{}, &d); err != nil {
			return nil, err
		}
		return func(width int) []paint.Line { return diffLines(d, width) }, nil
	}}
}

func diffLines(d clew.CheckpointDiffAnswer, width int) []paint.Line {
	if len(d.Files) == 0 {
		return []paint.Line{paint.L(paint.S(paint.Soft, "No file has changed."))}
	}
	lines := fileLines(d.Files, width)[1:] // without the empty line in front
	if more := d.FilesCount - len(d.Files); more > 0 {
		lines = append(lines, nil, paint.L(paint.S(paint.Soft, fmt.Sprintf("… and %d more", more))))
	}
	return lines
}

// costPage shows what the session has used.
func (m *model) costPage() *page {
	use, tasks := m.state.Usage, slices.Clone(m.state.Tasks)
	return &page{title: "Cost of this session", lines: func(width int) []paint.Line {
		facts := []fact{
			{"Cost", term.Dollars(use.CostUSD)},
			{"Tokens in", term.Tokens(use.TokensIn)}, {"Tokens out", term.Tokens(use.TokensOut)},
			{"Cache read", term.Tokens(use.CacheReads)}, {"Cache written", term.Tokens(use.CacheWrites)},
		}
		lines := factLines(facts)(width)
		if len(tasks) > 1 {
			lines = append(lines, nil, paint.L(paint.S(paint.Soft, "By task, the newest first")))
			for _, t := range slices.Backward(tasks) {
				name := cmp.Or(term.FirstLine(t.Text), string(t.TaskID))
				lines = append(lines, paint.Between(paint.L(paint.S(paint.Plain, name)), paint.L(paint.S(paint.Soft, " "+term.Dollars(t.Usage.CostUSD))), width))
			}
		}
		return append(lines, nil, paint.L(paint.S(paint.Soft, "All your sessions: clew usage")))
	}}
}

// uiState asks for the settings and tool servers of a session.
func uiState(ctx context.Context, l *link) (clew.StateData, error) {
	var s clew.StateData
	err := query(ctx, l, clew.CommandGetState, clew.GetStateData{Scope: clew.ScopeUI}, &s)
	return s, err
}

// mcpPage lists the tool servers.
func mcpPage() *page {
	return &page{title: "Tool servers (MCP)", load: func(ctx context.Context, l *link) (pageLines, error) {
		s, err := uiState(ctx, l)
		return func(width int) []paint.Line { return mcpLines(s, width) }, err
	}}
}

func mcpLines(s clew.StateData, width int) (lines []paint.Line) {
	if len(s.McpServers) == 0 {
		return paint.Paragraphs(paint.Style{Ink: paint.Soft}, "There are no tool servers. Add one at the shell: clew mcp add", width)
	}
	if !s.McpEnabled {
		lines = append(paint.Paragraphs(paint.Style{Ink: paint.Ask}, "The setting mcp_enabled is off: agents have none of these.", width), nil)
	}
	for _, one := range s.McpServers {
		status, ink := one.Status, paint.Soft
		switch {
		case one.Disabled:
			status = "switched off"
		case one.Error != "":
			ink = paint.Fail
		}
		lines = append(lines, paint.Between(paint.L(paint.B(paint.Plain, one.Name)), paint.L(paint.S(ink, status)), width))
		if one.Error != "" {
			lines = append(lines, paint.Paragraphs(paint.Style{Ink: paint.Fail}, one.Error, width)...)
		}
		names := make([]string, 0, len(one.Tools))
		for _, t := range one.Tools {
			names = append(names, t.Name)
		}
		if len(names) > 0 {
			lines = append(lines, paint.Paragraphs(paint.Style{Ink: paint.Soft}, strings.Join(names, ", "), width)...)
		}
	}
	return lines
}

// statusPage says how the session is set up.
func (m *model) statusPage() *page {
	_, _, word := m.statusLine()
	info := m.state.Session
	return &page{title: "Status", load: func(ctx context.Context, l *link) (pageLines, error) {
		s, err := uiState(ctx, l)
		model := cmp.Or(s.CurrentAPIConfigName, "none; at the shell: clew login")
		if name, _ := s.APIConfiguration["model"].(string); name != "" {
			model += " (" + name + ")"
		}
		facts := []fact{
			{"Session", string(l.session)}, {"Doing", word}, {"Model", model}, {"Mode", s.Mode},
			{"Workspace", cmp.Or(info.Workspace, "a directory of its own")}, {"Approvals", approvals(s.AutoApprovalFlags)},
			{"Server", "clew " + s.Version},
		}
		about := "Environment" // of commands
		for _, name := range slices.Sorted(maps.Keys(info.Environment)) {
			facts, about = append(facts, fact{about, name + "=" + info.Environment[name]}), ""
		}
		if len(info.Environment) == 0 {
			facts = append(facts, fact{about, "the server's own"})
		}
		return factLines(facts), err
	}}
}

// approvals says what is allowed without a question.
func approvals(f clew.AutoApprovalFlags) string {
	if !f.AutoApprovalEnabled {
		return "auto-approval is off"
	}
	var kinds []string
	for _, k := range []struct {
		on   bool
		name string
	}{
		{f.AlwaysAllowReadOnly, "read"}, {f.AlwaysAllowWrite, "write"}, {f.AlwaysAllowExecute, "execute"}, {f.AlwaysAllowBrowser, "fetch"}, {f.AlwaysAllowMcp, "mcp"},
	} {
		if k.on {
			kinds = append(kinds, k.name)
		}
	}
	return "allowed without a question: " + cmp.Or(strings.Join(kinds, ", "), "nothing")
}
