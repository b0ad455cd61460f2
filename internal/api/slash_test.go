package api_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/api"
	"github.com/clew-run/clew/internal/project"
)

type words struct{ workspace string }

func (w *words) folder() project.Folder {
	return project.Folder{Files: map[string][]byte{
		".clew/commands/review.md":  []byte("---\ndescription: Review it\nargument-hint: FILE\nmode: ask\n---\nReview $1."),
		".clew/skills/pdf/SKILL.md": []byte("---\nname: pdf\ndescription: Read PDF files\n---\nx"),
	}}
}

func (w *words) Commands(_ clew.SessionID, _ clew.UserID, workspace string) []project.Command {
	w.workspace = workspace
	list, _ := project.Commands(w.folder())
	return list
}

func (w *words) Skills(clew.SessionID, clew.UserID, string) []project.Skill {
	list, _ := project.Skills(w.folder())
	return list
}

func TestSlashCommands(t *testing.T) {
	own := &words{}
	b := newBench(t, func(o *api.Options) { o.Words = own })
	b.sessions.owner["s1"] = "owner"
	const at = "/api/v1/sessions/s1/slash-commands"
	a := b.call(ownerToken, "GET", at, "").is(http.StatusOK, "")
	if want := `{"commands":[{"name":"review","description":"Review it","argument_hint":"FILE","path":".clew/commands/review.md"}],"skills":[{"name":"pdf","description":"Read PDF files","path":".clew/skills/pdf"}]}`; strings.TrimSpace(a.raw) != want || own.workspace != "/w" {
		t.Error(a.raw)
	}
	a = b.call(ownerToken, "POST", at, `{"text":"/review a.go"}`).is(http.StatusOK, "")
	if want := `{"name":"review","text":"Review a.go.","mode":"ask"}`; strings.TrimSpace(a.raw) != want {
		t.Error(a.raw)
	}
	a = b.call(ownerToken, "POST", at, `{"text":"/reviw a.go"}`).is(http.StatusUnprocessableEntity, clew.InvalidMessage)
	if !strings.Contains(a.raw, "Did you mean /review?") {
		t.Error(a.raw)
	}
	b.call(ownerToken, "POST", at, `{"text":"hello"}`).is(http.StatusUnprocessableEntity, clew.InvalidMessage)
	b.call(b.key("stranger", clew.RoleOwner), "GET", at, "").is(http.StatusNotFound, clew.SessionNotFound)
}
