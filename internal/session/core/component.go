package core

import (
	"fmt"
	"strings"

	"github.com/clew-run/clew"
)

// What a tree of components is bounded by.
const (
	ComponentsMax     = 200
	ComponentDepthMax = 8
	optionsMax        = 100
)

// CheckComponents says in words for a model, with the place, what is wrong with a tree.
func CheckComponents(root *clew.Component) error {
	t := componentTree{names: map[string]string{}, ids: map[string]string{}}
	return t.check("root", root, 1)
}

// A componentTree is what is known of a tree while it is walked: where each name and each
// id stands.
type componentTree struct {
	count      int
	names, ids map[string]string
}

func (t *componentTree) check(at string, c *clew.Component, depth int) error {
	t.count++
	switch {
	case t.count > ComponentsMax:
		return wrongContent("there are more than %d components", ComponentsMax)
	case depth > ComponentDepthMax:
		return wrongContent("%s is deeper than %d components", at, ComponentDepthMax)
	}
	if why := t.wrong(at, c); why != "" {
		return wrongContent("%s: %s", at, why)
	}
	if c.Type == clew.ComponentTable || len(c.Columns) > 0 || len(c.Rows) > 0 {
		if err := checkTable("the table "+at, c.Columns, c.Rows); err != nil {
			return err
		}
	}
	for i := range c.Children {
		if err := t.check(fmt.Sprintf("%s.children[%d]", at, i), &c.Children[i], depth+1); err != nil {
			return err
		}
	}
	return nil
}

// wrong says what is wrong with a component itself, "" if nothing is.
func (t *componentTree) wrong(at string, c *clew.Component) string {
	switch {
	case c.ID != "" && (!ValidWindowID(c.ID) || t.taken(t.ids, c.ID, at)):
		return fmt.Sprintf("id has 1 to %d letters, digits, _ and -, and no other component has it", WindowIDMax)
	case !oneOf(c.Tone, "neutral", "info", "success", "warning", "danger"):
		return "tone is neutral, info, success, warning or danger"
	case len(c.Children) > 0 && c.Type != clew.ComponentRow && c.Type != clew.ComponentStack:
		return "only row and stack have children"
	}
	switch c.Type {
	case clew.ComponentText, clew.ComponentMarkdown:
		return unless(c.Text != "", "text is missing")
	case clew.ComponentButton:
		return unless(c.Label != "" && c.Action != "" && len(c.Action) <= nameMax, fmt.Sprintf("a button has a label, and an action of 1 to %d characters", nameMax))
	case clew.ComponentInput, clew.ComponentSelect, clew.ComponentCheckbox:
		return t.wrongField(at, c)
	case clew.ComponentImage:
		return unless(validBlob(c.Blob), "an image needs a file")
	case clew.ComponentProgress:
		most := c.Max
		if most == 0 {
			most = 100
		}
		v, ok := c.Value.(float64)
		return unless(ok && v >= 0 && v <= most, fmt.Sprintf("value is a number from 0 to %v", most))
	case clew.ComponentRow, clew.ComponentStack:
		return unless(len(c.Children) > 0, "children are missing")
	case clew.ComponentTable:
		return ""
	}
	return "type is " + strings.Join(c.Type.Values(), ", ")
}

func (t *componentTree) wrongField(at string, c *clew.Component) string {
	_, isText := c.Value.(string)
	_, isNumber := c.Value.(float64)
	_, isBool := c.Value.(bool)
	switch {
	case c.Name == "" || len(c.Name) > nameMax:
		return fmt.Sprintf("a field has a name of 1 to %d characters", nameMax)
	case t.taken(t.names, c.Name, at):
		return fmt.Sprintf("the name %q is that of %s", c.Name, t.names[c.Name])
	case c.Type == clew.ComponentCheckbox:
		return unless(c.Value == nil || isBool, "value of a checkbox is true or false")
	case c.Type == clew.ComponentSelect:
		return wrongSelect(c)
	case !oneOf(c.InputType, "text", "multiline", "number", "date", "time", "email", "url"):
		return "input_type is text, multiline, number, date, time, email or url"
	}
	return unless(c.Value == nil || isText || isNumber, "value of an input is a text or a number")
}

func wrongSelect(c *clew.Component) string {
	if n := len(c.Options); n == 0 || n > optionsMax {
		return fmt.Sprintf("a select has 1 to %d options", optionsMax)
	}
	known := c.Value == nil
	for _, o := range c.Options {
		known = known || c.Value == any(o.Value)
	}
	return unless(known, "value is not one of the options")
}

func (*componentTree) taken(places map[string]string, name, at string) bool {
	if _, ok := places[name]; ok {
		return true
	}
	places[name] = at
	return false
}

func unless(ok bool, why string) string {
	if ok {
		return ""
	}
	return why
}
