package project_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/clew-run/clew/internal/project"
)

func folder(files map[string]string) project.Folder {
	f := project.Folder{Files: map[string][]byte{}}
	for name, text := range files {
		f.Files[name] = []byte(text)
	}
	return f
}

func skill(name, description string) string {
	return fmt.Sprintf("---\nname: %s\ndescription: %q\nlicense: MIT\nx-own: [1]\n---\nDo it well.\n", name, description)
}

func TestSkills(t *testing.T) {
	long := strings.Repeat("a", 65)
	work := folder(map[string]string{
		".clew/skills/pdf/SKILL.md": skill("pdf", "Read PDF files."), ".clew/skills/pdf/ref/forms.md": "Forms.", ".clew/skills/pdf/x.bin": "\xff\x00",
		".claude/skills/pdf/SKILL.md": skill("pdf", "The second."), ".agents/skills/deep/er/SKILL.md": skill("er", "Deeper."),
		".claude/skills/a/b/c/d/e/f/g/SKILL.md": skill("g", "Too deep."), ".claude/skills/Bad/SKILL.md": skill("Bad", "x"),
		".claude/skills/other/SKILL.md": skill("name", "x"), ".claude/skills/a--b/SKILL.md": skill("a--b", "x"), ".claude/skills/" + long + "/SKILL.md": skill(long, "x"),
		".claude/skills/mute/SKILL.md": skill("mute", ""), ".claude/skills/wordy/SKILL.md": skill("wordy", strings.Repeat("x", 1025)),
		".claude/skills/open/SKILL.md": "---\nname: open\n", ".claude/skills/yaml/SKILL.md": "---\nname: [\n---\nx", ".claude/skills/none/README.md": "x",
	})
	home := folder(map[string]string{".agents/skills/pdf/SKILL.md": skill("pdf", "The third."), ".agents/skills/own/SKILL.md": skill("own", "Mine.")})
	home.Label = "~/"
	list, faults := project.Skills(work, home)
	if got, want := project.SkillList(list), "- er: Deeper.\n- own: Mine.\n- pdf: Read PDF files.\n"; got != want {
		t.Errorf("skills:\n%s", got)
	}
	if len(faults) != 8 {
		t.Errorf("faults: %v", faults)
	}
	pdf, _ := project.FindSkill(list, "pdf")
	if text, err := pdf.Text(""); err != nil || text != "Skill pdf (.clew/skills/pdf)\n\nDo it well.\n\nOther files of the skill: ref/forms.md, x.bin" {
		t.Errorf("%q %v", text, err)
	}
	if text, err := pdf.Text("ref/forms.md"); err != nil || text != "Forms." {
		t.Errorf("%q %v", text, err)
	}
	for _, file := range []string{"../../../etc/passwd", "/etc/passwd", "../er/SKILL.md", "../pdf2", "x.bin", "none", "."} {
		if text, err := pdf.Text(file); err == nil {
			t.Errorf("%s gives %q", file, text)
		}
	}
}

func TestTooManySkills(t *testing.T) {
	files := map[string]string{}
	for i := range 300 {
		files[fmt.Sprintf(".clew/skills/s%03d/SKILL.md", i)] = skill(fmt.Sprintf("s%03d", i), strings.Repeat("word ", 100))
	}
	list, _ := project.Skills(folder(files))
	if text := project.SkillList(list); len(list) != 100 || len(text) > 8100 || !strings.Contains(text, "more, for which there is no room") {
		t.Errorf("%d skills in %d bytes", len(list), len(text))
	}
}

func TestCommands(t *testing.T) {
	list, faults := project.Commands(folder(map[string]string{
		".clew/commands/review.md": "---\ndescription: Review it\nargument-hint: [file] [depth]\nmode: ask\n---\nReview $1 with $2.", ".claude/commands/review.md": "The second.",
		".claude/commands/git/commit.md": "# Commit\nWrite a message.", ".clew/commands/empty.md": "---\ndescription: x\n---\n", ".clew/commands/a b.md": "x", ".clew/commands/x.txt": "x",
	}), folder(map[string]string{"commands/mine.md": "All: $ARGUMENTS. And $1!"}))
	var names []string
	for _, c := range list {
		names = append(names, c.Name)
	}
	if !slices.Equal(names, []string{"git:commit", "mine", "review"}) || len(faults) != 2 {
		t.Fatalf("%q %v", names, faults)
	}
	if c := list[0]; c.Description != "Commit" {
		t.Errorf("%+v", c)
	}
	if c := list[2]; c.Description != "Review it" || c.Mode != "ask" || c.ArgumentHint == "" {
		t.Errorf("%+v", c)
	}
	for _, c := range []struct {
		command   int
		arguments string
		want      string
	}{
		{0, "", "# Commit\nWrite a message."},
		{0, "now $1 !`rm -rf /`", "# Commit\nWrite a message.\n\nnow $1 !`rm -rf /`"},
		{2, "", "Review  with ."},
		{2, "a.go", "Review a.go with ."},
		{2, `"a b.go" great care and "love"`, `Review a b.go with great care and "love".`},
		{2, `a\ b 'c d'`, "Review a b with c d."},
		{2, "$2 $1", "Review $2 with $1."},
		{1, "x  y", "All: x  y. And x  y!"},
		{1, "$ARGUMENTS", "All: $ARGUMENTS. And $ARGUMENTS!"},
	} {
		if got := list[c.command].Expand(c.arguments); got != c.want {
			t.Errorf("%s %s: %q", list[c.command].Name, c.arguments, got)
		}
	}
}

func TestCalled(t *testing.T) {
	for text, want := range map[string]string{
		"/review a b": "review|a b", "/git:commit": "git:commit|", "/a\nb": "a|b", "/etc/hosts is wrong": "", "hello /review": "", "/": "", "/ x": "", "//x": "", " /review": "",
	} {
		name, arguments, ok := project.Called(text)
		if got := name + "|" + arguments; ok && got != want || ok != (want != "") {
			t.Errorf("%q is %q", text, got)
		}
	}
}
