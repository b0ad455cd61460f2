package agent

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/project"
	"github.com/clew-run/clew/internal/session"
	"github.com/clew-run/clew/internal/session/core"
	"github.com/clew-run/clew/internal/session/decide"
	"github.com/clew-run/clew/internal/tool"
	"github.com/clew-run/clew/internal/tool/summary"
)

// toolSkill is one of the agent's own: it reads what was read and trusted before, so
// nobody has to allow it.
const toolSkill = "skill"

var skillSpec = control(toolSkill, "Load a skill from the list of skills: what it says, or one of its files.",
	`{"type":"object","properties":{"name":{"type":"string"},"file":{"type":"string","description":"a file of the skill, as its text names it; the skill's own text if absent"}},"required":["name"],"additionalProperties":false}`)

// findSkills has the skills of a trusted workspace, nil for none, and of the person
// who runs the server, in sessions of that person.
func (w *worker) findSkills(v session.View, trusted map[string][]byte) {
	var folders []project.Folder
	if trusted != nil {
		folders = append(folders, project.Folder{Files: trusted})
	}
	if w.cfg.Personal != nil && (w.cfg.Trusted == nil || w.cfg.Trusted(v.Owner)) {
		folders = append(folders, w.cfg.Personal())
	}
	w.skills, _ = project.Skills(folders...)
}

// withSkills adds the tool to a layer's own, where work is done and skills are there.
func (w *worker) withSkills(own []tool.Spec) []tool.Spec {
	if len(w.skills) == 0 || w.layer != "" && w.layer != clew.LayerExecution {
		return own
	}
	return append(slices.Clone(own), skillSpec)
}

// skillList is the part of the prompt that names the skills.
func (w *worker) skillList() string {
	if _, ok := w.ownTool(toolSkill); !ok {
		return ""
	}
	return "\nSkills. Before work that one is about, load it with the tool skill:\n" + visible(project.SkillList(w.skills))
}

// useSkill gives the model what a skill says.
func (w *worker) useSkill(c core.Call) error {
	var in struct {
		Name string `json:"name"`
		File string `json:"file"`
	}
	if err := json.Unmarshal(c.Input, &in); err != nil {
		return w.wrong(c, "the input does not fit: "+err.Error())
	}
	s, ok := project.FindSkill(w.skills, in.Name)
	if !ok {
		return w.wrong(c, fmt.Sprintf("there is no skill %q", in.Name))
	}
	text, err := s.Text(in.File)
	if err != nil {
		return w.wrong(c, err.Error())
	}
	text = visible(text)
	_, err = w.desk.Do(decide.AnswerCall{Call: c, Text: text, Summary: summary.Output(text)})
	return ignoreTurnOver(err)
}
