package wire_test

import (
	"encoding/json"
	"fmt"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/wire"
)

// What a client sends to say something in a session.
func ExampleEncodeCommand() {
	frame, err := wire.EncodeCommand("sess_1", clew.Command{
		Type: clew.CommandUserMessage, ClientMessageID: "c_1", Data: clew.UserMessageData{Text: "hello"},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(string(frame))
	// Output: {"type":"user_message","session_id":"sess_1","message_id":"c_1","data":{"text":"hello"}}
}

// A server reads strictly: a misspelt field is refused, and the answer says
// where it is and which command it is about.
func ExampleDecodeCommand() {
	cmd, err := wire.DecodeCommand([]byte(`{"type":"user_message","message_id":"c_1","data":{"txt":"hello"}}`), "sess_1")
	fmt.Println(clew.CodeOf(err), cmd.Type, cmd.ClientMessageID)

	cmd, err = wire.DecodeCommand([]byte(`{"type":"user_message","message_id":"c_1","data":{"text":"hello"}}`), "sess_1")
	fmt.Println(err, cmd.Data.(*clew.UserMessageData).Text)
	// Output:
	// INVALID_MESSAGE user_message c_1
	// <nil> hello
}

// A client reads leniently: a type that it does not know comes with its data as
// it is, so that an older client gets along with a newer server.
func ExampleDecodeEnvelope() {
	for _, frame := range []string{
		`{"type":"session_renamed","session_id":"sess_1","message_id":"msg_000000000007","data":{"title":"Report"}}`,
		`{"type":"session_painted","session_id":"sess_1","message_id":"msg_000000000008","data":{"colour":"blue"}}`,
	} {
		env, event, err := wire.DecodeEnvelope([]byte(frame))
		if err != nil {
			fmt.Println(err)
			return
		}
		switch data := event.Data.(type) {
		case *clew.SessionRenamedData:
			fmt.Println(env.Seq(), "new title:", data.Title)
		case json.RawMessage:
			fmt.Println(env.Seq(), "unknown", event.Type, string(data))
		}
	}
	// Output:
	// 7 new title: Report
	// 8 unknown session_painted {"colour":"blue"}
}

// The close code and its reason say whether to connect again.
func ExampleReconnect() {
	fmt.Println(wire.Reconnect(wire.CloseGoing, wire.ReasonStopping))
	fmt.Println(wire.Reconnect(wire.CloseNormal, wire.ReasonTakenOver))
	fmt.Println(wire.Reconnect(wire.ClosePolicy, string(clew.RateLimited)))
	fmt.Println(wire.Reconnect(1006, "")) // the line broke
	// Output:
	// true
	// false
	// true
	// true
}

// A frame's size is checked before it is read into memory.
func ExampleLimits_CheckFrame() {
	limits := wire.DefaultLimits
	limits.Frame = 1000
	fmt.Println(limits.CheckFrame(1000))
	fmt.Println(clew.CodeOf(limits.CheckFrame(1001)))
	// Output:
	// <nil>
	// MESSAGE_TOO_LARGE
}
