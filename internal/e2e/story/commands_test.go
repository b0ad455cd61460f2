package story

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/client"
	"github.com/clew-run/clew/internal/e2e/proc"
	"github.com/clew-run/clew/internal/llm/llmtest"
	"github.com/clew-run/clew/wire"
)

// Commands that the stories have no use for take effect on a running server, too:
// what they bring about is on record, or is the answer. Those about the server's
// settings are only accepted here.
//
// Covers: WS-053, WS-075, WS-077, HIS-26, HIS-27, HIS-28, UIC-21, UIC-38, UIC-39, UIC-40, C-76
func TestCommandsTakeEffect(t *testing.T) {
	s := newStage(t, plot{
		vendor: llmtest.Anthropic, bin: proc.Program(t, ""), script: "commands.yaml", files: map[string]string{"list.txt": "apples\n"},
		model:    llmtest.Options{Sleep: func(ctx context.Context, _ time.Duration) error { <-ctx.Done(); return ctx.Err() }},
		settings: map[string]any{"mcp_servers": map[string]any{"shelf": map[string]any{"url": toolServer(t), "disabled": true}}},
		pings:    "50ms",
	})
	if err := s.Srv.Start(); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), storyWithin)
	defer cancel()
	if err := s.Create(ctx); err != nil {
		t.Fatal(err)
	}
	c, err := client.Dial(ctx, client.Options{URL: s.Srv.URL(), Token: s.Token(), Session: sessionID, NoFollow: true})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close() // it answers pings meanwhile
	x := &sender{stage: s, ctx: ctx}
	x.queue(t)
	x.windows(t)
	x.questions(t)
	x.histories(t)
	x.settings(t)
}

// toolServer starts a tool server with one tool and gives its address.
func toolServer(t *testing.T) string {
	t.Helper()
	s := sdk.NewServer(&sdk.Implementation{Name: "shelf", Version: "1"}, nil)
	s.AddTool(&sdk.Tool{Name: "read", InputSchema: json.RawMessage(`{"type":"object"}`)},
		func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			return &sdk.CallToolResult{}, nil
		})
	web := httptest.NewServer(sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return s }, &sdk.StreamableHTTPOptions{Stateless: true}))
	t.Cleanup(func() {
		web.CloseClientConnections()
		web.Close()
	})
	return web.URL
}

// A sender sends commands and looks for what comes of them.
type sender struct {
	*stage
	ctx context.Context
	at  clew.MessageID // what is looked for comes after this record
}

// do sends a command. If it wants an event of a type it gives its data: one of the
// command's records, or one that follows.
func (x *sender) do(t *testing.T, data any, want clew.EventType) json.RawMessage {
	t.Helper()
	cmd := clew.NewCommand(clew.Principal{}, data)
	receipt, err := x.API().Command(x.ctx, sessionID, "", cmd.Type, data)
	if err != nil {
		t.Fatalf("%s: %v", cmd.Type, err)
	}
	if want == "" {
		return nil
	}
	if len(receipt.Records) == 0 {
		t.Fatalf("%s has no effect", cmd.Type)
	}
	x.at = receipt.Records[0]
	return x.next(t, want)
}

// ask sends a command that has an answer.
func (x *sender) ask(t *testing.T, data any, want clew.EventType) {
	t.Helper()
	c, err := client.Dial(x.ctx, client.Options{URL: x.Srv.URL(), Token: x.Token(), Session: sessionID, NoFollow: true})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	cmd := clew.NewCommand(clew.Principal{}, data)
	if env, err := c.Do(x.ctx, cmd.Type, data); err != nil || env.Type != string(want) {
		t.Errorf("%s is answered by %s, %v", cmd.Type, env.Type, err)
	}
}

// next gives the data of the next record of a type, from the place on that the
// last command began with.
func (x *sender) next(t *testing.T, want clew.EventType) json.RawMessage {
	t.Helper()
	from, _ := x.at.Seq()
	var data json.RawMessage
	err := x.await(x.ctx, func(env wire.Envelope) bool {
		data = env.Data
		return env.Type == string(want) && env.Seq() >= from
	})
	if err != nil {
		t.Fatalf("no %s: %v", want, err)
	}
	return data
}

// messages are those of the transcript.
func (x *sender) messages(t *testing.T) []clew.Message {
	t.Helper()
	page, err := x.API().Messages(x.ctx, sessionID, client.PageOf{})
	if err != nil {
		t.Fatal(err)
	}
	return page.Messages
}

// say says something, after all that was said before, and waits for the end of
// the turn.
func (x *sender) say(t *testing.T, text string) {
	t.Helper()
	id := clew.ClientMessageID("say " + text)
	if _, err := x.API().Command(x.ctx, sessionID, id, clew.CommandUserMessage, clew.UserMessageData{Text: text, Delivery: clew.ArrivalQueue}); err != nil {
		t.Fatal(err)
	}
	heard := false
	err := x.await(x.ctx, func(env wire.Envelope) bool {
		var d clew.MessageAcceptedData
		if env.Type == string(clew.EventMessageAccepted) && json.Unmarshal(env.Data, &d) == nil {
			heard = heard || d.ClientMessageID == id
		}
		return heard && env.Type == string(clew.EventTaskIdle)
	})
	if err != nil {
		t.Fatal(err)
	}
}

func (x *sender) queue(t *testing.T) {
	x.do(t, &clew.UserMessageData{Text: "Hold on."}, clew.EventMessageAccepted)
	x.streams(t)
	var ids []clew.MessageID
	for _, text := range []string{"one", "two", "three", "four"} {
		var d clew.MessageQueuedData
		decode(t, x.do(t, &clew.UserMessageData{Text: text, Delivery: clew.ArrivalQueue}, clew.EventMessageQueued), &d)
		ids = append(ids, d.MessageID)
	}
	x.do(t, &clew.EditQueuedData{MessageID: ids[0], Text: "uno"}, clew.EventQueueChanged)
	x.do(t, &clew.MoveQueuedData{MessageID: ids[1], Before: ids[0]}, clew.EventQueueChanged)
	x.do(t, &clew.RemoveQueuedData{MessageID: ids[2]}, clew.EventQueueChanged)
	x.do(t, &clew.SendQueuedData{MessageID: ids[3]}, clew.EventMessageAccepted)
	x.do(t, &clew.InterruptAgentData{Agent: "main-monitor-0"}, clew.EventTaskIdle)
	x.say(t, "five")
}

// streams waits until the model's words come in.
func (x *sender) streams(t *testing.T) {
	t.Helper()
	err := x.await(x.ctx, func(env wire.Envelope) bool {
		var state clew.SessionState
		return env.Type == string(clew.EventAgentResponse) ||
			env.Type == string(clew.EventSessionState) && json.Unmarshal(env.Data, &state) == nil && len(state.OpenMessages) > 0
	})
	if err != nil {
		t.Fatal(err)
	}
}

func (x *sender) windows(t *testing.T) {
	x.do(t, &clew.UserMessageData{Text: "Show it."}, clew.EventActions)
	x.next(t, clew.EventTaskIdle)
	x.do(t, &clew.UserInteractionData{Interactions: clew.List[clew.Interaction]{{Kind: clew.InteractionClose, WindowID: "notes"}}}, clew.EventActions)
}

func (x *sender) questions(t *testing.T) {
	var asked clew.HitlApprovalRequestData
	decode(t, x.do(t, &clew.UserMessageData{Text: "Count."}, clew.EventHitlApprovalRequest), &asked)
	id := asked.RequestID
	x.do(t, &clew.SetAccessData{UserID: "bob", Role: clew.RoleApprover}, clew.EventAccessChanged)
	x.do(t, &clew.AssignQuestionData{RequestID: id, UserID: "bob"}, clew.EventHitlAssigned)
	x.do(t, &clew.HitlApprovalResponseData{RequestID: id, Action: clew.ChoiceApprove, Remember: &clew.Remember{Scope: clew.RememberTask, Pattern: "wc -l list.txt"}}, clew.EventTaskIdle)
	x.do(t, &clew.ForgetRuleData{ID: id}, clew.EventRuleForgotten)
}

func (x *sender) histories(t *testing.T) {
	x.say(t, "Fruit.")
	x.do(t, &clew.CondenseContextData{}, clew.EventCondenseRequested)
	x.next(t, clew.EventTaskIdle)
	list := x.messages(t)
	said := slices.IndexFunc(list, func(m clew.Message) bool { return m.Text == "Fruit." })
	target := clew.Target{MessageID: list[said].MessageID}
	x.ask(t, &clew.EditMessageData{Target: target, Text: "Plums."}, clew.EventRewindPreview)
	x.do(t, &clew.EditMessageConfirmData{Target: target, Text: "Plums."}, clew.EventHistoryRewound)
	x.next(t, clew.EventTaskIdle)
	list = x.messages(t)
	target = clew.Target{MessageID: list[len(list)-1].MessageID}
	x.ask(t, &clew.DeleteMessageData{Target: target}, clew.EventRewindPreview)
	x.do(t, &clew.DeleteMessageConfirmData{Target: target}, clew.EventHistoryRewound)
	x.lostFiles(t)
	x.do(t, &clew.ClearTaskData{}, clew.EventTaskUnfocused)
	x.do(t, &clew.UserMessageData{Text: "Fail."}, clew.EventProviderStatus)
	x.do(t, &clew.AskResponseData{AskResponse: clew.NoButtonClicked}, clew.EventTaskIdle)
}

// lostFiles rewinds with files whose checkpoint cannot be read any more.
func (x *sender) lostFiles(t *testing.T) {
	x.say(t, "More.")
	x.Write("work/list.txt", "pears\n")
	x.say(t, "Still more.")
	list := x.messages(t)
	said := slices.IndexFunc(list, func(m clew.Message) bool { return m.Text == "More." })
	packs, err := filepath.Glob(filepath.Join(x.Srv.Dir, "checkpoints", "*", "repo", "objects", "pack", "pack-*.pack"))
	if err != nil || len(packs) == 0 {
		t.Fatalf("checkpoints %v, %v", packs, err)
	}
	for _, name := range packs {
		if err := errors.Join(os.Chmod(name, 0o600), os.Truncate(name, 0)); err != nil {
			t.Fatal(err)
		}
	}
	back := clew.RewindData{Target: clew.Target{MessageID: list[said].MessageID}, RestoreCheckpoint: true}
	if _, err := x.API().Command(x.ctx, sessionID, "", clew.CommandRewind, back); clew.CodeOf(err) != clew.CheckpointFailed {
		t.Errorf("a rewind to files that are lost: %v", err)
	}
	x.next(t, clew.EventRewindFailed)
}

func (x *sender) settings(t *testing.T) {
	x.do(t, &clew.UpdateSettingsData{Settings: map[string]any{"always_allow_execute": true}}, clew.EventAutoApprovalChanged)
	x.do(t, &clew.SetProviderData{Provider: "echo"}, clew.EventSettingsChanged)
	x.do(t, &clew.SaveModelProfileData{Name: "other", APIConfiguration: map[string]any{"provider": "anthropic", "model": "m-2"}}, "")
	x.do(t, &clew.LoadModelProfileData{Name: "other"}, clew.EventSettingsChanged)
	x.do(t, &clew.ToggleMcpServerData{Name: "shelf", Enabled: true}, "")
	x.do(t, &clew.RestartMcpServerData{Name: "shelf"}, "")
	x.do(t, &clew.ToggleToolAlwaysAllowData{Server: "shelf", Tool: "read", AlwaysAllow: true}, "")
	x.ask(t, &clew.ExportSettingsData{}, clew.EventExportSettings)
	x.do(t, &clew.ImportSettingsData{Settings: map[string]any{"tts_enabled": true}}, "")
	x.do(t, &clew.ResetSettingsData{}, "")
}
