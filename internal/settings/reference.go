package settings

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
)

const referenceIntro = `# Settings

<!-- Made by go run ./internal/settings/gen. Do not edit. -->

Settings come in layers. For each key the highest layer with a valid value wins:

1. the defaults below,
2. the settings file, JSON or YAML by its extension,
3. the environment: ` + "`CLEW_SET_`" + ` and the key in capitals, with a JSON value or plain text,
4. the server, changed while it runs and shared by all nodes,
5. the session, for itself alone.

Maps and lists are taken as a whole. A value that is not valid is reported by key, and the next layer below counts; of a map or list only the bad entries are left out. A key that clew does not know is kept and has no effect; in a session it is refused.

What a session may do with a key is one of: **free**, any valid value; **stricter**, only what allows less than the server does; **no**, the key is the server's.

Secrets are not settings. They are kept in the system's keyring, or encrypted in a file in the data directory. Store one with ` + "`clew secret set NAME`" + `; the value is read from standard input. Where a setting needs one, write ` + "`$SECRET:NAME`" + `. A secret that is not stored is looked for in the environment as ` + "`CLEW_SECRET_NAME`" + `. ` + "`CLEW_SECRETS_BACKEND`" + ` (` + "`keyring` or `file`" + `) forces one of the two places, ` + "`CLEW_SECRETS_KEY_FILE`" + ` names a key file elsewhere.
`

// Reference is the page that describes all keys.
func Reference() []byte {
	var b bytes.Buffer
	b.WriteString(referenceIntro)
	for _, group := range groups {
		fmt.Fprintf(&b, "\n## %s\n\n", group)
		if group == "Secrets" {
			b.WriteString("Any other name can be stored too.\n\n| Name | What it is |\n|---|---|\n")
		} else {
			b.WriteString("| Key | Default | Values | What it does | In a session | Exported |\n|---|---|---|---|---|---|\n")
		}
		for _, k := range allKeys {
			if k.Group == group {
				b.WriteString(k.row())
			}
		}
		b.WriteString(fieldsOf(group))
	}
	b.WriteString(modesSection())
	return b.Bytes()
}

func (k *Key) row() string {
	if k.Home == HomeSecret {
		return fmt.Sprintf("| `%s` | %s |\n", k.Name, k.Doc)
	}
	value, err := json.Marshal(k.Default())
	if err != nil {
		panic(err) // the defaults are plain values
	}
	rule := map[SessionRule]string{SessionFree: "free", SessionTighten: "stricter", SessionNever: "no"}[k.Session]
	exported := "no"
	if k.Exportable {
		exported = "yes"
	}
	return fmt.Sprintf("| `%s` | `%s` | %s | %s | %s | %s |\n", k.Name, value, k.Allowed, k.Doc, rule, exported)
}

// fieldsOf lists the fields of the objects that a group's keys hold.
func fieldsOf(group string) string {
	names := func(t reflect.Type) string {
		var list []string
		for i := range t.NumField() {
			name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
			list = append(list, "`"+name+"`")
		}
		return strings.Join(list, ", ")
	}
	switch group {
	case "Models":
		return "\nFields of a profile: " + names(reflect.TypeFor[Profile]()) + ".\n"
	case "Modes":
		return "\nFields of a mode: " + names(reflect.TypeFor[Mode]()) + ".\n"
	case "Tool servers":
		return "\nFields of a tool server: " + names(reflect.TypeFor[McpServer]()) + ".\n"
	}
	return ""
}

func modesSection() string {
	var b strings.Builder
	b.WriteString("\n## Built-in modes\n\n| Slug | When to use it | Groups of tools | May edit |\n|---|---|---|---|\n")
	for _, m := range BuiltInModes() {
		edit := "nothing"
		if m.Allows("edit") {
			edit = "all files"
		}
		if m.EditPattern != "" {
			edit = "`" + m.EditPattern + "`"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", m.Slug, m.WhenToUse, strings.Join(m.Groups, ", "), edit)
	}
	b.WriteString("\nA workspace can bring modes of its own in `.clew/modes.yaml`, under the name `modes`. They count only after the workspace was trusted as it is.\n")
	return b.String()
}
