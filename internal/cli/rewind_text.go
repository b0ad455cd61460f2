package cli

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/clew-run/clew"
)

// listed is how many lines of a kind a person gets to see; --json has all.
const listed = 30

// A page is text for a person, written in order; the first error is kept.
type page struct {
	w   io.Writer
	err error
}

func (p *page) line(format string, args ...any) {
	if p.err == nil {
		_, p.err = fmt.Fprintf(p.w, format+"\n", args...)
	}
}

// more says how many lines were left out.
func (p *page) more(total, shown int) {
	if total > min(shown, listed) {
		p.line("    … and %d more", total-min(shown, listed))
	}
}

// printPreview says what a rewind would change.
func printPreview(w io.Writer, r *clew.RewindPreviewAnswer, files bool) error {
	p := &page{w: w}
	if r.FromMessageID == "" {
		p.line("To the end of the session:")
	} else {
		p.line("Back to %s %s:", side(r.KeepTarget), r.FromMessageID)
	}
	p.line("  %s", goes(r.Count, "message", "goes", "go"))
	if r.Running {
		p.line("  agents are at work and will be stopped")
	}
	p.files(r, files)
	p.todos(r.Todos)
	p.questions("will be open again", r.Reopened)
	p.questions("will be gone", r.Withdrawn)
	p.forgotten(r.Forgotten)
	p.usage(r.Usage)
	p.lasting(r)
	return p.err
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
	switch {
	case at.IsZero():
		return ""
	case time.Since(at) < 12*time.Hour:
		return "of " + at.Local().Format("15:04") + " "
	}
	return "of " + at.Local().Format("2006-01-02 15:04") + " "
}

func (p *page) files(r *clew.RewindPreviewAnswer, wanted bool) {
	switch {
	case !wanted:
		p.line("  files stay as they are")
		return
	case r.FilesCount == 0:
		p.line("  no files change")
		return
	}
	p.line("  %s", goes(r.FilesCount, "file", "changes", "change"))
	p.names(r.Files, r.FilesCount)
}

// names says what becomes of each file. There may be more than are named.
func (p *page) names(files []clew.CheckpointFile, total int) {
	for _, f := range files[:min(len(files), listed)] {
		p.line("    %s", fileLine(f))
	}
	p.more(max(total, len(files)), len(files))
}

// fates says what becomes of a file.
var fates = map[string]string{"added": "comes back", "deleted": "is removed", "modified": "changes", "renamed": "is renamed", "mode": "gets other permissions"}

func fileLine(f clew.CheckpointFile) string {
	name := plain(f.Paths.Relative)
	if f.Paths.Old != "" {
		name = plain(f.Paths.Old) + " → " + name
	}
	switch f.Kind {
	case "directory":
		if name += "/"; name == "/" || name == "./" {
			name = "the workspace itself"
		}
	case "link":
		name += " (link)"
	}
	return fmt.Sprintf("%s %s%s", name, firstOf(fates[f.Status], "changes"), sizeOf(f))
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

func (p *page) todos(list []clew.TodoChange) {
	if len(list) == 0 {
		return
	}
	p.line("  %s", goes(len(list), "todo", "changes", "change"))
	for _, t := range list[:min(len(list), listed)] {
		p.line("    %s: %s → %s", title(firstOf(t.Task, t.ID), 60), firstOf(string(t.From), "not there"), firstOf(string(t.To), "gone"))
	}
	p.more(len(list), len(list))
}

func (p *page) questions(fate string, list []clew.Question) {
	if len(list) == 0 {
		return
	}
	p.line("  %s %s", count(len(list), "question"), fate)
	for _, q := range list[:min(len(list), listed)] {
		p.line("    %s", cut(plain(questionText(q)), 100))
	}
	p.more(len(list), len(list))
}

// forgotten names what agents will ask about again.
func (p *page) forgotten(list []clew.RememberedRule) {
	if len(list) == 0 {
		return
	}
	p.line("  no longer allowed without asking, not even after an undo:")
	for _, r := range list[:min(len(list), listed)] {
		p.line("    %s", cut(plain(strings.TrimSpace(r.Tool+" "+r.Pattern)), 100))
	}
	p.more(len(list), len(list))
}

// questionText is a question in a few words.
func questionText(q clew.Question) string {
	switch d := q.Data.(type) {
	case *clew.HitlPlanReviewData:
		return firstOf(d.Message, "review of a plan")
	case *clew.HitlApprovalRequestData:
		if d.Effect != nil && d.Effect.Command != "" {
			return "run " + d.Effect.Command
		}
		if d.Effect != nil && d.Effect.Summary != "" {
			return d.Effect.Summary
		}
		return firstOf(d.Reason, d.Tool)
	case *clew.HitlInputRequestData:
		return d.Question
	case *clew.HitlClarificationData:
		return d.Question
	}
	return string(q.Type)
}

func (p *page) usage(u *clew.Usage) {
	if u == nil {
		return
	}
	spent := count(int(u.TokensIn+u.TokensOut+u.CacheReads+u.CacheWrites), "token")
	if u.CostUSD != 0 {
		spent += fmt.Sprintf(" and $%.4f", u.CostUSD)
	}
	p.line("  %s no longer counted; spent all the same", spent)
}

func (p *page) lasting(r *clew.RewindPreviewAnswer) {
	if r.IrreversibleCount == 0 {
		return
	}
	p.line("  %s", goes(r.IrreversibleCount, "step", "cannot be undone", "cannot be undone"))
	for _, s := range r.Irreversible[:min(len(r.Irreversible), listed)] {
		p.line("    %s  %s: %s", s.MessageID, title(firstOf(s.Summary, s.Tool), 80), plain(s.Reason))
	}
	p.more(r.IrreversibleCount, len(r.Irreversible))
}

// printMove says where a session is now.
func printMove(w io.Writer, r rewound, at remote) error {
	p := &page{w: w}
	var files *clew.FilesReturned
	switch d := r.Data.(type) {
	case *clew.HistoryRewoundData:
		files = d.Files
		if d.Redo {
			p.line("Done: the rewind to %s %s is done again, %s taken back.", side(d.KeepTarget), d.FromMessageID, count(d.RemovedCount, "message"))
		} else {
			p.line("Done: %s taken back.", count(d.RemovedCount, "message"))
		}
	case *clew.RewindUndoneData:
		files = d.Files
		p.line("Done: the rewind %sto %s is undone, %s back.", when(r.undone), d.FromMessageID, count(d.RestoredCount, "message"))
		if n := d.RemovedCount; n > 0 {
			p.line("What was said since, %s, is hidden now.", count(n, "message"))
		}
	case *clew.CheckpointRestoredData:
		files = d.Files
		p.line("Done: the files are those of %s.", short(d.CommitHash))
	default:
		if len(r.Records) == 0 {
			p.line("The session is there already: nothing was changed.")
			return p.err
		}
		p.line("Done.")
	}
	if files != nil {
		p.line("Files: %d written, %d removed.", files.Changed, files.Removed)
		if r.files != nil {
			p.names(r.files.Files, r.files.FilesCount)
		}
		for _, name := range files.Left {
			p.line("  left as it is: %s", plain(name))
		}
	}
	p.next(r, files, at)
	return p.err
}

// next says how to go on, and how to get back.
func (p *page) next(r rewound, files *clew.FilesReturned, at remote) {
	switch r.Event {
	case clew.EventRewindUndone:
		p.line("Do it again: %s", at.line("redo", string(r.SessionID)))
	case clew.EventCheckpointRestored:
		if files != nil && files.Before != "" {
			p.line("Take it back: %s", at.line("checkpoint", "restore", string(r.SessionID), short(files.Before)))
		}
	default:
		p.line("Nothing goes on by itself now: say something, answer what is open, or resume the run.")
		p.line("Take it back: %s", at.line("undo", string(r.SessionID)))
	}
}

// title is a text before a colon.
func title(text string, room int) string { return cut(strings.TrimRight(plain(text), ". "), room) }

func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// goes is count with a verb.
func goes(n int, noun, one, many string) string {
	if n == 1 {
		return count(n, noun) + " " + one
	}
	return count(n, noun) + " " + many
}
