package api

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/inbox"
	"github.com/clew-run/clew/internal/session"
)

type inboxInput struct {
	Limit  int    `query:"limit" minimum:"1" maximum:"200" default:"50"`
	Cursor string `query:"cursor" maxLength:"500" doc:"next of the previous page"`
}

// An inboxItem is a question in somebody's inbox as REST shows it.
type inboxItem struct {
	SessionID  clew.SessionID `json:"session_id"`
	Title      string         `json:"title" doc:"Of the session"`
	Owner      clew.UserID    `json:"owner" doc:"Of the session"`
	Question   any            `json:"question" doc:"The data of the hitl_* event that asked, with its type"`
	Kind       string         `json:"kind" doc:"Questions of one kind can be answered in a batch"`
	AskedMS    int64          `json:"asked_ms" doc:"Unix ms"`
	RemindedMS int64          `json:"reminded_ms,omitempty" doc:"When the deadline was said to be near, Unix ms"`
	Seq        uint64         `json:"seq" doc:"Of the record that asked"`
}

type inboxOutput struct {
	Body struct {
		Items  []inboxItem  `json:"items" nullable:"false"`
		Counts inbox.Counts `json:"counts" doc:"Of the whole inbox"`
		Next   string       `json:"next,omitempty" doc:"The cursor of the next page; absent on the last"`
	}
}

type countsOutput struct{ Body inbox.Counts }

type responseBody struct {
	Action          string               `json:"action,omitempty" enum:"approve,modify,skip,reject" doc:"To an approval or a plan; reject declines any question"`
	Value           any                  `json:"value,omitempty" doc:"To a question that asks for one"`
	Comment         string               `json:"comment,omitempty" maxLength:"65536"`
	Remember        *clew.Remember       `json:"remember,omitempty" doc:"With approve: do not ask about calls alike again"`
	Instruction     string               `json:"instruction,omitempty" maxLength:"65536" doc:"With modify: what the planner should change"`
	Modifications   []clew.PlanEdit      `json:"modifications,omitempty" doc:"With modify: changes made as they stand"`
	ClientMessageID clew.ClientMessageID `json:"client_message_id,omitempty" maxLength:"128"`
}

func (b responseBody) response() inbox.Response {
	return inbox.Response{
		Action: clew.Choice(b.Action), Value: b.Value, Comment: b.Comment, Remember: b.Remember, Instruction: b.Instruction,
		Modifications: b.Modifications, ClientMessageID: b.ClientMessageID,
	}
}

type respondInput struct {
	RequestID clew.RequestID `path:"request_id" doc:"The question"`
	Body      responseBody
}

type batchInput struct {
	Body struct {
		RequestIDs []clew.RequestID `json:"request_ids" minItems:"1" maxItems:"100" nullable:"false"`
		Action     string           `json:"action" enum:"approve,skip,reject"`
		Comment    string           `json:"comment,omitempty" maxLength:"65536"`
	}
}

// A batchResult is what one question of a batch came to.
type batchResult struct {
	RequestID clew.RequestID   `json:"request_id"`
	SessionID clew.SessionID   `json:"session_id,omitempty"`
	OK        bool             `json:"ok"`
	Records   []clew.MessageID `json:"records,omitempty"`
	Error     *problemBody     `json:"error,omitempty"`
}

type batchOutput struct {
	Body struct {
		Results []batchResult `json:"results" nullable:"false"`
	}
}

func (a *API) inboxRoutes(h huma.API) {
	if a.o.Inbox == nil {
		return
	}
	huma.Register(h, operation("list-inbox", http.MethodGet, "/inbox", http.StatusOK,
		"List the open questions that the caller may answer, over all sessions: the nearest deadline first, then the oldest."), a.inbox)
	huma.Register(h, operation("count-inbox", http.MethodGet, "/inbox/counts", http.StatusOK,
		"Count the open questions that the caller may answer."), a.inboxCounts)
	huma.Register(h, operation("answer-question", http.MethodPost, "/inbox/{request_id}", http.StatusOK,
		"Answer a question."), a.respond)
	huma.Register(h, operation("answer-batch", http.MethodPost, "/inbox/batch", http.StatusOK,
		"Answer several approvals of one kind. Each succeeds or fails on its own."), a.respondBatch)
}

func (a *API) inbox(ctx context.Context, in *inboxInput) (*inboxOutput, error) {
	page, err := a.o.Inbox.List(ctx, callerOf(ctx), in.Cursor, in.Limit)
	if err != nil {
		return nil, err
	}
	out := &inboxOutput{}
	out.Body.Items = make([]inboxItem, len(page.Items))
	for i, it := range page.Items {
		out.Body.Items[i] = inboxItem{
			SessionID: it.SessionID, Title: it.Title, Owner: it.Owner, Question: it.Question, Kind: it.Kind,
			AskedMS: it.AskedMS, RemindedMS: it.RemindedMS, Seq: it.Seq,
		}
	}
	out.Body.Counts, out.Body.Next = page.Counts, page.Next
	return out, nil
}

func (a *API) inboxCounts(ctx context.Context, _ *struct{}) (*countsOutput, error) {
	counts, err := a.o.Inbox.Counts(ctx, callerOf(ctx))
	return &countsOutput{counts}, err
}

func (a *API) respond(ctx context.Context, in *respondInput) (*receiptOutput, error) {
	receipt, err := a.o.Inbox.Answer(ctx, callerOf(ctx), in.RequestID, in.Body.response())
	if err != nil {
		return nil, err
	}
	return &receiptOutput{Body: receipt}, nil
}

func (a *API) respondBatch(ctx context.Context, in *batchInput) (*batchOutput, error) {
	results, err := a.o.Inbox.Batch(ctx, callerOf(ctx), in.Body.RequestIDs, clew.Choice(in.Body.Action), in.Body.Comment)
	if err != nil {
		return nil, err
	}
	out := &batchOutput{}
	out.Body.Results = make([]batchResult, len(results))
	for i, r := range results {
		out.Body.Results[i] = batchResult{RequestID: r.RequestID, SessionID: r.SessionID, OK: r.Error == nil, Records: r.Records}
		if r.Error != nil {
			out.Body.Results[i].Error = &problemOf(r.Error).Body
		}
	}
	return out, nil
}

// Inbox is what the API needs of people's questions: *inbox.Inbox.
type Inbox interface {
	List(ctx context.Context, by clew.Principal, cursor string, limit int) (inbox.Page, error)
	Counts(ctx context.Context, by clew.Principal) (inbox.Counts, error)
	Answer(ctx context.Context, by clew.Principal, id clew.RequestID, r inbox.Response) (session.Receipt, error)
	Batch(ctx context.Context, by clew.Principal, ids []clew.RequestID, action clew.Choice, comment string) ([]inbox.BatchItem, error)
}
