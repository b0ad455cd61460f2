package api

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session"
	"github.com/clew-run/clew/wire"
)

type startInput struct {
	Body struct {
		Text            string               `json:"text,omitempty" doc:"What is to be done; may be absent with images"`
		Images          []string             `json:"images,omitempty" doc:"Data URLs"`
		Mode            string               `json:"mode,omitempty" doc:"chat, run, or a mode of the settings"`
		Title           string               `json:"title,omitempty" maxLength:"500" doc:"Of the session"`
		Workspace       string               `json:"workspace,omitempty" maxLength:"4096" doc:"The folder that agents work in"`
		ClientMessageID clew.ClientMessageID `json:"client_message_id,omitempty" maxLength:"128" doc:"The caller's own name for the task, not used before: sent again, it starts no second one"`
	}
}

type startOutput struct {
	Body struct {
		SessionID       clew.SessionID       `json:"session_id"`
		TaskID          clew.TaskID          `json:"task_id"`
		ClientMessageID clew.ClientMessageID `json:"client_message_id,omitempty"`
	}
}

func (a *API) taskRoutes(h huma.API) {
	huma.Register(h, operation("start-task", http.MethodPost, "/tasks", http.StatusCreated,
		"Start a task in a session of its own."), a.start)
}

// start makes a session and its first task. After a crash in between the same
// request goes on with the session that is there.
func (a *API) start(ctx context.Context, in *startInput) (*startOutput, error) {
	p, b := callerOf(ctx), in.Body
	if err := mayMakeSessions(p); err != nil {
		return nil, err
	}
	id := clew.NewSessionID()
	if b.ClientMessageID != "" {
		id = clew.SessionIDFor("user "+string(p.User), b.ClientMessageID)
	}
	cmd, err := newTask(id, b.ClientMessageID, clew.NewTaskData{Text: b.Text, Images: b.Images, Mode: b.Mode})
	if err != nil {
		return nil, err
	}
	_, err = a.o.Sessions.Create(ctx, p, session.NewSession{ID: id, Title: b.Title, Workspace: b.Workspace})
	if err != nil && (clew.CodeOf(err) != clew.SessionExists || b.ClientMessageID == "") { // it is there: a repeat
		return nil, err
	}
	role, err := a.access(ctx, id)
	if err != nil {
		return nil, err
	}
	cmd.By = p
	if _, err := a.do(ctx, id, role, cmd); err != nil {
		return nil, err
	}
	out := &startOutput{}
	out.Body.SessionID, out.Body.ClientMessageID = id, b.ClientMessageID
	overview, err := a.o.Sessions.Overview(ctx, id)
	if n := len(overview.Tasks); err == nil && n > 0 {
		out.Body.TaskID = overview.Tasks[n-1].ID // the first one
	}
	return out, err
}

// newTask makes the command, checked as a socket would check it.
func newTask(id clew.SessionID, name clew.ClientMessageID, data clew.NewTaskData) (clew.Command, error) {
	frame, err := wire.EncodeCommand(id, clew.Command{Type: clew.CommandNewTask, ClientMessageID: name, Data: data})
	if err != nil {
		return clew.Command{}, err
	}
	return wire.DecodeCommand(frame, id)
}
