package api

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/project"
	"github.com/clew-run/clew/internal/term"
)

// ProjectWords finds what can be called by name in a workspace: its commands and
// skills if it is trusted, and those of the person who runs the server if the
// session is theirs. Without an id it is for a session that is yet to begin.
type ProjectWords interface {
	Commands(id clew.SessionID, owner clew.UserID, workspace string) []project.Command
	Skills(id clew.SessionID, owner clew.UserID, workspace string) []project.Skill
}

// A SlashCommand is a command of a project or person, or a skill.
type SlashCommand struct {
	Name         string `json:"name"`
	Description  string `json:"description"`
	ArgumentHint string `json:"argument_hint,omitempty"`
	Path         string `json:"path" doc:"Where it stands; below ~ it is the person's own"`
}

type slashOutput struct {
	Body struct {
		Commands []SlashCommand `json:"commands" nullable:"false" doc:"Called as /name arguments"`
		Skills   []SlashCommand `json:"skills" nullable:"false" doc:"Loaded by agents when they need them"`
	}
}

type expandInput struct {
	ID   clew.SessionID `path:"id"`
	Body struct {
		Text string `json:"text" minLength:"1" maxLength:"65536" doc:"/name arguments"`
	}
}

type expandOutput struct {
	Body struct {
		Name string `json:"name"`
		Text string `json:"text" doc:"What the command stands for: the message to send"`
		Mode string `json:"mode,omitempty" doc:"The mode that the command asks for"`
	}
}

func (a *API) slashRoutes(h huma.API) {
	huma.Register(h, operation("list-slash-commands", http.MethodGet, "/sessions/{id}/slash-commands", http.StatusOK,
		"List the commands and skills that a session's workspace and its owner bring along."), a.listSlash)
	huma.Register(h, operation("expand-slash-command", http.MethodPost, "/sessions/{id}/slash-commands", http.StatusOK,
		"Give the text that a command stands for. Nothing is sent. An unknown command is refused."), a.expandSlash)
}

// wordsOf finds who speaks in a session, and where.
func (a *API) wordsOf(ctx context.Context, id clew.SessionID) (owner clew.UserID, workspace string, err error) {
	v, _, err := a.view(ctx, id)
	if err != nil {
		return "", "", err
	}
	defer v.Close()
	st, err := v.State(ctx)
	if err == nil && a.o.Words == nil {
		err = errNoWords()
	}
	return st.Owner, st.Workspace, err
}

func errNoWords() error { return clew.Errorf(clew.Unavailable, "this server has no commands") }

func (a *API) listSlash(ctx context.Context, in *sessionInput) (*slashOutput, error) {
	owner, workspace, err := a.wordsOf(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	return a.slashIn(in.ID, owner, workspace), nil
}

// slashIn lists what somebody's session in a workspace brings along.
func (a *API) slashIn(id clew.SessionID, owner clew.UserID, workspace string) *slashOutput {
	out := &slashOutput{}
	out.Body.Commands, out.Body.Skills = []SlashCommand{}, []SlashCommand{}
	for _, c := range a.o.Words.Commands(id, owner, workspace) {
		out.Body.Commands = append(out.Body.Commands, SlashCommand{Name: c.Name, Description: c.Description, ArgumentHint: c.ArgumentHint, Path: c.Path})
	}
	for _, s := range a.o.Words.Skills(id, owner, workspace) {
		out.Body.Skills = append(out.Body.Skills, SlashCommand{Name: s.Name, Description: s.Description, Path: s.Path})
	}
	return out
}

func (a *API) expandSlash(ctx context.Context, in *expandInput) (*expandOutput, error) {
	owner, workspace, err := a.wordsOf(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	name, arguments, ok := project.Called(in.Body.Text)
	if !ok {
		return nil, clew.Errorf(clew.InvalidMessage, "a command is /name, and then its arguments")
	}
	list := a.o.Words.Commands(in.ID, owner, workspace)
	c, ok := project.FindCommand(list, name)
	if !ok {
		return nil, unknownCommand(list, name)
	}
	out := &expandOutput{}
	out.Body.Name, out.Body.Text, out.Body.Mode = c.Name, c.Expand(arguments), c.Mode
	return out, nil
}

func unknownCommand(list []project.Command, name string) error {
	var names []string
	for _, c := range list {
		names = append(names, c.Name)
	}
	if near := term.Suggest(name, names); len(near) > 0 {
		return clew.Errorf(clew.InvalidMessage, "there is no command /%s. Did you mean /%s?", name, near[0])
	}
	return clew.Errorf(clew.InvalidMessage, "there is no command /%s", name)
}
