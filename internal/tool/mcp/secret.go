package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// secretName finds secrets in values of the settings, as in
// "Bearer $SECRET:weather".
var secretName = regexp.MustCompile(`\$SECRET:([A-Za-z0-9_.-]+)`)

// resolve puts secrets in the place of their names. The values go to the server
// and nowhere else: the redactor takes them out of everything it says.
func (m *Manager) resolve(ctx context.Context, values map[string]string) (map[string]string, *redactor, error) {
	resolved, r := make(map[string]string, len(values)), &redactor{}
	for key, value := range values {
		var failed error
		resolved[key] = secretName.ReplaceAllStringFunc(value, func(match string) string {
			name := strings.TrimPrefix(match, "$SECRET:")
			secret, err := m.opts.Secret(ctx, name)
			if err != nil || secret == "" {
				failed = fmt.Errorf("the secret %q, which %s needs, is not there", name, key)
			}
			r.add(secret)
			return secret
		})
		if failed != nil {
			return nil, nil, failed
		}
	}
	return resolved, r, nil
}

// A redactor takes secrets out of texts. The zero value and nil take out
// nothing.
type redactor struct {
	secrets []string
	longest int
}

// minSecret keeps a secret such as "1" from shredding every text.
const minSecret = 4

func (r *redactor) add(secret string) {
	if len(secret) < minSecret {
		return
	}
	r.secrets = append(r.secrets, secret)
	r.longest = max(r.longest, len(secret))
}

func (r *redactor) apply(text string) string {
	if r == nil {
		return text
	}
	for _, s := range r.secrets {
		text = strings.ReplaceAll(text, s, "[secret]")
	}
	return text
}

// tool takes secrets out of what a server says about a tool: it goes to models
// and to people.
func (r *redactor) tool(t *sdk.Tool) *sdk.Tool {
	schema, err := json.Marshal(t.InputSchema)
	if err != nil {
		return t // nobody can use it
	}
	clean := *t
	clean.Description = r.apply(t.Description)
	if redacted := r.apply(string(schema)); redacted != string(schema) {
		clean.InputSchema = json.RawMessage(redacted)
	}
	return &clean
}
