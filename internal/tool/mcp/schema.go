package mcp

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// A definition is a tool as its server describes it. It is never changed.
type definition struct {
	name        string // the server's own
	shown       string
	description string          // cleaned and cut
	schema      json.RawMessage // for models; holds the hash
	hash        string
	input       *jsonschema.Schema
	size        int
	problem     string // why it cannot be used
	view        string // the address of the page that shows its results, "" if none
	forModels   bool
	forApps     bool // such pages of its server may call it
}

// define reads what a server says about a tool.
func define(t *sdk.Tool) *definition {
	d := &definition{name: t.Name, shown: shownName(t.Name), description: cut(clean(t.Description), maxText)}
	d.readMeta(t.Meta)
	raw, err := json.Marshal(t.InputSchema)
	d.hash = Hash(t.Name, t.Description, raw)
	d.size = len(t.Name) + len(d.description) + len(raw)
	if err == nil {
		err = d.compile(raw)
	}
	if err != nil {
		d.problem = line(err.Error(), maxErrorText)
	}
	return d
}

// Hash is the hash of a tool: of its name, its description and the schema of
// its input. An always-allow holds for one hash.
func Hash(name, description string, schema json.RawMessage) string {
	b, err := json.Marshal([]any{name, description, schema})
	if err != nil { // the schema is not JSON: no other tool is like it
		b = fmt.Appendf(nil, "%q %q %q", name, description, schema)
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

func (d *definition) compile(raw []byte) error {
	if len(raw) > maxSchema {
		return fmt.Errorf("its schema has more than %d bytes", maxSchema)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		return err
	}
	object, ok := doc.(map[string]any)
	if !ok || object["type"] != "object" {
		return errors.New("the schema of its input is not that of an object")
	}
	if err := tidy(object); err != nil {
		return err
	}
	if cost(object) > maxCost {
		return errors.New("its schema takes too long to check")
	}
	if d.input, err = compileSchema(object); err != nil {
		return err
	}
	// Approvals are bound to the schema, so the hash makes them end with the
	// description too.
	object["$comment"] = "tool " + d.hash
	d.schema, err = json.Marshal(object)
	return err
}

// compileSchema never fetches anything: a reference leads into the schema
// itself or fails.
func compileSchema(doc any) (*jsonschema.Schema, error) {
	c := jsonschema.NewCompiler()
	c.UseLoader(noLoader{})
	c.UseRegexpEngine(lenient)
	const address = "mem:///schema.json"
	if err := c.AddResource(address, doc); err != nil {
		return nil, fmt.Errorf("its schema is not valid: %w", err)
	}
	s, err := c.Compile(address)
	if err != nil {
		return nil, fmt.Errorf("its schema is not valid: %w", err)
	}
	return s, nil
}

type noLoader struct{}

// Load implements the loader of schemas: it refuses.
func (noLoader) Load(string) (any, error) {
	return nil, errors.New("a schema may not refer to another address")
}

// lenient takes patterns that Go does not know as matching all: the server
// checks them itself.
func lenient(pattern string) (jsonschema.Regexp, error) {
	re, err := regexp.Compile(pattern)
	if err != nil {
		return anything(pattern), nil //nolint:nilerr // that is what lenient means
	}
	return re, nil
}

type anything string

func (a anything) String() string { return string(a) }

// MatchString implements jsonschema.Regexp.
func (anything) MatchString(string) bool { return true }

// tidy cleans the texts in a schema and refuses names that hide something.
func tidy(node any) error {
	switch v := node.(type) {
	case []any:
		for _, e := range v {
			if err := tidy(e); err != nil {
				return err
			}
		}
	case map[string]any:
		for key, e := range v {
			if clean(key) != key {
				return errors.New("its schema has a name with invisible characters")
			}
			if text, ok := e.(string); ok && (key == "description" || key == "title" || key == "$comment") {
				v[key] = cut(clean(text), maxText)
				continue
			}
			if err := tidy(e); err != nil {
				return err
			}
		}
	}
	return nil
}
