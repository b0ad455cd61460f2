package clew

import "encoding/json"

// The Check methods hold the rules that a field's type alone cannot say. They
// return the place and what is wrong with it, in words for the sender.

const maxPage = 1000

func invalid(format string, args ...any) error { return Errorf(InvalidMessage, format, args...) }

// Check needs credentials of either kind.
func (d *AuthData) Check() error {
	if d.Token == "" && d.APIKey == "" {
		return invalid("data.token is missing")
	}
	return nil
}

// Check keeps pages in bounds.
func (d *GetMessagesData) Check() error {
	switch {
	case d.Limit < 0 || d.Limit > maxPage:
		return invalid("data.limit must be 0 to %d", maxPage)
	case d.Offset < 0:
		return invalid("data.offset must not be negative")
	case d.Offset > 0 && d.Before != "":
		return invalid("data.offset and data.before exclude each other")
	}
	return nil
}

// Check needs something to modify a plan by.
func (d *HitlPlanResponseData) Check() error {
	if d.Action != ChoiceModify && (d.Instruction != "" || len(d.Modifications) > 0) {
		return invalid("data.instruction and data.modifications go with modify: nothing would change")
	}
	if d.Action == ChoiceModify && d.Instruction == "" && len(d.Modifications) == 0 {
		return invalid("data.instruction is missing: modify needs one, or data.modifications")
	}
	return nil
}

// Check lets only a yes be remembered.
func (d *HitlApprovalResponseData) Check() error {
	if d.Remember != nil && d.Action != ChoiceApprove {
		return invalid("data.remember goes with approve")
	}
	return nil
}

// Check needs a change.
func (d *EditPlanData) Check() error {
	if len(d.Modifications) == 0 {
		return invalid("data.modifications is empty")
	}
	return nil
}

// Check needs a value for an object_response.
func (d *AskResponseData) Check() error {
	if d.AskResponse == ObjectResponse && d.Value == nil {
		return invalid("data.value is missing: object_response needs one")
	}
	return nil
}

// Check needs text or an image, a budget that is one, and one way of saying what
// the words answer.
func (d *UserMessageData) Check() error {
	if d.RequestID != "" && d.MayAnswer != nil {
		return invalid("data.request_id and data.may_answer exclude each other")
	}
	if b := d.Budget; b != nil {
		switch {
		case d.Mode != ModeRun:
			return invalid("data.budget goes with mode run")
		case b.USD < 0 || b.Tokens < 0 || b.TimeSec < 0:
			return invalid("data.budget must not be negative")
		case b.USD > 1e6 || b.Tokens > 1e12 || b.TimeSec > 31_536_000:
			return invalid("data.budget is too large to be a limit")
		}
	}
	if d.Delivery == ArrivalEphemeral && (d.TaskID != "" || d.Mode == ModeRun) {
		return invalid("data.delivery: an ephemeral agent takes no message for a task or a run")
	}
	return checkContent(d.Text, d.Images)
}

// Check needs text or an image.
func (d *EditQueuedData) Check() error { return checkContent(d.Text, d.Images) }

// Check needs text or an image.
func (d *WindowMessageData) Check() error { return checkContent(d.Text, d.Images) }

const (
	maxFormData      = 16 << 10
	maxComponentPath = 200
)

// Check keeps what a window sends short: agents read it.
func (d *ComponentActionData) Check() error {
	switch {
	case d.Action == "" || len(d.Action) > maxAppName:
		return invalid("data.action has 1 to %d characters", maxAppName)
	case len(d.ActionID) > maxAppName || d.ActionID != "" && !ValidID(d.ActionID):
		return invalid("data.action_id has at most %d letters, digits, _ and -", maxAppName)
	case len(d.ComponentPath) > maxComponentPath:
		return invalid("data.component_path has at most %d characters", maxComponentPath)
	}
	if b, err := json.Marshal(d.FormData); err != nil || len(b) > maxFormData {
		return invalid("data.form_data has more than %d bytes", maxFormData)
	}
	return nil
}

// Check needs text or an image.
func (d *NewTaskData) Check() error { return checkContent(d.Text, d.Images) }

func checkContent(text string, images []string) error {
	if text == "" && len(images) == 0 {
		return invalid("data.text is empty")
	}
	return nil
}

// Check needs exactly one way of naming the message.
func (t *Target) Check() error {
	given := 0
	for _, ok := range []bool{t.MessageID != "", t.Time() != 0, t.Index != nil} {
		if ok {
			given++
		}
	}
	switch {
	case given == 0:
		return invalid("data.message_id is missing: give message_id, ts or index")
	case given > 1:
		return invalid("data.message_id, data.ts and data.index exclude each other")
	case t.TS != 0 && t.MessageTS != 0 && t.TS != t.MessageTS:
		return invalid("data.ts and data.message_ts differ")
	case t.Time() < 0:
		return invalid("data.ts must not be negative")
	case t.Index != nil && *t.Index < 0:
		return invalid("data.index must not be negative")
	}
	return nil
}

// Check needs a target, and text or an image.
func (d *EditMessageData) Check() error {
	if err := d.Target.Check(); err != nil {
		return err
	}
	return checkContent(d.Text, d.Images)
}

// Check needs a target, and text or an image.
func (d *EditMessageConfirmData) Check() error {
	if err := d.Target.Check(); err != nil {
		return err
	}
	return checkContent(d.Text, d.Images)
}

// Check keeps the main monitor.
func (d *RemoveMonitorData) Check() error {
	if d.MonitorID == MainMonitor {
		return invalid("data.monitor_id: %s cannot be removed", MainMonitor)
	}
	return nil
}

// Check refuses an empty batch, a huge one, and places that no window can be at.
func (d *UserInteractionData) Check() error {
	if len(d.Interactions) == 0 {
		return invalid("data.interactions is empty")
	}
	if len(d.Interactions) > maxInteractions {
		return invalid("data.interactions has more than %d", maxInteractions)
	}
	for i, in := range d.Interactions {
		if in.Drawing != nil {
			if b, err := json.Marshal(in.Drawing); err != nil || len(b) > maxDrawing {
				return invalid("data.interactions[%d].drawing has more than %d bytes", i, maxDrawing)
			}
		}
		switch {
		case in.Kind == InteractionDraw && in.Drawing == nil:
			return invalid("data.interactions[%d].drawing is missing", i)
		case in.Bounds != nil:
			if err := in.Bounds.Check(); err != nil {
				return invalid("data.interactions[%d].bounds: %s", i, AsError(err).Message)
			}
		case in.Kind == InteractionResize, in.Kind == InteractionMove && d.MonitorID == "":
			return invalid("data.interactions[%d].bounds is missing", i)
		}
	}
	return nil
}

const (
	maxInteractions = 100
	maxPixel        = 10_000
	maxDrawing      = 16 << 10
)

// Check keeps a window's place to what a screen could have.
func (b Bounds) Check() error {
	if min(b.X, b.Y) < -maxPixel || max(b.X, b.Y) > maxPixel || min(b.W, b.H) < 1 || max(b.W, b.H) > maxPixel {
		return invalid("x and y are from -%d to %d, w and h from 1 to %d", maxPixel, maxPixel, maxPixel)
	}
	return nil
}

const (
	maxAppNames = 50
	maxAppName  = 64
)

// Check keeps what an app says about itself short: agents read it.
func (d *AppProtocolReadyData) Check() error {
	for field, names := range map[string][]string{"app": {d.App}, "queries": d.Queries, "commands": d.Commands} {
		if len(names) > maxAppNames {
			return invalid("data.%s has more than %d", field, maxAppNames)
		}
		for _, name := range names {
			if len(name) > maxAppName || field != "app" && !ValidID(name) {
				return invalid("data.%s: a name has 1 to %d letters, digits, _ and -", field, maxAppName)
			}
		}
	}
	return nil
}

const (
	maxArguments = 16 << 10
	maxToolName  = 128
)

// Check keeps what a page asks for short: it is a stranger's.
func (d *AppCallData) Check() error {
	switch {
	case len(d.RequestID) > maxAppName || !ValidID(string(d.RequestID)):
		return invalid("data.request_id has 1 to %d letters, digits, _ and -", maxAppName)
	case d.Tool == "" || len(d.Tool) > maxToolName:
		return invalid("data.tool has 1 to %d characters", maxToolName)
	}
	if b, err := json.Marshal(d.Arguments); err != nil || len(b) > maxArguments {
		return invalid("data.arguments has more than %d bytes", maxArguments)
	}
	return nil
}

// Check needs a checkpoint or a cell, and the message to rewind to when the conversation
// goes along.
func (d *CheckpointRestoreData) Check() error {
	switch {
	case d.Kind == CheckpointNotebook && d.CellIndex == nil:
		return invalid("data.cell_index is missing: kind notebook needs it")
	case d.Kind == CheckpointNotebook:
		return nil
	case d.CommitHash == "":
		return invalid("data.commit_hash is missing")
	case d.Mode == "":
		return invalid("data.mode is missing")
	case d.Mode == RestoreBoth && d.TS == 0 && d.MessageID == "":
		return invalid("data.message_id is missing: mode both needs message_id or ts")
	}
	return nil
}

const maxTitle = 200

// Check keeps titles short.
func (d *RenameSessionData) Check() error {
	if len([]rune(d.Title)) > maxTitle {
		return invalid("data.title is longer than %d characters", maxTitle)
	}
	return nil
}
