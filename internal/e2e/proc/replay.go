package proc

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"github.com/coder/websocket"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/wire"
)

// A Record as it came over the wire.
type Record struct {
	Frame string
	Env   wire.Envelope
	Event clew.Event
}

// Replay gives a session from its start, with the state it begins with, to a
// client whose name is always the same.
func (s *Stage) Replay(ctx context.Context, id clew.SessionID) (list []Record, state clew.SessionState, err error) {
	ws, resp, err := websocket.Dial(ctx, s.Srv.URL()+"/ws/"+string(id)+"?client_id=reader&resume_from=start",
		&websocket.DialOptions{HTTPHeader: http.Header{"Authorization": {"Bearer " + s.Token()}}})
	if resp != nil && resp.Body != nil {
		_ = resp.Body.Close()
	}
	if err != nil {
		return nil, state, err
	}
	defer func() { _ = ws.CloseNow() }()
	ws.SetReadLimit(-1)
	for {
		_, b, err := ws.Read(ctx)
		if err != nil {
			return list, state, err
		}
		var env wire.Envelope
		if err := json.Unmarshal(b, &env); err != nil {
			return list, state, err
		}
		switch {
		case env.Seq() > 0:
			ev, err := clew.DecodeEvent(clew.EventType(env.Type), env.Data)
			if err != nil {
				return list, state, err
			}
			list = append(list, Record{string(b), env, ev})
		case env.Type == string(clew.EventSessionState):
			if err := json.Unmarshal(env.Data, &state); err != nil {
				return list, state, err
			}
		case env.Type == string(clew.EventSyncComplete):
			return list, state, nil
		case env.Type == string(clew.EventError):
			return list, state, fmt.Errorf("the server said %s", b)
		}
	}
}

// Frames are records as they came over the wire, one a line.
func Frames(list []Record) string {
	var b strings.Builder
	for _, r := range list {
		b.WriteString(r.Frame + "\n")
	}
	return b.String()
}
