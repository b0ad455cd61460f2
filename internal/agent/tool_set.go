package agent

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"os"
	"runtime"
	"slices"
	"strings"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/llm"
	"github.com/clew-run/clew/internal/project"
	"github.com/clew-run/clew/internal/session"
	"github.com/clew-run/clew/internal/settings"
	"github.com/clew-run/clew/internal/tool"
)

// toolSet is what a worker works with: settings, mode, model and tools, as they are
// at this step.
type toolSet struct {
	values    settings.Values
	mode      settings.Mode
	modes     []settings.Mode
	picked    string // the profile that was picked, and as what; using is it, or one that stands in
	pickedAs  settings.Profile
	using     string
	profile   settings.Profile
	model     Model
	provider  llm.Provider
	tools     map[string]tool.Tool
	workspace *tool.Workspace
	noPlace   error             // why there is no workspace
	later     string            // the workspace's directory, if it is opened only when a tool needs it
	place     string            // what the workspace was opened as
	opened    []*tool.Workspace // all that were opened
	trusted   bool

	prompt  string     // the system prompt
	offered []llm.Tool // the tools as the model sees them
	fixed   int        // tokens of both, as far as can be told

	layer clew.Layer  // of the run that the task works in, "" for none
	own   []tool.Spec // the agent's own tools
	// notebooks are the tools for notebooks, if the mode has them.
	notebooks []tool.Spec
	known     map[string]bool // the tools that a run's todos can use

	skills []project.Skill

	equipped string // the version that all of this is of
}

// equip reads the settings anew for each step: a change holds from the next.
// While nothing has changed, only the workspace is looked at again: anybody may
// have put something there.
func (w *worker) equip(ctx context.Context, v session.View) error {
	version := w.version(v)
	if version != "" && version == w.equipped && w.stands() && w.plain() {
		return w.useModel()
	}
	if version != "" && w.borrow(version, v) {
		return w.useModel()
	}
	w.equipped = ""
	w.values = w.valuesFor(v.Settings)
	w.openPlace(v)
	w.values = w.permitted(v)
	if w.cfg.Trusted != nil && !w.cfg.Trusted(v.Owner) {
		w.values.CommandSandbox = "bwrap"
	}
	var own []settings.Mode
	w.trusted, w.skills = false, nil
	if w.noPlace == nil {
		own = w.trust(v)
	}
	w.modes = settings.Modes(w.values, own)
	name := v.Task.Mode
	if name == "" {
		name = w.values.Mode
	}
	var ok bool
	if w.mode, ok = settings.FindMode(w.modes, name); !ok {
		// A mode that is gone leaves nothing but the agent's own tools: any other
		// mode might allow more than it did.
		w.mode = settings.Mode{
			Slug: name, Name: name, Groups: []string{string(tool.GroupControl)},
			Prompt: "The mode " + name + " that this task was given no longer exists. Tell the user so and ask for another.",
		}
	}
	w.mode = withNotebooks(w.mode, v)
	if err := w.pickModel(v.Task.Profile, v.Task.ParentTaskID != ""); err != nil {
		return err
	}
	w.pickTools(ctx, v)
	w.prompt, w.offered = w.system(ctx, v), w.specs()
	w.fixed = llm.EstimateTokens(nil, w.prompt, w.offered)
	if version != "" && w.noPlace == nil && w.plain() {
		w.equipped = version
		w.lend(version, v)
	}
	return nil
}

// permitted gives the settings with the preset that the session's owner chose for its
// directory, or for the one that its work tree was made from. It stands between the
// server's settings and the session's own.
func (w *worker) permitted(v session.View) settings.Values {
	preset := w.values.PresetFor(v.Owner, w.folder(v))
	if preset == "" {
		preset = w.values.PresetFor(v.Owner, w.madeFrom(v))
	}
	if preset == "" || w.noPlace != nil || w.workspace.Dir != v.Workspace { // a link may lead elsewhere by now
		return w.values
	}
	overlay := map[string]any{"permissions": preset}
	maps.Copy(overlay, v.Settings)
	return w.valuesFor(overlay)
}

// madeFrom is the directory that the session's own work tree was made from, "" if it has
// none.
func (w *worker) madeFrom(v session.View) string {
	if w.cfg.MadeFrom == nil {
		return ""
	}
	return w.cfg.MadeFrom(v.Session)
}

// pickTools finds the tools that the mode and the layer allow.
func (w *worker) pickTools(ctx context.Context, v session.View) {
	w.layer = layerOf(v)
	w.own = w.withSkills(ownTools(w.layer))
	if v.Task.Kind() == clew.AgentEphemeral {
		w.own = append(slices.DeleteFunc(slices.Clone(w.own), func(s tool.Spec) bool { return s.Name == toolDelegate }), handOverSpec)
	}
	w.own = withApps(w.own, v.Apps)
	w.tools, w.known = map[string]tool.Tool{}, map[string]bool{}
	if w.notebooks = nil; w.hasNotebooks() {
		w.notebooks = notebookSpecs
		for _, s := range notebookSpecs {
			w.known[s.Name] = true
		}
	}
	narrow := w.mode
	narrow.Groups = groupsOf(w.layer, w.mode)
	for _, t := range w.cfg.Tools(ctx) {
		spec := t.Spec()
		if w.allowed(spec, w.mode) {
			w.known[spec.Name] = true
		}
		if w.allowed(spec, narrow) {
			w.tools[spec.Name] = t
		}
	}
}

// ownTool finds one of the agent's own tools.
func (k *toolSet) ownTool(name string) (tool.Spec, bool) {
	i := slices.IndexFunc(k.own, func(s tool.Spec) bool { return s.Name == ownName(name) })
	if i < 0 {
		return tool.Spec{}, false
	}
	return k.own[i], true
}

// openPlace opens the workspace, unless it is open and still the same.
func (w *worker) openPlace(v session.View) {
	w.later = ""
	key := v.Workspace + "\x00" + strings.Join(w.values.ExcludePaths, "\x00")
	if w.place == key && w.stands() {
		return
	}
	w.place = key
	if w.workspace, w.noPlace = w.cfg.Workspace(v.Session, v.Owner, v.Workspace, w.values); w.noPlace == nil {
		w.opened = append(w.opened, w.workspace)
	}
}

// stands reports whether the directory is still the one that was opened.
func (w *worker) stands() bool {
	if w.later != "" {
		info, err := os.Stat(w.later)
		return err == nil && info.IsDir()
	}
	if w.workspace == nil || w.noPlace != nil {
		return false
	}
	now, err := os.Stat(w.workspace.Dir)
	if err != nil {
		return false
	}
	then, err := w.workspace.Root.Stat(".")
	return err == nil && os.SameFile(now, then)
}

// closePlaces closes what was opened, once no tool works in it any more.
func (w *worker) closePlaces() {
	for _, ws := range w.opened {
		_ = ws.Root.Close()
	}
}

// version names everything that the kit is made from, "" if that cannot be
// told.
func (w *worker) version(v session.View) string {
	if w.cfg.Version == nil || len(v.Settings) > overlayMax {
		return ""
	}
	return fmt.Sprintf("%d %q %q %q %q %q %q %q %t %q %q %t %t", w.cfg.Version(), overlayKey(v.Settings), v.Task.Mode, v.Task.Kind(), v.Workspace, v.Task.ParentTaskID,
		v.Task.Profile, layerOf(v), v.Run != nil && v.Run.Version > 0, instructionsOf(v), w.surroundings(v), v.Apps, nearNotebook(v))
}

// surroundings is what the prompt tells of the world.
func (w *worker) surroundings(v session.View) string {
	if w.cfg.Surroundings == nil {
		return ""
	}
	return w.cfg.Surroundings(v.Workspace)
}

// instructionsOf names the instructions that the record says the prompt has.
func instructionsOf(v session.View) string {
	if v.Instructions == nil {
		return ""
	}
	return v.Instructions.Blob
}

// plain reports whether the workspace brings nothing along that would have to be
// trusted.
func (w *worker) plain() bool {
	if w.later != "" {
		return settings.SaysNothing(os.DirFS(w.later))
	}
	return settings.SaysNothing(w.workspace.Root.FS())
}

// trust finds out whether a person trusts the workspace as it is now, and then
// gives its modes and has its skills. A work tree is trusted as the directory that it
// was made from, while it says the same: agents may change it. One without a .clew
// folder grants nothing, so flags hold in it; its skills count once it is trusted.
func (w *worker) trust(v session.View) []settings.Mode {
	if w.plain() {
		w.trusted = true
		w.findSkills(v, nil)
		return nil
	}
	fsys := w.workspace.Root.FS()
	place, err := settings.ReadWorkspace(fsys)
	dir := w.workspace.Dir
	if w.apart != "" { // the same files as where they were trusted
		dir = w.shared
	}
	known := err == nil && settings.Trusted(w.values, place.Hash, dir, w.madeFrom(v))
	w.trusted = known || !settings.Grants(fsys)
	if !known {
		w.findSkills(v, nil)
		return nil
	}
	w.findSkills(v, place.Files)
	if place.ModesErr != nil {
		w.cfg.Log.Warn("modes of the workspace", "session", v.Session, "err", place.ModesErr)
	}
	return place.Modes
}

// allowed reports whether the mode has a tool.
func (k *toolSet) allowed(spec tool.Spec, m settings.Mode) bool {
	group := spec.Group
	if spec.Server != "" {
		group = tool.GroupMCP
		if !k.values.McpEnabled {
			return false
		}
	}
	return slices.Contains(m.Groups, string(group))
}

// pickModel takes the task's own profile, or the mode's, or that of subtasks, if there
// is one. The model that the settings name belongs to the profile that they name. The
// echo answers only if nobody asked for a model.
func (w *worker) pickModel(own string, subtask bool) error {
	asked := cmp.Or(own, w.mode.ModelProfile)
	wanted := []string{own, w.mode.ModelProfile}
	if subtask {
		wanted = append(wanted, w.values.ModelSubtasks)
	}
	var p settings.Profile
	var ok bool
	for _, own = range wanted {
		if p, ok = w.values.Profiles[own]; ok && own != "" {
			break
		}
	}
	if !ok || own == "" {
		switch p, ok = w.values.Profiles[w.values.ModelProfile]; {
		case !ok && w.values.ModelProfile != "":
			return clew.Errorf(clew.SettingsInvalid, "there is no model profile %q; choose another with the setting model_profile", w.values.ModelProfile)
		case !ok && asked != "":
			return clew.Errorf(clew.SettingsInvalid, "there is no model profile %q; choose another with the setting model_profile", asked)
		case !ok && w.values.Model != "":
			return clew.Errorf(clew.SettingsInvalid, "the setting model names %q, and no model profile says who serves it; choose one with the setting model_profile", w.values.Model)
		case !ok:
			p = settings.Profile{Provider: "echo"}
		}
		if own = w.values.ModelProfile; w.values.Model != "" {
			p.Model = w.values.Model
		}
	}
	w.picked, w.pickedAs, w.provider = own, p, nil
	return w.useModel()
}

// specs lists the tools for the model, the agent's own among them, in an order
// that never changes: providers cache what stays the same.
func (k *toolSet) specs() []llm.Tool {
	var list []llm.Tool
	for _, t := range k.tools {
		s := t.Spec()
		list = append(list, llm.Tool{Name: s.Name, Description: s.Description, Schema: s.Schema})
	}
	for _, s := range slices.Concat(k.own, k.notebooks) {
		list = append(list, llm.Tool{Name: s.Name, Description: s.Description, Schema: s.Schema})
	}
	slices.SortFunc(list, func(a, b llm.Tool) int { return strings.Compare(a.Name, b.Name) })
	return list
}

// system is the system prompt.
func (w *worker) system(ctx context.Context, v session.View) string {
	k := &w.toolSet
	var b strings.Builder
	if k.layer == "" || k.layer == clew.LayerExecution {
		b.WriteString(strings.TrimSpace(k.mode.Prompt))
		b.WriteString("\n\n" + strings.TrimSpace(houseRules) + "\n")
	}
	if k.layer != "" {
		b.WriteString("\n" + strings.TrimSpace(w.layerPrompt(v)) + "\n")
	}
	fmt.Fprintf(&b, "\nMode: %s. Other modes: %s.\n", k.mode.Slug, strings.Join(others(k.modes, k.mode.Slug), ", "))
	if k.noPlace == nil {
		fmt.Fprintf(&b, "Workspace: %s (%s). Paths are relative to it.\n", k.workspace.Dir, runtime.GOOS)
	} else {
		b.WriteString("There is no workspace: tools that need files will fail.\n")
	}
	b.WriteString(w.instructions(ctx, v))
	b.WriteString(w.skillList())
	if text := w.surroundings(v); text != "" {
		b.WriteString("\n" + text + "\n")
	}
	if v.Task.ParentTaskID != "" && v.Task.TodoID == "" {
		b.WriteString("\nYou work on a subtask. Nobody reads along but the agent that gave it to you. End with attempt_completion; its result is all that agent gets.\n")
	}
	if v.Task.Kind() == clew.AgentWindow {
		b.WriteString("\nYou are the agent of a window that the user has open: <open_windows> shows what your windows have on them. What the user does there comes as <component_action>; answer it by changing your windows, and say in one sentence what you did. You may change the windows of your group only; what you open joins it.\n")
	}
	if v.Task.Kind() == clew.AgentEphemeral {
		b.WriteString("\nAnother agent is at work in this session and knows the conversation; you do not. Answer this one message at once, in few words, and change nothing that the other one may be working on. If you need the conversation, use hand_over.\n")
	}
	if text := strings.TrimSpace(k.values.Instructions); text != "" {
		b.WriteString("\nInstructions of the user:\n" + text + "\n")
	}
	return b.String()
}

func others(modes []settings.Mode, but string) []string {
	var names []string
	for _, m := range modes {
		if m.Slug != but {
			names = append(names, m.Slug)
		}
	}
	return names
}
