package project

import (
	"errors"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// SkillFolders are where skills lie, in a workspace and in a person's home. Of two
// with the same name the first counts.
var SkillFolders = []string{".clew/skills", ".agents/skills", ".claude/skills"}

// The limits of skills.
const (
	skillFile     = "SKILL.md"
	skillDepth    = 6
	maxSkills     = 100
	maxSkillsText = 8000 // runes of the list in a prompt
	maxSkillText  = 32 << 10
)

// A Skill is a directory with a SKILL.md, as agentskills.io describes it. A model
// sees its name and description, and asks for the rest when it needs it.
type Skill struct {
	Name        string
	Description string
	Path        string // of its directory
	body        string
	dir         string
	folder      Folder
}

var skillName = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)

// Skills finds the skills of folders, and what is wrong with those that are left
// out.
func Skills(folders ...Folder) (list []Skill, faults []Fault) {
	known := map[string]bool{}
	for _, f := range folders {
		for _, dir := range SkillFolders {
			for _, name := range f.under(dir) {
				if path.Base(name) != skillFile || depth(dir, name) > skillDepth {
					continue
				}
				s, err := readSkill(f, name)
				if err != nil {
					faults = append(faults, Fault{f.Label + name, err.Error()})
				} else if !known[s.Name] && len(list) < maxSkills {
					known[s.Name] = true
					list = append(list, s)
				}
			}
		}
	}
	slices.SortFunc(list, func(a, b Skill) int { return strings.Compare(a.Name, b.Name) })
	return list, faults
}

func readSkill(f Folder, name string) (Skill, error) {
	var head struct {
		Name          string `yaml:"name"`
		Description   string `yaml:"description"`
		Compatibility string `yaml:"compatibility"`
	}
	body, err := frontMatter(f.Files[name], &head)
	if err != nil {
		return Skill{}, err
	}
	dir := path.Dir(name)
	description := strings.Join(strings.Fields(head.Description), " ")
	switch {
	case head.Name == "":
		return Skill{}, errors.New("it has no name")
	case len(head.Name) > 64 || !skillName.MatchString(head.Name):
		return Skill{}, fmt.Errorf("the name %q is not 1 to 64 of a-z, 0-9 and single -", head.Name)
	case head.Name != path.Base(dir):
		return Skill{}, fmt.Errorf("the name %q is not that of its directory, %s", head.Name, path.Base(dir))
	case description == "":
		return Skill{}, errors.New("it has no description")
	case utf8.RuneCountInString(description) > 1024:
		return Skill{}, errors.New("the description is longer than 1024 characters")
	case utf8.RuneCountInString(head.Compatibility) > 500:
		return Skill{}, errors.New("compatibility is longer than 500 characters")
	}
	return Skill{Name: head.Name, Description: description, Path: f.Label + dir, body: strings.TrimSpace(body), dir: dir, folder: f}, nil
}

// FindSkill looks a skill up by its name.
func FindSkill(list []Skill, name string) (Skill, bool) {
	i := slices.IndexFunc(list, func(s Skill) bool { return s.Name == name })
	if i < 0 {
		return Skill{}, false
	}
	return list[i], true
}

// SkillList is the list of skills for a prompt, "" without any.
func SkillList(list []Skill) string {
	var b strings.Builder
	for i, s := range list {
		line := fmt.Sprintf("- %s: %s\n", s.Name, s.Description)
		if utf8.RuneCountInString(b.String())+utf8.RuneCountInString(line) > maxSkillsText {
			fmt.Fprintf(&b, "- and %d more, for which there is no room here\n", len(list)-i)
			break
		}
		b.WriteString(line)
	}
	return b.String()
}

// Text is what a skill says, or a file of its directory.
func (s Skill) Text(file string) (string, error) {
	if file == "" || file == skillFile {
		text := fmt.Sprintf("Skill %s (%s)\n\n%s", s.Name, s.Path, cutText(s.body, s.Path+"/"+skillFile))
		if others := s.others(); len(others) > 0 {
			text += "\n\nOther files of the skill: " + strings.Join(others, ", ")
		}
		return text, nil
	}
	data, ok := s.folder.Files[path.Join(s.dir, file)]
	if !ok || !strings.HasPrefix(path.Join(s.dir, file), s.dir+"/") {
		return "", fmt.Errorf("the skill %s has no file %q; it has %s", s.Name, file, strings.Join(append([]string{skillFile}, s.others()...), ", "))
	}
	if !utf8.Valid(data) {
		return "", fmt.Errorf("%s is not text", file)
	}
	return cutText(string(data), file), nil
}

// others lists the files of the skill beside its own, at most 50.
func (s Skill) others() (list []string) {
	for _, name := range s.folder.under(s.dir) {
		if rest := strings.TrimPrefix(name, s.dir+"/"); rest != skillFile && len(list) < 50 {
			list = append(list, rest)
		}
	}
	return list
}

func cutText(text, name string) string {
	short, cut := clip(text, maxSkillText)
	if !cut {
		return text
	}
	return short + fmt.Sprintf("[cut: %d KiB more in %s]", (len(text)-len(short)+1023)>>10, name)
}
