package history

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/client"
	"github.com/clew-run/clew/internal/cli/env"
)

// moveTimeout bounds a command that writes files. The server goes on without
// whoever asked.
const moveTimeout = 15 * time.Minute

// A receipt says what became of a command, with the answer if it has one.
type receipt struct {
	Records   []clew.MessageID `json:"records"`
	SessionID clew.SessionID   `json:"session_id"` // the one that was made
	Answer    *struct {
		Type clew.EventType  `json:"type"`
		Data json.RawMessage `json:"data"`
	} `json:"answer"`
}

// command carries out a command of the catalogue and decodes the answer into
// answer, which may be nil.
func command(ctx context.Context, c *env.Rest, id clew.SessionID, typ clew.CommandType, data, answer any) (receipt, error) {
	body := map[string]any{"type": typ, "session_id": id, "message_id": clew.NewClientID(), "data": data}
	var r receipt
	err := c.CallWithin(ctx, moveTimeout, http.MethodPost, "sessions/"+url.PathEscape(string(id))+"/commands", body, &r)
	if err != nil || answer == nil {
		return r, err
	}
	if r.Answer == nil {
		return r, clew.Errorf(clew.Internal, "the server did not answer %s", typ)
	}
	return r, json.Unmarshal(r.Answer.Data, answer)
}

// move carries out a command that takes the session elsewhere, and finds out
// where that was.
func move(ctx context.Context, c *env.Rest, id clew.SessionID, typ clew.CommandType, data any, result *Rewound) error {
	r, err := command(ctx, c, id, typ, data, nil)
	if err != nil {
		return err
	}
	result.Records, result.Done = append([]clew.MessageID{}, r.Records...), true
	ev, err := arrival(ctx, c, id, r.Records)
	if err != nil {
		return nil // it is done; the record would only have told more of it
	}
	result.Event, result.Data = ev.Type, ev.Data
	return nil
}

// arrival reads the record that took the session or its files elsewhere, or
// that saved them, among those of a receipt.
func arrival(ctx context.Context, c *env.Rest, id clew.SessionID, records []clew.MessageID) (clew.Event, error) {
	none := errors.New("no such record")
	if len(records) == 0 {
		return clew.Event{}, none
	}
	first, err := records[0].Seq()
	if err != nil {
		return clew.Event{}, err
	}
	last, err := records[len(records)-1].Seq()
	if err != nil {
		return clew.Event{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, env.RequestTimeout)
	defer cancel()
	opts := c.Dialing(id)
	opts.ResumeFrom = string(clew.MessageIDOf(first - 1))
	ws, err := client.Dial(ctx, opts)
	if err != nil {
		return clew.Event{}, err
	}
	defer ws.Close()
	for env, err := range ws.Follow(ctx) {
		if err != nil {
			return clew.Event{}, err
		}
		switch typ := clew.EventType(env.Type); typ {
		case clew.EventHistoryRewound, clew.EventRewindUndone, clew.EventCheckpointRestored, clew.EventCheckpointSaved:
			if slices.Contains(records, clew.MessageIDOf(env.Seq())) {
				return clew.DecodeEvent(typ, env.Data)
			}
		}
		if env.Seq() >= last {
			break
		}
	}
	return clew.Event{}, none
}
