package history

import (
	"context"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/client"
	"github.com/clew-run/clew/internal/cli/env"
	"github.com/clew-run/clew/internal/term"
)

var (
	fromEnd = regexp.MustCompile(`^-[0-9]+$`)
)

// WithoutDashes lets numbers that count from the end pass as arguments: -3 would
// be read as a flag.
func WithoutDashes(args []string) []string {
	out := slices.Clone(args)
	for i, arg := range out {
		if i > 0 && (out[0] == "rewind" || out[0] == "fork") && fromEnd.MatchString(arg) && !strings.HasPrefix(out[i-1], "--") {
			out[i] = "#" + arg
		}
	}
	return out
}

// howNamed says how a message is named, in the help of commands.
const howNamed = "MESSAGE is the id of a message, its number, or -1 for what a person said or answered\n" +
	"last, -2 for what came before that. A time, such as 14:30 or '2026-01-31 14:30:00', is the first\n" +
	"message since then. A number needs SESSION before it: it could be one itself."

// MessageID reads how a person names a message: by its id, by its number in the
// transcript, by a number that counts back over what people said and answered, or by a time.
// Whatever it was, the id is what counts from here on: numbers move.
func MessageID(ctx context.Context, c *env.Rest, id clew.SessionID, message string) (clew.MessageID, error) {
	m := env.Number.FindStringSubmatch(message)
	if m == nil {
		if at, ok := env.TimeOf(message, time.Now()); ok {
			return Since(ctx, c, id, at)
		}
		name := clew.MessageID(message)
		if _, err := name.Seq(); err != nil {
			return "", env.Usagef("%q is not a message: give its id, its number, a time, or -1 for what a person said or answered last", message)
		}
		return name, nil
	}
	n, err := strconv.Atoi(m[1])
	if err != nil {
		return "", env.Usagef("%q is not the number of a message", message)
	}
	if n >= 0 {
		return byNumber(ctx, c, id, n)
	}
	places, err := c.API().Places(ctx, id)
	if err != nil {
		return "", err
	}
	list := slices.DeleteFunc(places, func(p client.Place) bool { return !isNumbered(p) })
	if len(list) < -n {
		return "", clew.Errorf(clew.MessageNotFound, "people said and answered %s in this session, so there is no %d", term.Count(len(list), "thing"), n)
	}
	return list[len(list)+n].MessageID, nil
}

func byNumber(ctx context.Context, c *env.Rest, id clew.SessionID, n int) (clew.MessageID, error) {
	page, err := c.API().Messages(ctx, id, client.PageOf{Limit: 1})
	if err == nil && n < page.Total {
		page, err = c.API().Messages(ctx, id, client.PageOf{Limit: 1, Offset: page.Total - 1 - n})
	}
	switch {
	case err != nil:
		return "", err
	case n >= page.Total || len(page.Messages) == 0:
		return "", clew.Errorf(clew.MessageNotFound, "there is no message %d: the session has %s", n, term.Count(page.Total, "message"))
	}
	return page.Messages[0].MessageID, nil
}

// Since gives the first message that is not older than a time.
func Since(ctx context.Context, c *env.Rest, id clew.SessionID, at time.Time) (clew.MessageID, error) {
	var first clew.MessageID
	for read := (client.PageOf{Limit: pageSize}); ; read.Offset += pageSize {
		page, err := c.API().Messages(ctx, id, read)
		if err != nil {
			return "", err
		}
		for _, m := range slices.Backward(page.Messages) {
			if m.TS < at.UnixMilli() {
				return sinceOr(first, at)
			}
			first = m.MessageID
		}
		if read.Offset+len(page.Messages) >= page.Total || len(page.Messages) == 0 {
			return sinceOr(first, at)
		}
	}
}

func sinceOr(first clew.MessageID, at time.Time) (clew.MessageID, error) {
	if first == "" {
		return "", clew.Errorf(clew.MessageNotFound, "there is no message since %s", at.Format(time.DateTime))
	}
	return first, nil
}

// A choice is something that a person said, and to which one can go back.
type choice struct {
	Index     int            `json:"index"`
	MessageID clew.MessageID `json:"message_id"`
	TS        int64          `json:"ts"`
	Text      string         `json:"text"`
}

// pageSize is how many messages are read at a time to find those of people.
const pageSize = 500

// spoken gives the last things that people said, want at most, in order, and how
// many messages there are in all.
func spoken(ctx context.Context, c *env.Rest, id clew.SessionID, want int) (list []choice, total int, err error) {
	list = []choice{}
	for read := (client.PageOf{Limit: pageSize}); ; {
		page, err := c.API().Messages(ctx, id, read)
		if err != nil {
			return nil, 0, err
		}
		seen := read.Offset
		for i := len(page.Messages) - 1; i >= 0 && len(list) < want; i-- {
			seen++
			if m := page.Messages[i]; m.Role == clew.SpeakerUser && m.AgentID == "" && m.Text != "" {
				list = append(list, choice{page.Total - seen, m.MessageID, m.TS, m.Text})
			}
		}
		read.Offset += len(page.Messages)
		if len(list) == want || len(page.Messages) == 0 || read.Offset >= page.Total {
			slices.Reverse(list)
			return list, page.Total, nil
		}
	}
}

// targetsShown is how many places a person can choose from.
const targetsShown = 20

// listTargets prints the places that a person would go back to.
func listTargets(ctx context.Context, a *env.App, c *env.Rest, id clew.SessionID) error {
	said, total, err := spoken(ctx, c, id, targetsShown)
	if err != nil {
		return err
	}
	places, err := c.API().Places(ctx, id)
	if err != nil {
		return err
	}
	answer := map[string]any{"session_id": id, "places": places, "messages": said, "total": total}
	return a.Print(answer, func(w io.Writer) error {
		width, person := env.Columns(w)
		if !person {
			width = 100
		}
		return PrintTargets(w, places, width, time.Now(), c.Line("rewind", string(id), "-1"))
	})
}

// PrintTargets writes a line for each place. What people said and answered has a
// number that counts from the end; what is open is named by its id.
func PrintTargets(w io.Writer, places []client.Place, width int, now time.Time, line string) error {
	p := &env.Page{W: w}
	if len(places) == 0 {
		p.Line("Nobody has said anything yet.")
		return p.Err
	}
	behind := 0 // things said and answered from here to the end
	for _, at := range places {
		if isNumbered(at) {
			behind++
		}
	}
	if older := len(places) - targetsShown; older > 0 {
		p.Line("… %d older", older)
	}
	for i, at := range places {
		number := ""
		if isNumbered(at) {
			number = strconv.Itoa(-behind)
			behind--
		}
		if i < len(places)-targetsShown {
			continue
		}
		text := fmt.Sprintf("%4s  %s  %-12s %-8s  ", number, at.MessageID, term.Ago(time.UnixMilli(at.TS), now), placeWords[at.Kind])
		p.Line("%s", strings.TrimRight(text+env.Cut(env.FirstOf(env.Plain(at.Text), "(a picture)"), max(20, width-term.Width(text))), " "))
	}
	p.Line("Go back to before one of them, by number or id; what changes is shown first:")
	p.Line("  %s", line)
	return p.Err
}

var placeWords = map[client.PlaceKind]string{client.PlaceSaid: "said", client.PlaceQuestion: "asked", client.PlaceAnswer: "answered"}

// isNumbered reports whether a place counts for the numbers from the end.
func isNumbered(p client.Place) bool {
	return p.Kind == client.PlaceSaid || p.Kind == client.PlaceAnswer
}
