package env

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/client"
)

// LastUsed stands for the session of this directory that was used last where one
// is named, and so does nothing at all.
const LastUsed = "-"

// LeastPrefix is how much of an id a person has to give.
const LeastPrefix = 4

// sessionPrefix begins the ids that servers make; it need not be typed.
const sessionPrefix = "sess_"

// drawnID is how many hex digits an id that was drawn at random has at least.
const drawnID = 24

// shortID is as much of such an id as people need to tell sessions apart.
const shortID = len(sessionPrefix) + 8

// HowSession says how a session is named, in the help of commands.
const HowSession = "SESSION is its id, or how that begins: 4 characters or more, with or without sess_. - or nothing is the one of this directory that was used last."

// SessionNamed connects, and finds the session that a person named. It says which
// one that is, unless the whole id was given.
func (a *App) SessionNamed(ctx context.Context, name string, r Remote) (client.Session, *Rest, error) {
	if err := CheckName(name); err != nil {
		return client.Session{}, nil, err
	}
	c, err := a.Connect(r)
	if err != nil {
		return client.Session{}, nil, err
	}
	s, err := c.Session(ctx, name)
	if err == nil && string(s.ID) != name {
		a.nameSession(s)
	}
	return s, c, err
}

// SessionChanged is sessionNamed for a command that changes the session. It always
// says first which one that is.
func (a *App) SessionChanged(ctx context.Context, name string, r Remote) (clew.SessionID, *Rest, error) {
	s, c, err := a.SessionNamed(ctx, name, r)
	if err == nil && string(s.ID) == name {
		a.nameSession(s)
	}
	return s.ID, c, err
}

// nameSession tells a person which session it is about. Programs have it in the
// result.
func (a *App) nameSession(s client.Session) {
	if !a.JSON {
		_, _ = fmt.Fprintf(a.Err, "Session %s  %s\n", s.ID, Cut(Plain(s.Title), 60))
	}
}

// CheckName refuses what cannot be the id of a session.
func CheckName(name string) error {
	if name != "" && !clew.SessionID(name).Valid() {
		return Usagef("%q is not a session id", name)
	}
	return nil
}

// Session finds the session that a person named: the one used last, or by its id or how
// that begins.
func (c *Rest) Session(ctx context.Context, name string) (client.Session, error) {
	if name == "" || name == LastUsed {
		return c.newest(ctx)
	}
	if err := CheckName(name); err != nil {
		return client.Session{}, err
	}
	s, err := c.API().GetSession(ctx, clew.SessionID(name))
	if clew.CodeOf(err) != clew.SessionNotFound {
		return s, err
	}
	if len(name) < LeastPrefix {
		return s, clew.Errorf(clew.SessionNotFound, "there is no session %s; give at least %d characters of its id: %s lists them", name, LeastPrefix, c.Line("ls")).Advised()
	}
	list, err := c.beginning(ctx, name)
	switch {
	case err != nil:
		return s, err
	case len(list) == 0:
		return s, clew.Errorf(clew.SessionNotFound, "there is no session %s: %s lists those that there are", name, c.Line("ls")).Advised()
	case len(list) > 1:
		return s, &UsageError{&ambiguousError{name, list}}
	}
	return list[0], nil
}

// newest is the session of this directory that a person used last. What agents do by
// themselves does not make a session the newest, and a session that works elsewhere
// is never meant. On a server that does not see this machine's files, directories say
// nothing: there it is the one that was used last of all.
func (c *Rest) newest(ctx context.Context) (client.Session, error) {
	if !c.SeesFiles() {
		s, found, err := c.lastUsed(ctx, "")
		if err == nil && !found {
			err = clew.Errorf(clew.SessionNotFound, "there is no session yet: %s starts one", c.Line("run", "…")).Advised()
		}
		return s, err
	}
	here, err := os.Getwd()
	if err != nil {
		return client.Session{}, err
	}
	names := []string{here}
	if real, err := filepath.EvalSymlinks(here); err == nil && real != here {
		names = append(names, real)
	}
	var best client.Session
	for _, dir := range append(names, c.worktreesOf(ctx, names)...) {
		s, found, err := c.lastUsed(ctx, dir)
		if err != nil {
			return s, err
		}
		if found && (best.ID == "" || used(s) > used(best)) {
			best = s
		}
	}
	if best.ID != "" {
		return best, nil
	}
	s, found, err := c.lastUsed(ctx, "")
	switch {
	case err != nil:
		return s, err
	case !found:
		return s, clew.Errorf(clew.SessionNotFound, "there is no session yet: %s starts one", c.Line("run", "…")).Advised()
	}
	return client.Session{}, clew.Errorf(clew.SessionNotFound, "no session works in this directory; the last one used elsewhere is %s, %s, in %s",
		Shorten(s.ID), "\""+Cut(Plain(s.Title), 60)+"\"", Plain(s.Workspace)).Advised()
}

// worktreesOf lists the workspaces of sessions that were started in a directory and
// work in a work tree of their own. Who may not list them has none.
func (c *Rest) worktreesOf(ctx context.Context, names []string) (dirs []string) {
	list, err := c.API().Worktrees(ctx, false)
	if err != nil {
		return nil
	}
	for _, w := range list {
		if slices.Contains(names, filepath.Join(w.Repository, w.Below)) {
			dirs = append(dirs, filepath.Join(w.Dir, w.Below))
		}
	}
	return dirs
}

// lastUsed finds the session in a directory, or anywhere, that a person used last.
// Lists are in order of any activity, which is never earlier than a person's: the
// search ends where that is older than what was found.
func (c *Rest) lastUsed(ctx context.Context, dir string) (best client.Session, found bool, err error) {
	for cursor, n := "", 0; n < prefixPages; n++ {
		page, err := c.API().SessionsIn(ctx, dir, cursor, 50)
		if err != nil {
			return best, false, err
		}
		for _, s := range page.Sessions {
			if found && s.UpdatedMS < used(best) {
				return best, true, nil
			}
			if !found || used(s) > used(best) {
				best, found = s, true
			}
		}
		if cursor = page.Next; cursor == "" {
			break
		}
	}
	return best, found, nil
}

// used is when a person used a session last, as far as its line says it.
func used(s client.Session) int64 {
	if s.LastUsedMS > 0 {
		return s.LastUsedMS
	}
	return s.UpdatedMS
}

// prefixPages is how far the sessions are searched for one whose id begins so; the
// server has picked those that have it somewhere in their ids or titles.
const prefixPages = 20

func (c *Rest) beginning(ctx context.Context, name string) (list []client.Session, err error) {
	for cursor, n := "", 0; n < prefixPages; n++ {
		page, err := c.API().ListSessions(ctx, name, cursor, 200)
		if err != nil {
			return nil, err
		}
		for _, s := range page.Sessions {
			if id := string(s.ID); strings.HasPrefix(id, name) || strings.HasPrefix(id, sessionPrefix+name) {
				list = append(list, s)
			}
		}
		if cursor = page.Next; cursor == "" {
			break
		}
	}
	return list, nil
}

// An ambiguousError says that the beginning of an id fits more than one session.
type ambiguousError struct {
	name string
	list []client.Session
}

func (e *ambiguousError) Error() string {
	return fmt.Sprintf("%s is how %d sessions begin: give more of the id", e.name, len(e.list))
}

// candidatesShown is how many a person is shown.
const candidatesShown = 8

// write shows the sessions that it could be.
func (e *ambiguousError) write(w io.Writer) {
	for _, s := range e.list[:min(len(e.list), candidatesShown)] {
		_, _ = fmt.Fprintf(w, "  %s  %s\n", s.ID, Cut(Plain(s.Title), max(20, 76-len(s.ID))))
	}
	if more := len(e.list) - candidatesShown; more > 0 {
		_, _ = fmt.Fprintf(w, "  … and %d more: clew ls lists them\n", more)
	}
}

// ids are those that it could be, for programs.
func (e *ambiguousError) ids() string {
	list := make([]string, len(e.list))
	for i, s := range e.list {
		list[i] = string(s.ID)
	}
	return strings.Join(list, ", ")
}

// Shorten gives as much of an id as tells sessions apart.
func Shorten(id clew.SessionID) string {
	hex, ok := strings.CutPrefix(string(id), sessionPrefix)
	if ok && len(hex) >= drawnID && strings.Trim(hex, "0123456789abcdef") == "" {
		return string(id[:shortID])
	}
	return string(id)
}

// Argument gives the argument at a place, "" if there are not so many.
func Argument(args []string, at int) string {
	if at < len(args) {
		return args[at]
	}
	return ""
}

// SessionAndMessage reads [SESSION] [MESSAGE]: a message alone is one of the newest
// session. Digits alone could be either: then the session must be named.
func SessionAndMessage(command string, args []string) (session, message string, err error) {
	if len(args) != 1 {
		return Argument(args, 0), Argument(args, 1), nil
	}
	word := args[0]
	switch {
	case digits.MatchString(word):
		return "", "", Usagef("%s may be a message or a session: name the session too. clew %s - %s is message %s of the newest; %s%s is a session",
			word, command, word, word, sessionPrefix, word)
	case namesMessage(word):
		return "", word, nil
	}
	return word, "", nil
}
