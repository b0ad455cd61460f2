package api

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session/view"
)

type toolInput struct {
	ID         clew.SessionID `path:"id" doc:"The session"`
	ToolCallID string         `path:"tool_call_id" maxLength:"500" doc:"The call. Models use the same names over and over"`
	MessageID  string         `query:"message_id" required:"true" doc:"The message that shows the call"`
}

type toolOutput struct{ Body view.ToolCall }

type timelineInput struct {
	ID     clew.SessionID `path:"id" doc:"The session"`
	From   int64          `query:"from" minimum:"0" doc:"Only what happened since, Unix ms"`
	To     int64          `query:"to" minimum:"0" doc:"Only what happened until then, Unix ms"`
	Hidden bool           `query:"hidden" doc:"Also what the session was taken back from"`
}

type timelineOutput struct{ Body view.Timeline }

type tasksOutput struct {
	Body struct {
		Tasks []clew.HistoryItem `json:"tasks" nullable:"false" doc:"Newest first"`
	}
}

// pastRoutes are those that read what happened in a session.
func (a *API) pastRoutes(h huma.API) {
	huma.Register(h, operation("get-tool-call", http.MethodGet, "/sessions/{id}/tools/{tool_call_id}", http.StatusOK,
		"Read a whole tool call: input, effect, output."), a.toolCall)
	huma.Register(h, operation("get-timeline", http.MethodGet, "/sessions/{id}/timeline", http.StatusOK,
		"Read a session's timeline."), a.timeline)
	huma.Register(h, operation("list-tasks", http.MethodGet, "/sessions/{id}/tasks", http.StatusOK,
		"List the tasks of a session."), a.tasks)
}

func (a *API) toolCall(ctx context.Context, in *toolInput) (*toolOutput, error) {
	v, _, err := a.view(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	defer v.Close()
	id := clew.MessageID(in.MessageID)
	if _, err := id.Seq(); err != nil {
		return nil, err
	}
	call, err := v.ToolCall(ctx, in.ToolCallID, id)
	if err != nil {
		return nil, err
	}
	return &toolOutput{Body: call}, nil
}

func (a *API) timeline(ctx context.Context, in *timelineInput) (*timelineOutput, error) {
	end, err := a.heavy.begin(ctx, callerOf(ctx).User)
	if err != nil {
		return nil, err
	}
	defer end()
	v, _, err := a.view(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	defer v.Close()
	line, err := v.Timeline(ctx, view.TimelineQuery{FromTS: in.From, ToTS: in.To, Hidden: in.Hidden})
	if err != nil {
		return nil, err
	}
	return &timelineOutput{Body: line}, nil
}

func (a *API) tasks(ctx context.Context, in *sessionInput) (*tasksOutput, error) {
	if _, err := a.access(ctx, in.ID); err != nil {
		return nil, err
	}
	o, err := a.o.Sessions.Overview(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	out := &tasksOutput{}
	out.Body.Tasks = append([]clew.HistoryItem{}, o.Tasks...)
	return out, nil
}
