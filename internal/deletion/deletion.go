// Package deletion says to people what deleting a session does, in the same words on
// the command line and in the terminal UI.
package deletion

import (
	"time"

	"github.com/clew-run/clew/client"
	"github.com/clew-run/clew/internal/term"
)

// Words say what would be erased, what would stay, and until when it can be undone.
type Words struct {
	Erases, Keeps []string
	Until         string
}

// Of puts a preview into words. With now it is erased at once.
func Of(p client.DeletionPreview, now bool) Words {
	w := Words{Erases: []string{"all " + term.Count(int(p.Records), "record")}}
	if p.Questions > 0 {
		w.Erases = append(w.Erases, term.Count(p.Questions, "open question")+" in people's inboxes")
	}
	if p.Checkpoints > 0 {
		w.Erases = append(w.Erases, term.Count(p.Checkpoints, "checkpoint")+" of files")
	}
	if p.DirectoryErased {
		w.Erases = append(w.Erases, "the directory that the server made for it: "+term.ExactLine(p.Directory))
	} else {
		w.Keeps = append(w.Keeps, "the files in "+term.ExactLine(p.Directory))
	}
	for _, f := range p.Forks {
		w.Keeps = append(w.Keeps, "what fork "+string(f.SessionID)+" of "+term.ExactLine(string(f.Owner))+" has from it")
	}
	w.Keeps = append(w.Keeps, "copies in backups that were made before")
	w.Until = "It can be brought back until " + Day(p.EraseMS) + "."
	if now {
		w.Until = "It cannot be brought back."
	}
	return w
}

// Day is a time as people read it here.
func Day(ms int64) string { return time.UnixMilli(ms).Format("2006-01-02 15:04") }
