package tui

import (
	"cmp"
	"context"
	"net/http"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/term"
	"github.com/clew-run/clew/internal/tui/paint"
)

// models chooses the model of this session.
type models struct {
	list
	filter  editor
	all     []modelEntry
	loaded  bool
	problem string
}

// A modelEntry is a profile's model, or another one that the profile could use.
type modelEntry struct {
	Profile  string `json:"profile"`
	InUse    bool   `json:"in_use"`
	Provider string `json:"provider"`
	Name     string `json:"model"`
	Usable   bool   `json:"usable"`
	Local    bool   `json:"local"`
	own      bool   // the profile's own model
}

func newModels(filter string) *models {
	o := &models{filter: editor{term.Editor{Single: true}}}
	o.filter.Set(filter)
	return o
}

func (o *models) start(m *model) tea.Cmd {
	api := m.api
	return m.run(func(ctx context.Context) func(*model) tea.Cmd {
		var answer struct {
			Models []modelEntry `json:"models"`
		}
		err := api.Call(ctx, http.MethodGet, "/models", nil, nil, &answer)
		return func(*model) tea.Cmd {
			o.loaded, o.all = true, usableModels(answer.Models)
			if err != nil {
				o.problem = clew.AsError(err).Message
			}
			return nil
		}
	})
}

// usableModels are those that can be chosen now: of profiles, and of the catalogue where
// a profile has the provider's name.
func usableModels(all []modelEntry) (list []modelEntry) {
	profiles := map[string]modelEntry{}
	for _, e := range all {
		if e.Profile != "" {
			profiles[e.Profile] = e
		}
	}
	for _, e := range all {
		carrier, there := profiles[e.Provider]
		switch {
		case !e.Usable:
		case e.Profile != "":
			e.own = true
			list = append(list, e)
		case there && carrier.Provider == e.Provider && !carrier.Local && carrier.Name != e.Name:
			e.Profile = e.Provider
			list = append(list, e)
		}
	}
	return list
}

// found are those whose profile or name has what is typed.
func (o *models) found() (list []modelEntry) {
	for _, e := range o.all {
		if strings.Contains(strings.ToLower(e.Profile+"/"+e.Name), strings.ToLower(o.filter.String())) {
			list = append(list, e)
		}
	}
	return list
}

func (o *models) keys(*model) []string {
	return []string{"enter", "uses it here", "esc", "back", "↑↓", "choose", "type", "filters"}
}

func (o *models) paste(_ *model, text string) tea.Cmd {
	o.filter.Insert(text)
	o.chosen = 0
	return nil
}

func (o *models) press(m *model, k tea.KeyPressMsg) tea.Cmd {
	found := o.found()
	switch key := k.String(); {
	case key == "esc":
		m.overlay = nil
	case key == "enter" && o.chosen < len(found):
		return o.use(m, found[o.chosen])
	case key == "enter", o.key(key, len(found), 10):
	case o.filter.key(k):
		o.chosen = 0
	}
	return nil
}

// use has this session use a model, from the next call on.
func (o *models) use(m *model, e modelEntry) tea.Cmd {
	m.overlay = nil
	set := map[string]any{"model_profile": e.Profile, "model": nil}
	if !e.own {
		set["model"] = e.Name
	}
	return m.command(clew.CommandUpdateSettings, clew.UpdateSettingsData{Settings: set}, func(m *model) tea.Cmd {
		m.tell(paint.Soft, "this session uses "+cmp.Or(e.Name, e.Profile)+" now")
		return nil
	})
}

func (o *models) draw(_ *model, width, height int) []paint.Line {
	lines := title("Model for this session")
	lines = append(lines, paint.L(paint.S(paint.Soft, " › "), paint.S(paint.Plain, o.filter.String())))
	found := o.found()
	switch {
	case o.problem != "":
		return append(lines, said(paint.Fail, o.problem, width)...)
	case !o.loaded:
		return append(lines, paint.L(paint.S(paint.Past, "   …")))
	case len(o.all) == 0:
		return append(lines, said(paint.Soft, "No model is set up. At the shell: clew login", width)...)
	case len(found) == 0:
		return append(lines, said(paint.Soft, "No model has that in its name.", width)...)
	}
	return append(lines, o.window(len(found), height-len(lines), 1, func(i int, chosen bool) []paint.Line {
		e := found[i]
		note := ""
		if e.InUse {
			note = "default "
		}
		left := paint.L(pointer(chosen), paint.B(paint.Plain, pad(e.Profile, 14)), paint.S(paint.Soft, " "+e.Name))
		return []paint.Line{paint.Between(left, paint.L(paint.S(paint.Past, note)), width).Cut(width)}
	})...)
}
