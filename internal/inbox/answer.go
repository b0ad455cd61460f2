package inbox

import (
	"context"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/auth"
	"github.com/clew-run/clew/internal/session"
	"github.com/clew-run/clew/internal/session/core"
	"github.com/clew-run/clew/wire"
)

// A Response is what a person says to a question. Which fields fit depends on
// the question.
type Response struct {
	Action          clew.Choice          `json:"action,omitempty"`
	Value           any                  `json:"value,omitempty"`
	Comment         string               `json:"comment,omitempty"`
	Remember        *clew.Remember       `json:"remember,omitempty"` // with approve
	Instruction     string               `json:"instruction,omitempty"`
	Modifications   []clew.PlanEdit      `json:"modifications,omitempty"`
	ClientMessageID clew.ClientMessageID `json:"client_message_id,omitempty"`
}

// errNotOpen answers for questions that are settled, that never were, and that
// are not the caller's, so that nobody learns which.
var errNotOpen = clew.Errorf(clew.HitlRequestExpired, "no such question waits for you: it is settled, or not yours")

// Answer answers a question of the caller's inbox.
func (b *Inbox) Answer(ctx context.Context, by clew.Principal, id clew.RequestID, r Response) (session.Receipt, error) {
	b.sessions.InboxWritten(ctx)
	item, err := b.find(ctx, by, id)
	if err != nil {
		return session.Receipt{}, err
	}
	return b.answer(ctx, by, item, r)
}

func (b *Inbox) find(ctx context.Context, by clew.Principal, id clew.RequestID) (core.InboxItem, error) {
	if !Reads(by) {
		return core.InboxItem{}, clew.Errorf(clew.Forbidden, "these credentials may watch, not answer")
	}
	item, ok, err := b.rows.Find(ctx, by.User, id)
	if err == nil && !ok {
		err = errNotOpen
	}
	return item, err
}

func (b *Inbox) answer(ctx context.Context, by clew.Principal, item core.InboxItem, r Response) (session.Receipt, error) {
	role, err := b.sessions.Access(ctx, item.SessionID, by)
	if clew.CodeOf(err) == clew.SessionNotFound {
		return session.Receipt{}, errNotOpen
	}
	if err != nil {
		return session.Receipt{}, err
	}
	cmd, err := commandFor(item, r)
	if info, ok := clew.CommandInfoOf(cmd.Type); ok && !info.Allows(auth.Cap(role, by)) {
		return session.Receipt{}, clew.Errorf(clew.Forbidden, "your role in this session does not cover %s", cmd.Type)
	}
	if err != nil {
		return session.Receipt{}, err
	}
	cmd.By = by
	receipt, err := b.sessions.Do(ctx, item.SessionID, cmd)
	if err == nil {
		b.awaitGone(ctx, by.User, item)
	}
	if receipt.Records == nil {
		receipt.Records = []clew.MessageID{}
	}
	return receipt, err
}

// commandFor makes the command that answers a question, checked as if a client
// had sent it. The type is set even if the rest does not fit.
func commandFor(item core.InboxItem, r Response) (clew.Command, error) {
	cmd := clew.Command{ClientMessageID: r.ClientMessageID}
	id := item.Question.RequestID()
	fits := r.Instruction == "" && r.Modifications == nil
	switch item.Question.Data.(type) {
	case *clew.HitlPlanReviewData:
		cmd.Type = clew.CommandHitlPlanResponse
		cmd.Data = &clew.HitlPlanResponseData{RequestID: id, Action: r.Action, Comment: r.Comment, Instruction: r.Instruction, Modifications: r.Modifications}
		fits = r.Value == nil && r.Action != "" && r.Remember == nil
	case *clew.HitlApprovalRequestData:
		cmd.Type = clew.CommandHitlApprovalResponse
		cmd.Data = &clew.HitlApprovalResponseData{RequestID: id, Action: r.Action, Comment: r.Comment, Remember: r.Remember}
		fits = fits && r.Value == nil && r.Action != ""
	default:
		fits = fits && r.Remember == nil && (r.Action == "" && r.Comment == "" || r.Action == clew.ChoiceReject && r.Value == nil)
		cmd.Type, cmd.Data = valueFor(item.Question, r)
	}
	if !fits {
		return cmd, clew.Errorf(clew.HitlInvalidResponse, "the answer does not fit the question, a %s", item.Question.Type)
	}
	frame, err := wire.EncodeCommand(item.SessionID, cmd)
	if err != nil {
		return cmd, clew.WrapError(clew.InvalidMessage, err, "the answer cannot be written")
	}
	checked, err := wire.DecodeCommand(frame, item.SessionID)
	if err != nil {
		return cmd, err
	}
	return checked, nil
}

// valueFor answers a question that asks for a value, or declines it.
func valueFor(q clew.Question, r Response) (clew.CommandType, any) {
	if r.Action == clew.ChoiceReject {
		return clew.CommandAskResponse, &clew.AskResponseData{RequestID: q.RequestID(), AskResponse: clew.NoButtonClicked, Text: r.Comment}
	}
	if d, ok := q.Data.(*clew.HitlInputRequestData); ok {
		return clew.CommandHitlInputResponse, &clew.HitlInputResponseData{RequestID: q.RequestID(), Field: d.Field, Value: r.Value}
	}
	return clew.CommandHitlClarificationResponse, &clew.HitlClarificationResponseData{RequestID: q.RequestID(), Value: r.Value}
}

// The rows of another node's sessions follow the records within moments. Who has
// answered shall not find the question still in the list, so the answer waits for
// its row to go.
const (
	goneWithin = 500 * time.Millisecond
	goneLook   = 5 * time.Millisecond
)

func (b *Inbox) awaitGone(ctx context.Context, user clew.UserID, item core.InboxItem) {
	ctx, cancel := context.WithTimeout(ctx, goneWithin)
	defer cancel()
	b.sessions.InboxWritten(ctx)
	t := time.NewTicker(goneLook)
	defer t.Stop()
	for {
		there, err := b.rows.Has(ctx, user, item.SessionID, item.Question.RequestID())
		if err != nil || !there {
			return
		}
		select {
		case <-t.C:
		case <-ctx.Done():
			return
		}
	}
}

// A BatchItem is what one question of a batch came to.
type BatchItem struct {
	RequestID clew.RequestID   `json:"request_id"`
	SessionID clew.SessionID   `json:"session_id,omitempty"`
	Records   []clew.MessageID `json:"records,omitempty"`
	Error     *clew.Error      `json:"-"`
}

// BatchMax is how many questions one batch may have.
const BatchMax = 100

// Batch decides questions of one kind alike, each by a command of its own. It
// refuses all of them if they are not of one kind, or of a kind where each needs
// its own words. Those that are settled meanwhile fail alone.
func (b *Inbox) Batch(ctx context.Context, by clew.Principal, ids []clew.RequestID, action clew.Choice, comment string) ([]BatchItem, error) {
	if len(ids) == 0 || len(ids) > BatchMax {
		return nil, clew.Errorf(clew.InvalidMessage, "a batch has 1 to %d questions", BatchMax)
	}
	b.sessions.InboxWritten(ctx)
	results := make([]BatchItem, 0, len(ids))
	found := map[int]core.InboxItem{}
	kind := ""
	seen := map[clew.RequestID]bool{}
	for _, id := range ids {
		if seen[id] {
			continue
		}
		seen[id] = true
		item, err := b.find(ctx, by, id)
		results = append(results, BatchItem{RequestID: id, SessionID: item.SessionID})
		if clew.CodeOf(err) == clew.HitlRequestExpired {
			results[len(results)-1].Error = clew.AsError(err)
			continue
		}
		if err != nil {
			return nil, err
		}
		if item.Question.Type != clew.EventHitlApprovalRequest {
			return nil, clew.Errorf(clew.HitlInvalidResponse, "a %s is answered by itself, not in a batch", item.Question.Type)
		}
		if k := KindOf(item.Question); kind == "" {
			kind = k
		} else if k != kind {
			return nil, clew.Errorf(clew.HitlInvalidResponse, "a batch has questions of one kind, not %s and %s", kind, k)
		}
		found[len(results)-1] = item
	}
	for i := range results {
		item, ok := found[i]
		if !ok {
			continue
		}
		receipt, err := b.answer(ctx, by, item, Response{Action: action, Comment: comment})
		if err != nil {
			results[i].Error = clew.AsError(err)
			continue
		}
		results[i].Records = receipt.Records
	}
	return results, nil
}
