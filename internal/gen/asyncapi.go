package main

import (
	"fmt"

	"github.com/clew-run/clew"
)

const schemas = "#/components/schemas/"

// asyncFile makes the AsyncAPI document. It speaks from the server's side: the
// server sends events and receives commands.
func asyncFile([]byte) ([]byte, error) {
	m := newModel()
	messages, channel := object{}, object{}
	var send, receive []any
	add := func(key, typ, doc string, payload object) any {
		messages[key] = object{
			"name": typ, "title": typ, "summary": doc,
			"contentType": "application/json", "payload": payload,
		}
		channel[key] = ref("#/components/messages/", key)
		return ref("#/channels/session/messages/", key)
	}
	for _, e := range clew.Events {
		doc := fmt.Sprintf("%s (%s)", e.Doc, e.Kind)
		send = append(send, add("event_"+string(e.Type), string(e.Type), doc, m.eventEnvelope(schemas, e)))
	}
	for _, c := range clew.Commands {
		doc := fmt.Sprintf("%s (needs: %s)", c.Doc, rightName(c.Right))
		receive = append(receive, add("command_"+string(c.Type), string(c.Type), doc, m.commandEnvelope(schemas, c)))
	}
	return pretty(object{
		"asyncapi": "3.0.0",
		"info": object{
			"title":       "clew",
			"version":     "1.0.0",
			"description": "A session server for AI agents. PROTOCOL.md says how the messages belong together.",
			"license":     object{"name": "Apache-2.0", "url": "https://www.apache.org/licenses/LICENSE-2.0"},
		},
		"defaultContentType": "application/json",
		"servers": object{"local": object{
			"host": "127.0.0.1:8000", "protocol": "ws", "description": "A server as it starts by default.",
			"security": []any{ref("#/components/securitySchemes/", "bearer")},
		}},
		"channels":   object{"session": sessionChannel(channel)},
		"operations": operations(send, receive),
		"components": object{
			"messages":        messages,
			"schemas":         m.schemas(schemas),
			"securitySchemes": object{"bearer": object{"type": "http", "scheme": "bearer"}},
		},
	})
}

func sessionChannel(messages object) object {
	query := func(doc string) object { return object{"type": "string", "description": doc} }
	return object{
		"address":     "/ws/{session_id}",
		"description": "One connection of one client to one session.",
		"parameters":  object{"session_id": object{"description": "The session: 1 to 128 letters, digits, underscores and hyphens."}},
		"messages":    messages,
		"bindings": object{"ws": object{
			"method": "GET",
			"query": object{"type": "object", "properties": object{
				"client_id":   query("Tells the clients of one session apart."),
				"resume_from": query("The last message_id the client has, or start."),
				"epoch":       query("The epoch of the client's last session_state."),
			}},
			"bindingVersion": "0.1.0",
		}},
	}
}

func operations(send, receive []any) object {
	channel := ref("#/channels/", "session")
	return object{
		"sendEvents":      object{"action": "send", "channel": channel, "summary": "What a server sends.", "messages": send},
		"receiveCommands": object{"action": "receive", "channel": channel, "summary": "What a client sends.", "messages": receive},
	}
}

func rightName(r clew.Role) string {
	if r == clew.RoleNone {
		return "nothing"
	}
	return string(r)
}
