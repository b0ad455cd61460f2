package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"strings"
)

type asyncAPI struct {
	Operations map[string]struct {
		Messages []schema // references
	}
	Components struct {
		Messages map[string]struct {
			Name, Summary string
			Payload       schema
		}
		Schemas map[string]schema
	}
}

const messageTypes = "types.md"

// messagePages writes the pages of events and commands.
func (s *site) messagePages(document []byte, samples map[string][]byte) (section, error) {
	nav := section{title: "WebSocket messages"}
	var doc asyncAPI
	if err := json.Unmarshal(document, &doc); err != nil {
		return nav, fmt.Errorf("AsyncAPI: %w", err)
	}
	for _, page := range []struct{ operation, title, name, intro string }{
		{"receiveCommands", "Commands", "commands.md", "What a client sends to a session. In brackets is the role that it needs."},
		{"sendEvents", "Events", "events.md", "What a server sends. In brackets is its kind: a record is stored, and everything else is not."},
	} {
		var b strings.Builder
		fmt.Fprintf(&b, "# %s\n\n%s [PROTOCOL.md](../../PROTOCOL.md) says how they belong together. This page is made of the [AsyncAPI document](../../asyncapi.json). A field with `?` is optional.\n", page.title, page.intro)
		for _, ref := range doc.Operations[page.operation].Messages {
			m := doc.Components.Messages[ref.name()]
			fmt.Fprintf(&b, "\n## %s\n\n%s\n\n", m.Name, m.Summary)
			body := m.Payload.Properties["data"]
			if t, ok := doc.Components.Schemas[body.name()]; ok {
				body = t
			}
			b.WriteString(body.fields(messageTypes))
			sample, ok := samples[page.name+" "+m.Name]
			if !ok {
				return nav, fmt.Errorf("wire/testdata has no example of %s", m.Name)
			}
			fmt.Fprintf(&b, "\n```json\n%s\n```\n", sample)
		}
		s.files["api/websocket/"+page.name] = []byte(b.String())
		nav.pages = append(nav.pages, link{page.title, "api/websocket/" + page.name})
	}
	s.files["api/websocket/types.md"] = []byte(typesPage("Types of messages", "What events and commands consist of. A field with `?` is optional.", doc.Components.Schemas))
	nav.pages = append(nav.pages, link{"Types", "api/websocket/types.md"})
	return nav, nil
}

// samplesOf gives an example of each message, by page and type: the first of those that
// the tests of the wire use.
func samplesOf(root fs.FS) (map[string][]byte, error) {
	samples := map[string][]byte{}
	for _, kind := range []string{"commands", "events"} {
		text, err := fs.ReadFile(root, "wire/testdata/"+kind+".jsonl")
		if err != nil {
			return nil, err
		}
		for line := range bytes.Lines(text) {
			var envelope struct{ Type string }
			if err := json.Unmarshal(line, &envelope); err != nil {
				return nil, err
			}
			key := kind + ".md " + envelope.Type
			if samples[key] != nil {
				continue
			}
			var b bytes.Buffer
			if err := json.Indent(&b, bytes.TrimSpace(line), "", "  "); err != nil {
				return nil, err
			}
			samples[key] = b.Bytes()
		}
	}
	return samples, nil
}
