package api

import (
	"bytes"
	"context"
	"net/http"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/auth"
	"github.com/clew-run/clew/internal/session"
	"github.com/clew-run/clew/internal/session/core"
	"github.com/clew-run/clew/internal/session/view"
	"github.com/clew-run/clew/internal/toolchain"
	"github.com/clew-run/clew/wire"
)

type createInput struct {
	Body *createBody // a pointer, so that it may be absent
}

type createBody struct {
	SessionID clew.SessionID `json:"session_id,omitempty" doc:"1 to 128 letters, digits, _ or -; made up if absent"`
	Title     string         `json:"title,omitempty" maxLength:"500"`
	Workspace string         `json:"workspace,omitempty" maxLength:"4096" doc:"The folder that agents work in"`
	Worktree  *bool          `json:"worktree,omitempty" doc:"Work in a git work tree and on a branch of its own, made from the folder's repository; absent, the setting worktree says"`
	// Environment is checked against a list of names.
	Environment map[string]string `json:"environment,omitempty" doc:"PATH and variables of toolchains in the owner's terminal, for commands. Only whoever runs the server may send it; names that may not pass are left out"`
}

type createOutput struct {
	Body struct {
		SessionID clew.SessionID `json:"session_id"`
	}
}

type listInput struct {
	Limit     int    `query:"limit" minimum:"1" maximum:"200" default:"50"`
	Cursor    string `query:"cursor" doc:"next of the previous page"`
	Q         string `query:"q" maxLength:"200" doc:"Part of a title or id"`
	Workspace string `query:"workspace" maxLength:"4096" doc:"Only those that work in exactly this directory"`
	Owner     string `query:"owner" doc:"Whose sessions, * for everybody's; only administrators may ask for others' than their own"`
	Archived  bool   `query:"archived" doc:"Archived sessions, in place of the others"`
	Deleted   bool   `query:"deleted" doc:"Deleted sessions that can be restored, in place of the others"`
	Status    string `query:"status" maxLength:"200" doc:"Only those in one of these statuses, a list with commas"`
}

type listOutput struct {
	Body struct {
		Sessions []core.Summary `json:"sessions" nullable:"false"`
		Next     string         `json:"next,omitempty" doc:"The cursor of the next page; absent on the last"`
	}
}

type sessionInput struct {
	ID clew.SessionID `path:"id" doc:"The session"`
}

// A runLine is a run as REST shows it.
type runLine struct {
	RunID       string             `json:"run_id"`
	Status      clew.SessionStatus `json:"status"`
	Phase       string             `json:"phase"`
	ReportPaths []string           `json:"report_paths" nullable:"false"`
}

// A detail is one session as REST shows it.
type detail struct {
	SessionID     clew.SessionID     `json:"session_id"`
	Status        clew.SessionStatus `json:"status"`
	Owner         clew.UserID        `json:"owner"`
	Workspace     string             `json:"workspace"`
	Title         string             `json:"title"`
	Archived      bool               `json:"archived,omitempty" doc:"It was put away"`
	LastMessageID *clew.MessageID    `json:"last_message_id" nullable:"true"`
	Epoch         string             `json:"epoch"`
	Role          clew.Role          `json:"role" doc:"What the caller may do in the session"`
	Usage         clew.Usage         `json:"usage"`
	Runs          []runLine          `json:"runs" nullable:"false" doc:"The newest runs, oldest first"`
	CanUndo       bool               `json:"can_undo,omitempty" doc:"There is a rewind to undo"`
	CanRedo       bool               `json:"can_redo,omitempty" doc:"There is a rewind to do again"`
	ForkedFrom    *clew.ForkPoint    `json:"forked_from,omitempty" doc:"Where the session branched off"`
	Environment   map[string]string  `json:"environment,omitempty" doc:"PATH and variables that commands have from the terminal where the session began"`
}

type sessionOutput struct{ Body detail }

type windowsOutput struct {
	Body struct {
		Windows clew.List[clew.WindowState] `json:"windows" nullable:"false"`
		Notices clew.List[clew.NoticeState] `json:"notices" nullable:"false" doc:"Those that nobody has dismissed, oldest first"`
	}
}

type messagesInput struct {
	ID     clew.SessionID `path:"id" doc:"The session"`
	Limit  int            `query:"limit" minimum:"1" maximum:"1000" default:"50"`
	Offset int            `query:"offset" minimum:"0" doc:"Messages to leave out, counted from the newest"`
	Before string         `query:"before" doc:"Only messages older than this one"`
	After  string         `query:"after" doc:"Only messages newer than this one, the next ones"`
	Around string         `query:"around" doc:"A page with this message in its middle"`
	AsOf   string         `query:"as_of" doc:"The transcript as it was right after this message"`
}

type messagesOutput struct{ Body clew.MessagesPage }

type commandInput struct {
	ID      clew.SessionID `path:"id" doc:"The session"`
	RawBody []byte         `contentType:"application/json"`
}

type receiptOutput struct{ Body session.Receipt }

type accessInput struct {
	ID     clew.SessionID `path:"id" doc:"The session"`
	UserID string         `path:"user_id"`
	Body   struct {
		Role clew.Role `json:"role" enum:",viewer,approver" doc:"Empty takes access back"`
	}
}

func (a *API) sessionRoutes(h huma.API) {
	huma.Register(h, operation("create-session", http.MethodPost, "/sessions", http.StatusCreated,
		"Make a session that belongs to the caller."), a.create)
	huma.Register(h, operation("list-sessions", http.MethodGet, "/sessions", http.StatusOK,
		"List sessions, the latest activity first; everybody's owner by owner, newest first."), a.list)
	huma.Register(h, operation("get-session", http.MethodGet, "/sessions/{id}", http.StatusOK,
		"Read what a session is doing."), a.get)
	huma.Register(h, operation("list-messages", http.MethodGet, "/sessions/{id}/messages", http.StatusOK,
		"Read a page of the transcript, in order of time."), a.messages)
	huma.Register(h, operation("list-windows", http.MethodGet, "/sessions/{id}/windows", http.StatusOK,
		"Read what agents show beside the transcript: the open windows, the front one last, and notices."), a.windows)
	send := commandOperation()
	body := *send.RequestBody.Content["application/json"]
	huma.Register(h, send, a.command)
	// Register describes a raw body as bytes; it is an envelope.
	*h.OpenAPI().Paths[send.Path].Post.RequestBody.Content["application/json"] = body
	huma.Register(h, operation("set-access", http.MethodPut, "/sessions/{id}/access/{user_id}", http.StatusOK,
		"Share a session with somebody, or end that."), a.setAccess)
}

func (a *API) create(ctx context.Context, in *createInput) (*createOutput, error) {
	p := callerOf(ctx)
	if err := mayMakeSessions(p); err != nil {
		return nil, err
	}
	if in.Body == nil {
		in.Body = &createBody{}
	}
	if id := in.Body.SessionID; id != "" && !id.Valid() {
		return nil, clew.Errorf(clew.InvalidMessage, "session_id must be 1 to 128 letters, digits, _ or -")
	}
	if in.Body.Environment != nil && (p.KeyID != "" || p.User != auth.OwnerUser && p.User != auth.LocalUser) {
		return nil, clew.Errorf(clew.Forbidden, "only whoever runs the server may send the environment of a terminal")
	}
	id, err := a.createSession(ctx, p, session.NewSession{
		ID: in.Body.SessionID, Title: in.Body.Title, Workspace: in.Body.Workspace, Environment: passed(in.Body.Environment),
	}, in.Body.Worktree)
	if err != nil {
		return nil, err
	}
	out := &createOutput{}
	out.Body.SessionID = id
	return out, nil
}

// mayMakeSessions refuses a key that may only watch or answer.
func mayMakeSessions(p clew.Principal) error {
	if p.Role != clew.RoleOwner && p.Role != clew.RoleAdmin {
		return clew.Errorf(clew.Forbidden, "these credentials may not make sessions")
	}
	return nil
}

// passed is what commands may have of a terminal's environment.
func passed(env map[string]string) map[string]string {
	if env = toolchain.Checked(env); len(env) == 0 {
		return nil
	}
	return env
}

func (a *API) list(ctx context.Context, in *listInput) (*listOutput, error) {
	q, err := ownersQuery(callerOf(ctx), in.Owner)
	if err != nil {
		return nil, err
	}
	q.Archived, q.Deleted, q.Q, q.Workspace, q.Cursor, q.Limit = in.Archived, in.Deleted, in.Q, in.Workspace, in.Cursor, in.Limit
	if q.Status, err = statuses(in.Status); err != nil {
		return nil, err
	}
	list, next, err := a.o.Sessions.List(ctx, q)
	if err != nil {
		return nil, err
	}
	out := &listOutput{}
	out.Body.Sessions, out.Body.Next = append([]core.Summary{}, list...), next
	for i := range out.Body.Sessions {
		out.Body.Sessions[i].Spent = nil // GET /usage/tokens has it
	}
	return out, nil
}

// statuses reads a list of session statuses.
func statuses(list string) ([]string, error) {
	if list == "" {
		return nil, nil
	}
	known := clew.SessionStatus("").Values()
	all := strings.Split(list, ",")
	for _, s := range all {
		if !slices.Contains(known, s) {
			return nil, clew.Errorf(clew.InvalidMessage, "status is none of %s", strings.Join(known, ", "))
		}
	}
	return all, nil
}

// access gives the caller's role in the session. A session that is not theirs
// looks like one that does not exist.
func (a *API) access(ctx context.Context, id clew.SessionID) (clew.Role, error) {
	p := callerOf(ctx)
	if !id.Valid() {
		return clew.RoleNone, clew.Errorf(clew.SessionNotFound, "no such session")
	}
	role, err := a.o.Sessions.Access(ctx, id, p)
	if err != nil {
		return clew.RoleNone, err
	}
	if role = auth.Cap(role, p); role == clew.RoleNone {
		return clew.RoleNone, clew.Errorf(clew.SessionNotFound, "no such session")
	}
	return role, nil
}

// view opens a session that the caller may watch; every role includes that.
func (a *API) view(ctx context.Context, id clew.SessionID) (View, clew.Role, error) {
	role, err := a.access(ctx, id)
	if err != nil {
		return nil, clew.RoleNone, err
	}
	v, err := a.o.Sessions.Watch(ctx, id)
	return v, role, err
}

func (a *API) get(ctx context.Context, in *sessionInput) (*sessionOutput, error) {
	v, role, err := a.view(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	defer v.Close()
	s, err := v.State(ctx)
	if err != nil {
		return nil, err
	}
	d := detail{
		SessionID: in.ID, Status: s.Status, Owner: s.Owner, Workspace: s.Workspace, Title: s.Title, Archived: s.Archived,
		Epoch: v.Epoch(), Role: role, Runs: []runLine{}, CanUndo: s.CanUndo, CanRedo: s.CanRedo, ForkedFrom: s.ForkedFrom, Environment: s.Environment,
	}
	for _, r := range s.Runs {
		d.Runs = append(d.Runs, runLine{r.RunID, r.Status, r.Phase, append([]string{}, r.ReportPaths...)})
	}
	if s.LastMessageID != "" {
		d.LastMessageID = &s.LastMessageID
	}
	if s.Usage != nil {
		d.Usage = *s.Usage
	}
	return &sessionOutput{Body: d}, nil
}

func (a *API) windows(ctx context.Context, in *sessionInput) (*windowsOutput, error) {
	v, _, err := a.view(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	defer v.Close()
	s, err := v.State(ctx)
	if err != nil {
		return nil, err
	}
	out := new(windowsOutput)
	out.Body.Windows = append(clew.List[clew.WindowState]{}, s.Windows...)
	out.Body.Notices = append(clew.List[clew.NoticeState]{}, s.Notices...)
	return out, nil
}

func (a *API) messages(ctx context.Context, in *messagesInput) (*messagesOutput, error) {
	v, _, err := a.view(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	defer v.Close()
	q := view.PageQuery{
		Limit: in.Limit, Offset: in.Offset, Before: clew.MessageID(in.Before), After: clew.MessageID(in.After),
		Around: clew.MessageID(in.Around), AsOf: clew.MessageID(in.AsOf),
	}
	if err := checkPage(q); err != nil {
		return nil, err
	}
	if q.AsOf != "" || q.Around != "" {
		end, err := a.heavy.begin(ctx, callerOf(ctx).User)
		if err != nil {
			return nil, err
		}
		defer end()
	}
	page, err := v.Page(ctx, q)
	if err != nil {
		return nil, err
	}
	return &messagesOutput{Body: page}, nil
}

// checkPage wants ids that are such, and one way to say where.
func checkPage(q view.PageQuery) error {
	ways := 0
	for i, id := range []clew.MessageID{q.AsOf, q.Before, q.After, q.Around} {
		if id == "" {
			continue
		}
		if _, err := id.Seq(); err != nil {
			return err
		}
		if i > 0 {
			ways++
		}
	}
	if ways > 1 || q.Offset > 0 && (q.After != "" || q.Around != "") {
		return clew.Errorf(clew.InvalidMessage, "only one of before, after and around can be given, and offset with before alone")
	}
	return nil
}

func (a *API) command(ctx context.Context, in *commandInput) (*receiptOutput, error) {
	// Who may not see the session learns nothing from how a command is refused.
	role, err := a.access(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	// The body's buffer is used again after this call; the command lives on.
	cmd, invalid := wire.DecodeCommand(bytes.Clone(in.RawBody), in.ID)
	if info, ok := clew.CommandInfoOf(cmd.Type); ok && !info.Allows(role) {
		return nil, notCovered(cmd.Type) // rights come before the details of the data
	}
	if invalid != nil {
		return nil, invalid
	}
	switch cmd.Type {
	case clew.CommandAuth, clew.CommandPong, clew.CommandGetState, clew.CommandGetMessages, clew.CommandSubscribeMonitor:
		return nil, clew.Errorf(clew.InvalidMessage, "%s is about a connection; REST has none", cmd.Type)
	}
	cmd.By = callerOf(ctx)
	return a.do(ctx, in.ID, role, cmd)
}

func (a *API) setAccess(ctx context.Context, in *accessInput) (*receiptOutput, error) {
	role, err := a.access(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	if !clew.ValidID(in.UserID) {
		return nil, clew.Errorf(clew.InvalidMessage, "user_id must be 1 to 128 letters, digits, _ or -")
	}
	return a.do(ctx, in.ID, role, clew.NewCommand(callerOf(ctx), &clew.SetAccessData{
		UserID: clew.UserID(in.UserID), Role: in.Body.Role,
	}))
}

// do carries out a command if the role covers it. An administrator counts as a
// viewer here: in sessions of their own their role is owner.
func (a *API) do(ctx context.Context, id clew.SessionID, role clew.Role, cmd clew.Command) (*receiptOutput, error) {
	info, ok := clew.CommandInfoOf(cmd.Type)
	if !ok || !info.Allows(role) {
		return nil, notCovered(cmd.Type)
	}
	receipt, err := a.o.Sessions.Do(ctx, id, cmd)
	if err != nil {
		return nil, err
	}
	if receipt.Records == nil {
		receipt.Records = []clew.MessageID{}
	}
	return &receiptOutput{Body: receipt}, nil
}

func notCovered(t clew.CommandType) error {
	return clew.Errorf(clew.Forbidden, "your role in this session does not cover %s", t)
}
