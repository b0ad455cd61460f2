package wire

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/clew-run/clew"
)

// Covers: WS-008, WS-010, WS-014, WS-021, C-04
func TestEncode(t *testing.T) {
	ping, err := Encode(clew.EventPing, "sess_1", "", 1790000000123, nil)
	if err != nil {
		t.Fatal(err)
	}
	if want := `{"type":"ping","session_id":"sess_1","timestamp":"2026-09-21T14:13:20.123Z"}`; string(ping) != want {
		t.Errorf("got  %s\nwant %s", ping, want)
	}
	got, err := Encode(clew.EventAgentResponse, "sess_1", "", 0, &clew.AgentResponseData{
		MessageID: "msg_000000000003", AgentID: "main-monitor-0", Delta: "a < b & c",
	})
	if err != nil {
		t.Fatal(err)
	}
	want := `{"type":"agent_response","session_id":"sess_1","timestamp":"1970-01-01T00:00:00.000Z","data":{"message_id":"msg_000000000003","agent_id":"main-monitor-0","offset":0,"delta":"a < b & c"}}`
	if string(got) != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// Covers: WS-137, C-63
func TestDecodeEnvelopeUnknownType(t *testing.T) {
	env, ev, err := DecodeEnvelope([]byte(`{"type":"from_the_future","session_id":"s","data":{"x":[1]}}`))
	if err != nil {
		t.Fatal(err)
	}
	raw, ok := ev.Data.(json.RawMessage)
	if !ok || string(raw) != `{"x":[1]}` || env.Type != "from_the_future" {
		t.Errorf("got %+v %+v", env, ev)
	}
}

// An older client reads a newer server's records: unknown fields are ignored.
func TestDecodeEnvelopeUnknownField(t *testing.T) {
	_, ev, err := DecodeEnvelope([]byte(`{"type":"session_renamed","session_id":"s","data":{"title":"t","colour":"red"}}`))
	if err != nil {
		t.Fatal(err)
	}
	if d := ev.Data.(*clew.SessionRenamedData); d.Title != "t" {
		t.Errorf("got %+v", d)
	}
}

func TestDecodeEnvelopeRefuses(t *testing.T) {
	for _, frame := range []string{``, `[]`, `{"data":{}}`, `{"type":"session_renamed","data":{"title":1}}`} {
		if _, _, err := DecodeEnvelope([]byte(frame)); clew.CodeOf(err) != clew.InvalidMessage {
			t.Errorf("%s: %v", frame, err)
		}
	}
}

// Records are envelopes already; the codec must agree with their spelling.
//
// Covers: WS-008, C-01
func TestRecordIsAnEnvelope(t *testing.T) {
	data, err := clew.MarshalData(&clew.SessionRenamedData{Title: "<new>"})
	if err != nil {
		t.Fatal(err)
	}
	r := clew.Head{Seq: 6}.Next("sess_1", 1, 1790000000123, "ada", clew.EventSessionRenamed, data)
	env, ev, err := DecodeEnvelope(r.Envelope())
	if err != nil {
		t.Fatal(err)
	}
	if env.Seq() != 7 || ev.Data.(*clew.SessionRenamedData).Title != "<new>" {
		t.Errorf("got %+v %+v", env, ev.Data)
	}
	again, err := Encode(ev.Type, env.SessionID, env.MessageID, r.TS, ev.Data)
	if err != nil || string(again) != string(r.Envelope()) {
		t.Errorf("got  %s\nwant %s (%v)", again, r.Envelope(), err)
	}
}

// Covers: C-60
func TestCloseCodes(t *testing.T) {
	tests := []struct {
		err  error
		want CloseCode
	}{
		{nil, CloseNormal},
		{clew.Errorf(clew.AuthFailed, ""), ClosePolicy},
		{clew.Errorf(clew.Forbidden, ""), ClosePolicy},
		{clew.Errorf(clew.RateLimited, ""), ClosePolicy},
		{clew.Errorf(clew.SessionNotFound, ""), ClosePolicy},
		{clew.Errorf(clew.MessageTooLarge, ""), CloseTooLarge},
		{clew.Errorf(clew.ConnectionTimeout, ""), CloseGoing},
		{clew.Errorf(clew.StorageFailed, ""), CloseInternal},
		{clew.Errorf(clew.Internal, ""), CloseInternal},
	}
	for _, tt := range tests {
		if got := CloseFor(tt.err); got != tt.want {
			t.Errorf("CloseFor(%v) = %d, want %d", tt.err, got, tt.want)
		}
	}
	want := []CloseCode{1000, 1001, 1002, 1003, 1007, 1008, 1009, 1011, 1013}
	if len(Closes) != len(want) {
		t.Fatalf("%d close codes, want %d", len(Closes), len(want))
	}
	for i, c := range Closes {
		if c.Code != want[i] {
			t.Errorf("close code %d, want %d", c.Code, want[i])
		}
		for _, r := range c.Reasons {
			if len(r) > 123 || strings.ToUpper(r) != r {
				t.Errorf("reason %q does not fit a close frame", r)
			}
		}
	}
}

// Covers: C-60
func TestReconnect(t *testing.T) {
	tests := []struct {
		code   CloseCode
		reason string
		want   bool
	}{
		{CloseNormal, ReasonBye, false},
		{CloseNormal, ReasonTakenOver, false},
		{CloseGoing, ReasonStopping, true},
		{CloseProtocol, "INVALID_MESSAGE", false},
		{ClosePolicy, "AUTH_FAILED", false},
		{ClosePolicy, "RATE_LIMITED", true},
		{CloseTooLarge, "MESSAGE_TOO_LARGE", false},
		{CloseInternal, "INTERNAL", true},
		{CloseInternal, "SESSION_DAMAGED", false},
		{CloseTooSlow, ReasonTooSlow, true},
		{1006, "", true},
	}
	for _, tt := range tests {
		if got := Reconnect(tt.code, tt.reason); got != tt.want {
			t.Errorf("Reconnect(%d, %s) = %v", tt.code, tt.reason, got)
		}
	}
}

// Covers: WS-114, G-02, G-17
func TestDefaultLimits(t *testing.T) {
	want := Limits{
		Frame: 1048576, Queue: 256, PingEvery: 30 * time.Second, PongLimit: time.Minute,
		AuthWait: 10 * time.Second, AuthFrame: 4096,
		ConnectsPerMinute: 10, MessagesPerMinute: 100, HitlPerMinute: 30, Strikes: 3,
	}
	if DefaultLimits != want {
		t.Errorf("got %+v", DefaultLimits)
	}
}
