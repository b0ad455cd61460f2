package history

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/ask"
	"github.com/clew-run/clew/internal/cli/env"
	"github.com/clew-run/clew/internal/term"
)

// PrintPreview says what a rewind would change.
func PrintPreview(w io.Writer, r *clew.RewindPreviewAnswer, files bool) error {
	p := &env.Page{W: w}
	if r.FromMessageID == "" {
		p.Line("To the end of the session:")
	} else {
		p.Line("Back to %s %s:", side(r.KeepTarget), r.FromMessageID)
	}
	for _, g := range ask.Preview(r, files) {
		p.Line("  %s", env.Plain(g.Text))
		for _, item := range g.Items[:min(len(g.Items), env.Listed)] {
			p.Line("    %s", env.Cut(env.Plain(item), 160))
		}
		p.More(g.Total, len(g.Items))
		if g.Files {
			printNames(p, r.Files, r.FilesCount)
		}
	}
	return p.Err
}

// side says on which side of a message a rewind goes on.
func side(keep bool) string {
	if keep {
		return "after"
	}
	return "before"
}

// when says when something was, with a space behind it, if that is known.
func when(at time.Time) string {
	if at.IsZero() {
		return ""
	}
	return "of " + term.Ago(at, time.Now()) + " "
}

// printNames says what becomes of each file. There may be more than are named.
func printNames(p *env.Page, files []clew.CheckpointFile, total int) {
	for _, f := range files[:min(len(files), env.Listed)] {
		p.Line("    %s", fileLine(f))
	}
	p.More(max(total, len(files)), len(files))
}

// fates says what becomes of a file.
var fates = map[string]string{"added": "comes back", "deleted": "is removed", "modified": "changes", "renamed": "is renamed", "mode": "gets other permissions"}

func fileLine(f clew.CheckpointFile) string {
	name := env.Plain(f.Paths.Relative)
	if f.Paths.Old != "" {
		name = env.Plain(f.Paths.Old) + " → " + name
	}
	switch f.Kind {
	case "directory":
		if name += "/"; name == "/" || name == "./" {
			name = "the workspace itself"
		}
	case "link":
		name += " (link)"
	}
	return fmt.Sprintf("%s %s%s", name, env.FirstOf(fates[f.Status], "changes"), sizeOf(f))
}

// sizeOf counts the lines that come and go, where they are known.
func sizeOf(f clew.CheckpointFile) string {
	switch {
	case f.Binary:
		return ", binary"
	case f.Unified == "":
		return ""
	}
	plus, minus, head := 0, 0, true
	for line := range strings.Lines(f.Unified) {
		switch {
		case strings.HasPrefix(line, "@@"):
			head = false
		case head:
		case line[0] == '+':
			plus++
		case line[0] == '-':
			minus++
		}
	}
	return fmt.Sprintf(", +%d -%d", plus, minus)
}

// PrintMove says where a session is now.
func PrintMove(w io.Writer, r Rewound, at env.Remote) error {
	p := &env.Page{W: w}
	var files *clew.FilesReturned
	switch d := r.Data.(type) {
	case *clew.HistoryRewoundData:
		files = d.Files
		if d.Redo {
			p.Line("Done: the rewind to %s %s is done again, %s removed.", side(d.KeepTarget), d.FromMessageID, term.Count(d.RemovedCount, "message"))
		} else {
			p.Line("Done: %s removed.", term.Count(d.RemovedCount, "message"))
		}
	case *clew.RewindUndoneData:
		files = d.Files
		p.Line("Done: the rewind %sto %s is undone, %s back.", when(r.undone), d.FromMessageID, term.Count(d.RestoredCount, "message"))
		if n := d.RemovedCount; n > 0 {
			p.Line("What was said since, %s, is hidden now.", term.Count(n, "message"))
		}
	case *clew.CheckpointRestoredData:
		files = d.Files
		p.Line("Done: the files are those of %s.", Short(d.CommitHash))
	default:
		if len(r.Records) == 0 {
			p.Line("The session is there already: nothing was changed.")
			return p.Err
		}
		p.Line("Done.")
	}
	if files != nil {
		p.Line("Files: %d written, %d removed.", files.Changed, files.Removed)
		if r.files != nil {
			printNames(p, r.files.Files, r.files.FilesCount)
		}
		for _, name := range files.Left {
			p.Line("  left as it is: %s", env.Plain(name))
		}
	}
	printNext(p, r, files, at)
	return p.Err
}

// printNext says how to go on, and how to get back.
func printNext(p *env.Page, r Rewound, files *clew.FilesReturned, at env.Remote) {
	for _, id := range r.Asked {
		p.Line("A kernel has run cells after this point. Say what happens to it: %s", at.Line("answer", string(id)))
	}
	if r.Rerun {
		p.Line("Cells run again now; agents wait until that is done.")
	}
	switch r.Event {
	case clew.EventRewindUndone:
		p.Line("Do it again: %s", at.Line("redo", string(r.SessionID)))
	case clew.EventCheckpointRestored:
		if files != nil && files.Before != "" {
			p.Line("Take it back: %s", at.Line("checkpoint", "restore", string(r.SessionID), Short(files.Before)))
		}
	default:
		by := "Nothing continues by itself now"
		if r.Rerun {
			by = "Nothing else continues by itself"
		}
		p.Line("%s: send a message, answer what is open, or resume the run.", by)
		p.Line("Take it back: %s", at.Line("undo", string(r.SessionID)))
	}
}
