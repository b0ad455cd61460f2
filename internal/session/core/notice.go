package core

import (
	"slices"
	"unicode/utf8"

	"github.com/clew-run/clew"
)

// What notices are bounded by.
const (
	NoticesMax    = 5
	NoticeTextMax = 300 // characters
)

// CheckNotice says in words for a model why there cannot be such a notice.
func CheckNotice(p clew.NoticeParams) error {
	switch {
	case !ValidWindowID(p.NoticeID):
		return clew.Errorf(clew.SessionInvalidState, "notice_id has 1 to %d letters, digits, _ and -", WindowIDMax)
	case p.Text == "":
		return clew.Errorf(clew.SessionInvalidState, "a notice has a text")
	case utf8.RuneCountInString(p.Text) > NoticeTextMax:
		return clew.Errorf(clew.SessionInvalidState, "the text of a notice has at most %d characters", NoticeTextMax)
	case utf8.RuneCountInString(p.Title) > WindowTitleMax:
		return clew.Errorf(clew.SessionInvalidState, "a title has at most %d characters", WindowTitleMax)
	}
	return nil
}

// applyNotice puts a notice, or a toast, behind the others, or in the place of the one of its name. Of
// more than can wait, the oldest gives way.
func applyNotice(s *State, d *clew.ActionsData, a clew.Action) {
	p, ok := a.NoticeParams()
	if id, named := a.Params["toast_id"].(string); named && a.Type == clew.ActionToastShow {
		p.NoticeID = id
	}
	if !ok || CheckNotice(p) != nil {
		return
	}
	n := clew.NoticeState{NoticeID: p.NoticeID, Title: p.Title, Text: p.Text, AgentID: d.AgentID, TS: s.TS}
	list := append(noticesBut(s.Notices, n.NoticeID), n)
	s.Notices = list[max(0, len(list)-NoticesMax):]
}

// applyDismissed takes a notice away.
func applyDismissed(s *State, d *clew.ToastDismissedData) {
	s.Notices = noticesBut(s.Notices, d.ToastID)
}

func noticesBut(list []clew.NoticeState, id string) []clew.NoticeState {
	return slices.DeleteFunc(slices.Clone(list), func(n clew.NoticeState) bool { return n.NoticeID == id })
}
