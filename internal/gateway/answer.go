package gateway

import (
	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/sentence"
	"github.com/clew-run/clew/wire"
)

// answerFrame makes the frame of an envelope for this client alone. It has no
// message id: it is not a record, and no position in the journal.
func (c *conn) answerFrame(typ clew.EventType, data any) []byte {
	return c.encode(typ, "", data)
}

func (c *conn) encode(typ clew.EventType, id string, data any) []byte {
	c.g.sent(typ)
	b, err := wire.Encode(typ, c.session, id, c.g.now(), data)
	if err != nil { // only a fault of the program makes data that does not encode
		panic(err)
	}
	return Frame(b)
}

// stateFrame makes session_state, which is about one connection in its client
// id and role.
func (c *conn) stateFrame(st clew.SessionState, epoch string) []byte {
	st.ClientID, st.Role, st.Epoch = c.client, c.roleNow(), epoch
	return c.encode(clew.EventSessionState, "snap_"+string(clew.NewClientID()), &st)
}

func (c *conn) authFrame(r *clew.AuthResult) []byte {
	if r.OK {
		c.g.took(clew.CommandAuth)
	}
	return c.answerFrame(clew.EventAuthResult, r)
}

// connectedFrame says what this connection is; the writer has a Watch then.
func (c *conn) connectedFrame() []byte {
	return c.answerFrame(clew.EventConnected, &clew.ConnectedData{ClientID: c.client, Role: c.roleNow(), Epoch: c.watch.Epoch(), View: c.view})
}

func (c *conn) errorFrame(err error, about clew.ErrorContext) []byte {
	c.g.sent(clew.EventError)
	if sentence.Random {
		said := *clew.AsError(err)
		said.Message = sentence.Of(said.Message)
		err = &said
	}
	return Frame(wire.EncodeError(c.session, c.g.now(), err, about))
}

// pingFrame makes a ping, which carries neither id nor data.
func (c *conn) pingFrame() []byte { return c.answerFrame(clew.EventPing, nil) }
