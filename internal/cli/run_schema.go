package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/cli/env"
	"github.com/clew-run/clew/internal/cli/follow"
)

// An answerSchema is the JSON Schema that a final answer has to fit.
type answerSchema struct {
	text   string
	schema *jsonschema.Schema
}

// asksAgain is how often an agent is asked again whose answer does not fit.
const asksAgain = 2

// readSchema reads a file with a JSON Schema, nil without one. It may refer to nothing
// outside itself: what counts is what the agent is shown.
func readSchema(path string) (*answerSchema, error) {
	if path == "" {
		return nil, nil
	}
	b, err := readFile(path, maxText)
	if err != nil {
		return nil, err
	}
	const name = "mem:///schema.json"
	c := jsonschema.NewCompiler()
	c.UseLoader(jsonschema.SchemeURLLoader{})
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(b))
	if err == nil {
		err = c.AddResource(name, doc)
	}
	var s *jsonschema.Schema
	if err == nil {
		s, err = c.Compile(name)
	}
	if err != nil {
		return nil, env.Usagef("--output-schema %s is not a JSON Schema: %s", path, reasonOf(err))
	}
	return &answerSchema{text: strings.TrimSpace(string(b)), schema: s}, nil
}

// reasonOf is an error in a line, without the name that the schema has here.
func reasonOf(err error) string {
	text := err.Error()
	if first, rest, more := strings.Cut(text, "\n"); more && strings.HasPrefix(first, "jsonschema validation failed") {
		text = rest
	}
	return strings.Join(strings.FieldsFunc(strings.ReplaceAll(text, "- at ", "at "), func(r rune) bool { return r == '\n' }), "; ")
}

// wanted is what the agent is told about its answer.
func (s *answerSchema) wanted() string {
	return "\n\nYour final answer must be JSON and nothing else: no words around it, no code fence. It must be valid under this JSON Schema:\n\n" + s.text
}

// read takes the JSON out of an answer and checks it.
func (s *answerSchema) read(answer string) (json.RawMessage, error) {
	text := strings.TrimSpace(answer)
	if inner, ok := strings.CutPrefix(text, "```"); ok { // many models write one all the same
		_, inner, _ = strings.Cut(inner, "\n")
		text = strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(inner), "```"))
	}
	value, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	if err != nil {
		return nil, errors.New("it is not JSON")
	}
	if err := s.schema.Validate(value); err != nil {
		return nil, errors.New(reasonOf(err))
	}
	return json.RawMessage(text), nil
}

// followValid follows the work until its answer fits the schema. An agent whose answer
// does not is told why and asked again; what that uses is counted with the rest.
func followValid(ctx context.Context, a *env.App, c *env.Rest, o follow.Options, s *answerSchema) (follow.Followed, error) {
	done, err := follow.Follow(ctx, a, c, o)
	if s == nil {
		return done, err
	}
	for again := 0; err == nil && done.Status == follow.EndedDone; again++ {
		output, wrong := s.read(done.Answer)
		if wrong == nil {
			done.Answer, done.Output = string(output), output
			return done, nil
		}
		if again == asksAgain {
			return done.Failed("the answer does not fit --output-schema: " + wrong.Error()), nil
		}
		before := done
		o.Fresh = false
		o.Say = &clew.UserMessageData{Mode: o.Say.Mode, Text: "Your final answer does not fit the JSON Schema: " + wrong.Error() + "\n\nAnswer again, with the JSON and nothing else."}
		done, err = follow.Follow(ctx, a, c, o)
		done.Usage, done.Lasted = done.Usage.Add(before.Usage), done.Lasted+before.Lasted
	}
	return done, err
}
