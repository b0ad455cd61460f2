package history

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/client"
	"github.com/clew-run/clew/internal/cli/env"
	"github.com/clew-run/clew/internal/term"
	"github.com/clew-run/clew/wire"
)

// A returning is clew undo or clew redo.
type returning struct {
	name, question string
	command        clew.CommandType
	data           func(files *bool) any
}

var (
	undoing = returning{"undo", "Undo it?", clew.CommandUndoRewind, func(files *bool) any { return clew.UndoRewindData{RestoreCheckpoint: files} }}
	redoing = returning{"redo", "Do it again?", clew.CommandRedoRewind, func(files *bool) any { return clew.RedoRewindData{RestoreCheckpoint: files} }}
)

// UndoCommand is clew undo.
func UndoCommand(a *env.App) *cobra.Command {
	return returnCommand(a, undoing, "Undo the last rewind of a session, files included",
		"Undo the last rewind of a session: what went is back, files included, and what was said\n"+
			"since is hidden. On a terminal what would change is shown first. clew redo does the\n"+
			"rewind again. A restore of files alone is no rewind: clew checkpoint restore takes it\n"+
			"back, as it said.")
}

// RedoCommand is clew redo.
func RedoCommand(a *env.App) *cobra.Command {
	return returnCommand(a, redoing, "Do again the rewind that was undone last",
		"Do again the rewind that was undone last, files included. On a terminal what would\n"+
			"change is shown first. clew undo takes it back once more.")
}

func returnCommand(a *env.App, t returning, short, long string) *cobra.Command {
	var r env.Remote
	var files, yes bool
	cmd := &cobra.Command{
		Use:     t.name + " [SESSION]",
		Short:   short,
		Long:    long + "\n\n" + env.HowSession,
		Example: "clew " + t.name + "            # in the newest session\nclew " + t.name + " sess_1",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			id, c, err := a.SessionChanged(cmd.Context(), env.Argument(args, 0), r)
			if err != nil {
				return err
			}
			return goReturn(cmd.Context(), a, c, id, t, files, !yes && !a.JSON && OnTerminal(a))
		},
	}
	r.Flags(cmd)
	cmd.Flags().BoolVar(&files, "files", true, "take the files of the workspace along, if the rewind did")
	cmd.Flags().BoolVar(&yes, "yes", false, "do not ask")
	return cmd
}

// goReturn goes there. Somebody at a terminal is shown before what would change,
// others are told after.
func goReturn(ctx context.Context, a *env.App, c *env.Rest, id clew.SessionID, t returning, files, ask bool) error {
	if ask {
		last, err := lastMove(ctx, c, id, t)
		if err != nil {
			return err
		}
		if last != nil { // else the server says that there is nothing
			if err := printReturn(ctx, c, a.Out, id, t, last, files); err != nil {
				return err
			}
			if !confirm(a, t.question) {
				_, _ = fmt.Fprintln(a.Err, "Nothing was changed.")
				return env.ErrReported
			}
		}
	}
	result := Rewound{SessionID: id}
	var only *bool // what a server does by itself is not said
	if !files {
		only = &files
	}
	if err := move(ctx, c, id, t.command, t.data(only), &result); err != nil {
		return err
	}
	if !a.JSON {
		tellMore(ctx, c, id, &result, !ask)
	}
	return a.Print(result, func(w io.Writer) error { return PrintMove(w, result, c.At) })
}

// A moved is a rewind or an undo on record.
type moved struct {
	at    time.Time
	from  clew.MessageID
	keep  bool
	gone  int // messages that it took away
	files *clew.FilesReturned
}

// lastMove finds what an undo or a redo would take back, nil if there is
// nothing. It follows from the records what the server holds in its state.
func lastMove(ctx context.Context, c *env.Rest, id clew.SessionID, t returning) (*moved, error) {
	var undo, redo []moved
	drop := func(list []moved) []moved { return list[:max(0, len(list)-1)] }
	err := records(ctx, c, id, client.FromStart, func(frame wire.Envelope) (bool, error) {
		typ := clew.EventType(frame.Type)
		switch typ {
		case clew.EventHistoryRewound, clew.EventRewindUndone, clew.EventMessageCreated:
		default:
			return true, nil
		}
		e, err := clew.DecodeEvent(typ, frame.Data)
		if err != nil {
			return false, err
		}
		switch d := e.Data.(type) {
		case *clew.HistoryRewoundData:
			if undo = append(undo, moved{timeOn(frame), d.FromMessageID, d.KeepTarget, d.RemovedCount, d.Files}); d.Redo {
				redo = drop(redo)
			} else {
				redo = nil
			}
		case *clew.RewindUndoneData:
			undo, redo = drop(undo), append(redo, moved{timeOn(frame), d.FromMessageID, false, d.RemovedCount, d.Files})
		case *clew.MessageCreatedData:
			if d.Message.Role == clew.SpeakerUser {
				redo = nil
			}
		}
		return true, nil
	})
	list := undo
	if t.command == clew.CommandRedoRewind {
		list = redo
	}
	if err != nil || len(list) == 0 {
		return nil, err
	}
	return &list[len(list)-1], nil
}

func timeOn(frame wire.Envelope) time.Time {
	at, _ := time.Parse(time.RFC3339, frame.Timestamp)
	return at
}

// printReturn says what an undo or a redo would change.
func printReturn(ctx context.Context, c *env.Rest, w io.Writer, id clew.SessionID, t returning, last *moved, files bool) error {
	p := &env.Page{W: w}
	if t.command == clew.CommandUndoRewind {
		p.Line("Undo the rewind %sto %s %s:", when(last.at), side(last.keep), last.from)
		p.Line("  %s", term.Goes(last.gone, "message", "comes back", "come back"))
		p.Line("  what was said since is hidden")
	} else {
		p.Line("Do again the rewind to %s, undone %s:", last.from, last.at.Local().Format("15:04"))
		p.Line("  what the undo brought back is hidden again")
	}
	if !files || last.files == nil || last.files.Before == "" {
		p.Line("  files stay as they are")
		return p.Err
	}
	var now clew.CheckpointDiffAnswer
	if _, err := command(ctx, c, id, clew.CommandCheckpointDiff, clew.CheckpointDiffData{From: last.files.Before}, &now); err != nil {
		return err
	}
	printChanges(p, now)
	return p.Err
}

// tellMore finds out what the record does not say: when the rewind was made that
// is undone, and which files changed. It is done; what cannot be found out is
// left out.
func tellMore(ctx context.Context, c *env.Rest, id clew.SessionID, r *Rewound, names bool) {
	var files *clew.FilesReturned
	switch d := r.Data.(type) {
	case *clew.RewindUndoneData:
		files = d.Files
		_ = records(ctx, c, id, string(d.To), func(frame wire.Envelope) (bool, error) { // the rewind follows on it
			if frame.Seq() > 0 {
				r.undone = timeOn(frame)
				return false, nil
			}
			return true, nil
		})
	case *clew.HistoryRewoundData:
		files = d.Files
	}
	if !names || files == nil || files.Before == "" {
		return
	}
	var answer clew.CheckpointDiffAnswer
	if _, err := command(ctx, c, id, clew.CommandCheckpointDiff, clew.CheckpointDiffData{From: files.Before, To: files.Hash}, &answer); err == nil {
		r.files = &answer
	}
}
