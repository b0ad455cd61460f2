package clew

import (
	"encoding/json"
	"regexp"
)

// A WindowKind says what a window shows.
type WindowKind string

// The kinds of content.
const (
	WindowMarkdown   WindowKind = "markdown"
	WindowText       WindowKind = "text" // as it is
	WindowTable      WindowKind = "table"
	WindowComponents WindowKind = "components" // a tree of texts, fields and buttons
	WindowImage      WindowKind = "image"
	WindowHTML       WindowKind = "html"    // in a frame that reaches nothing
	WindowApp        WindowKind = "app"     // a page in a frame, which agents can ask
	WindowMCPApp     WindowKind = "mcp_app" // a page of a tool server, which shows a call
)

// WindowKinds lists the kinds.
var WindowKinds = []WindowKind{WindowMarkdown, WindowText, WindowTable, WindowComponents, WindowImage, WindowHTML, WindowApp, WindowMCPApp}

// Values lists the kinds.
func (WindowKind) Values() []string { return names(WindowKinds) }

// WindowContent is what a window shows. Which fields count follows from the kind.
type WindowContent struct {
	Kind WindowKind `json:"kind"`
	Text string     `json:"text,omitempty"` // of markdown, text and html

	// Of a table: Rows are all rows, or the first ones if a blob has them all.
	// Total counts the rows that there are or were.
	Columns []TableColumn `json:"columns,omitempty"`
	Rows    [][]any       `json:"rows,omitempty"` // texts, numbers, true, false and null
	Total   int           `json:"total,omitempty"`
	// RowAction is what choosing a row is called. Without it rows cannot be chosen.
	RowAction string `json:"row_action,omitempty"`

	Root *Component `json:"root,omitempty"` // of components

	// Blob is the address of an image, or of a table's rows as text/csv with a line
	// of column names, or as application/jsonl with a list or an object in each line,
	// or of the page of an app.
	Blob      string `json:"blob,omitempty"`
	Bytes     int64  `json:"bytes,omitempty"`
	MediaType string `json:"media_type,omitempty"`
	Alt       string `json:"alt,omitempty"` // what an image or an app shows, in words

	// Of an mcp_app: the tool server whose page it is, the tool whose call it shows, and
	// the server's own name for the page (ui://…).
	Server string `json:"server,omitempty"`
	Tool   string `json:"tool,omitempty"`
	URI    string `json:"uri,omitempty"`
	// Connect and Load are the hosts that the page asks to reach, and to load pictures,
	// styles and scripts from. A person decides.
	Connect []string `json:"connect,omitempty"`
	Load    []string `json:"load,omitempty"`
	// Data is the address of the call as the page is told it, a blob of JSON with input
	// and result.
	Data string `json:"data,omitempty"`
}

// What the page of an app is bounded by.
const (
	AppPageMax    = 2 << 20 // bytes
	AppOriginsMax = 16      // hosts that it may name for each purpose
)

var origin = regexp.MustCompile(`^(https|wss)://(\*\.)?([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]([a-z0-9-]{0,61}[a-z0-9])?(:[0-9]{1,5})?$`)

// ValidOrigin says whether a page may name this: a host that is written out, or its
// subdomains, reached over TLS. Anything else could say more in a policy than a host.
func ValidOrigin(s string) bool { return len(s) <= 253 && origin.MatchString(s) }

// A TableColumn is a column of a table.
type TableColumn struct {
	Name    string `json:"name"`            // in the rows of a blob
	Title   string `json:"title,omitempty"` // the name if absent
	Align   string `json:"align,omitempty" clew:"enum=left|center|right"`
	Numeric bool   `json:"numeric,omitempty"` // sorts as numbers
}

// A ComponentType is what a component is.
type ComponentType string

// The components.
const (
	ComponentText     ComponentType = "text"
	ComponentMarkdown ComponentType = "markdown"
	ComponentButton   ComponentType = "button"
	ComponentInput    ComponentType = "input"
	ComponentSelect   ComponentType = "select"
	ComponentCheckbox ComponentType = "checkbox"
	ComponentImage    ComponentType = "image"
	ComponentTable    ComponentType = "table"
	ComponentProgress ComponentType = "progress"
	ComponentRow      ComponentType = "row"   // children side by side
	ComponentStack    ComponentType = "stack" // children below each other
)

// ComponentTypes lists the components.
var ComponentTypes = []ComponentType{
	ComponentText, ComponentMarkdown, ComponentButton, ComponentInput, ComponentSelect, ComponentCheckbox,
	ComponentImage, ComponentTable, ComponentProgress, ComponentRow, ComponentStack,
}

// Values lists the components.
func (ComponentType) Values() []string { return names(ComponentTypes) }

// A Component is a node of what a window of kind components shows.
type Component struct {
	Type  ComponentType `json:"type"`
	ID    string        `json:"id,omitempty"`
	Text  string        `json:"text,omitempty"`  // of text and markdown
	Label string        `json:"label,omitempty"` // of a button or a field
	// Name is under which a field's value is sent.
	Name        string            `json:"name,omitempty"`
	Value       any               `json:"value,omitempty"` // of a field at first, of a progress
	Placeholder string            `json:"placeholder,omitempty"`
	InputType   string            `json:"input_type,omitempty" clew:"enum=text|multiline|number|date|time|email|url"`
	Options     []ComponentOption `json:"options,omitempty"` // of a select
	// Action is what a button is called when it is pressed.
	Action   string        `json:"action,omitempty"`
	Parallel bool          `json:"parallel,omitempty"` // its presses run beside each other
	Submit   bool          `json:"submit,omitempty"`   // it sends the values of all fields
	Tone     string        `json:"tone,omitempty" clew:"enum=neutral|info|success|warning|danger"`
	Columns  []TableColumn `json:"columns,omitempty"`
	Rows     [][]any       `json:"rows,omitempty"`
	Blob     string        `json:"blob,omitempty"` // of an image
	Alt      string        `json:"alt,omitempty"`
	Max      float64       `json:"max,omitempty"` // of a progress, 100 if absent
	Children []Component   `json:"children,omitempty"`
}

// A ComponentOption is one choice of a select.
type ComponentOption struct {
	Value string `json:"value"`
	Label string `json:"label,omitempty"` // the value if absent
}

// A Layout is a class of screens: where a window lies is kept for each.
type Layout string

// The layouts. A phone has tabs in place of windows.
const (
	LayoutWide   Layout = "wide" // 1200 pixels and more
	LayoutMedium Layout = "medium"
)

// Values lists the layouts.
func (Layout) Values() []string { return []string{string(LayoutWide), string(LayoutMedium)} }

// Layouts are where people put a window, nil where nobody has.
type Layouts struct {
	Wide   *Bounds `json:"wide,omitempty"`
	Medium *Bounds `json:"medium,omitempty"`
}

// At gives the place in a layout; "" stands for the wide one.
func (l *Layouts) At(layout Layout) **Bounds {
	if layout == LayoutMedium {
		return &l.Medium
	}
	return &l.Wide
}

// WindowParams are the params of window.create and window.update. What is absent
// stays as it is.
type WindowParams struct {
	Title   *string        `json:"title,omitempty"`
	Content *WindowContent `json:"content,omitempty"`
	// Append puts the text or the rows of Content behind those that are there; the
	// oldest give way.
	Append    bool      `json:"append,omitempty"`
	LockedBy  *AgentID  `json:"locked_by,omitempty"` // "" unlocks
	Layouts   Layouts   `json:"layouts,omitzero"`
	Bounds    *Bounds   `json:"bounds,omitempty"` // of old records: the wide layout
	MonitorID MonitorID `json:"monitor_id,omitempty"`
	GroupID   string    `json:"group_id,omitempty"` // of a new window: the group that it joins
}

// AsMap gives the params as a record has them, so that a state is the same
// whether it was folded from the event or from the journal.
func (p WindowParams) AsMap() map[string]any { return asMap(p) }

// WindowParams reads the params of an action about a window.
func (a *Action) WindowParams() (p WindowParams, ok bool) {
	ok = readMap(a.Params, &p)
	return p, ok
}

// NoticeParams are the params of notification.show.
type NoticeParams struct {
	NoticeID string `json:"notice_id"`
	Title    string `json:"title,omitempty"`
	Text     string `json:"text"`
}

// AsMap gives the params as a record has them.
func (p NoticeParams) AsMap() map[string]any { return asMap(p) }

// NoticeParams reads the params of an action that shows a notice.
func (a *Action) NoticeParams() (p NoticeParams, ok bool) {
	ok = readMap(a.Params, &p)
	return p, ok
}

func asMap(v any) map[string]any {
	var m map[string]any
	if b, err := json.Marshal(v); err == nil {
		_ = json.Unmarshal(b, &m) // it was just written
	}
	return m
}

func readMap(m map[string]any, v any) bool {
	b, err := json.Marshal(m)
	return err == nil && json.Unmarshal(b, v) == nil
}

func names[T ~string](list []T) []string {
	out := make([]string, len(list))
	for i, v := range list {
		out[i] = string(v)
	}
	return out
}
