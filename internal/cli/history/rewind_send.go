package history

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/cli/env"
	"github.com/clew-run/clew/wire"
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
	_ = arrival(ctx, c, id, r.Records, result) // it is done; the records would only have told more of it
	return nil
}

// arrival reads among the records of a receipt the one that took the session or its files
// elsewhere, or that saved them, and what kernels do now.
func arrival(ctx context.Context, c *env.Rest, id clew.SessionID, list []clew.MessageID, result *Rewound) error {
	if len(list) == 0 {
		return nil
	}
	first, err := list[0].Seq()
	if err != nil {
		return err
	}
	last, err := list[len(list)-1].Seq()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, env.RequestTimeout)
	defer cancel()
	return records(ctx, c, id, string(clew.MessageIDOf(first-1)), func(frame wire.Envelope) (bool, error) {
		if !slices.Contains(list, clew.MessageIDOf(frame.Seq())) {
			return frame.Seq() < last, nil
		}
		return frame.Seq() < last, result.take(frame)
	})
}

// take takes over what a record tells.
func (r *Rewound) take(frame wire.Envelope) error {
	switch typ := clew.EventType(frame.Type); typ {
	case clew.EventKernelRerunRequested:
		r.Rerun = true
	case clew.EventHitlInputRequest:
		e, err := clew.DecodeEvent(typ, frame.Data)
		if err != nil {
			return err
		}
		if d, ok := e.Data.(*clew.HitlInputRequestData); ok && d.Kernel != nil {
			r.Asked = append(r.Asked, d.RequestID)
		}
	case clew.EventHistoryRewound, clew.EventRewindUndone, clew.EventCheckpointRestored, clew.EventCheckpointSaved:
		if r.Event != "" { // the first one
			return nil
		}
		e, err := clew.DecodeEvent(typ, frame.Data)
		if err != nil {
			return err
		}
		r.Event, r.Data = e.Type, e.Data
	}
	return nil
}
