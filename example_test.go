package clew_test

import (
	"errors"
	"fmt"
	"io"

	"github.com/clew-run/clew"
)

// A journal is a chain of records: each one carries the hash of the one before.
func ExampleHead_Next() {
	var head clew.Head
	for _, title := range []string{"Draft", "Report"} {
		data, err := clew.MarshalData(&clew.SessionRenamedData{Title: title})
		if err != nil {
			fmt.Println(err)
			return
		}
		r := head.Next("sess_1", 1, 1_790_000_000_000, "alice", clew.EventSessionRenamed, data)
		fmt.Println(r.MessageID(), r.Follows(head) == nil, string(r.Data()))
		head = r.After()
	}
	// Output:
	// msg_000000000001 true {"title":"Draft"}
	// msg_000000000002 true {"title":"Report"}
}

// A stored line holds what the journal needs and, behind a tab, the envelope as
// clients get it. A line that was changed breaks the chain.
func ExampleParseRecord() {
	var empty clew.Head
	first := empty.Next("sess_1", 1, 1_790_000_000_000, "alice", clew.EventSessionRenamed, []byte(`{"title":"a"}`))
	second := first.After().Next("sess_1", 1, 1_790_000_000_000, "alice", clew.EventSessionRenamed, []byte(`{"title":"b"}`))

	r, err := clew.ParseRecord(second.Line())
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(string(r.Envelope()))
	fmt.Println(r.Follows(first.After()))

	changed := empty.Next("sess_1", 1, 1_790_000_000_000, "alice", clew.EventSessionRenamed, []byte(`{"title":"x"}`))
	fmt.Println(errors.Is(r.Follows(changed.After()), clew.ErrChain))
	// Output:
	// {"type":"session_renamed","session_id":"sess_1","message_id":"msg_000000000002","timestamp":"2026-09-21T14:13:20.001Z","data":{"title":"b"}}
	// <nil>
	// true
}

// The type of an event follows from its data, and the other way round.
func ExampleNewEvent() {
	event := clew.NewEvent(&clew.SessionRenamedData{Title: "Report"})
	fmt.Println(event.Type)

	data, err := clew.MarshalData(event.Data)
	if err != nil {
		fmt.Println(err)
		return
	}
	again, err := clew.DecodeEvent(event.Type, data)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(again.Data.(*clew.SessionRenamedData).Title)
	// Output:
	// session_renamed
	// Report
}

// The catalogue says who may send a command.
func ExampleCommandInfoOf() {
	info, known := clew.CommandInfoOf(clew.CommandUserMessage)
	fmt.Println(known, info.Right)
	fmt.Println(info.Allows(clew.RoleOwner), info.Allows(clew.RoleViewer))
	// Output:
	// true owner
	// true false
}

// The code of an error is for programs, its message for people, and its cause
// for the log.
func ExampleWrapError() {
	err := fmt.Errorf("read: %w", clew.WrapError(clew.StorageFailed, io.ErrUnexpectedEOF, "the session could not be read"))
	fmt.Println(clew.CodeOf(err))
	fmt.Println(clew.AsError(err).Message)
	fmt.Println(errors.Is(err, io.ErrUnexpectedEOF))
	// Output:
	// STORAGE_FAILED
	// the session could not be read
	// true
}

// The message id of a record is its position in the journal.
func ExampleMessageIDOf() {
	id := clew.MessageIDOf(42)
	seq, err := id.Seq()
	fmt.Println(id, seq, err)
	// Output: msg_000000000042 42 <nil>
}
