package main

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/wire"
)

var tables = map[string]func() string{
	"events":   eventTable,
	"commands": commandTable,
	"frames":   frameTable,
	"errors":   errorTable,
	"closes":   closeTable,
	"limits":   limitTable,
	"objects":  objectTable,
	"values":   valueTable,
}

var marked = regexp.MustCompile(`(?s)<!-- generated: ([a-z]+) -->\n.*?<!-- end -->`)

// fillTables puts the tables between their marks and leaves the prose alone.
func fillTables(old []byte) ([]byte, error) {
	used := map[string]bool{}
	var unknown error
	out := marked.ReplaceAllStringFunc(string(old), func(part string) string {
		name := marked.FindStringSubmatch(part)[1]
		table, ok := tables[name]
		if !ok {
			unknown = fmt.Errorf("no table %q", name)
			return part
		}
		used[name] = true
		return fmt.Sprintf("<!-- generated: %s -->\n%s<!-- end -->", name, table())
	})
	for name := range tables {
		if !used[name] && unknown == nil {
			unknown = fmt.Errorf("no place for table %q", name)
		}
	}
	return []byte(out), unknown
}

func table(head string, rows []string) string {
	columns := strings.Count(head, "|") + 1
	return "\n| " + head + " |\n|" + strings.Repeat("---|", columns) + "\n" + strings.Join(rows, "") + "\n"
}

func row(cells ...any) string {
	var b strings.Builder
	b.WriteByte('|')
	for _, c := range cells {
		fmt.Fprintf(&b, " %v |", c)
	}
	return b.String() + "\n"
}

// fieldList gives a def's fields with their types; optional ones have a
// question mark.
func fieldList(d *def) string {
	var list []string
	for _, f := range d.fields {
		mark := ""
		if f.optional {
			mark = "?"
		}
		typ := strings.ReplaceAll(f.kind.typescript(), "|", `\|`)
		list = append(list, fmt.Sprintf("`%s%s: %s`", f.name, mark, typ))
	}
	return strings.Join(list, " ")
}

// objectTable lists what stands inside the data of events and commands.
func objectTable() string {
	m := newModel()
	data := map[*def]bool{}
	for _, e := range clew.Events {
		data[m.of(e.Data)] = true
	}
	for _, c := range clew.Commands {
		data[m.of(c.Data)] = true
	}
	for _, f := range clew.Frames {
		data[m.of(f.Data)] = true
	}
	var rows []string
	for _, d := range m.defs {
		if d.fields != nil && !data[d] {
			rows = append(rows, row("`"+d.name+"`", fieldList(d)))
		}
	}
	slices.Sort(rows)
	return table("Object | Fields", rows)
}

// valueTable lists the values of enums, except those with tables of their own.
func valueTable() string {
	var rows []string
	for _, d := range newModel().defs {
		if d.values == nil || d.name == "Code" || d.name == "CommandType" || d.name == "EventType" {
			continue
		}
		var list []string
		for _, v := range d.values {
			if v != "" {
				list = append(list, "`"+v+"`")
			}
		}
		rows = append(rows, row("`"+d.name+"`", strings.Join(list, " ")))
	}
	slices.Sort(rows)
	return table("Type | Values", rows)
}

func eventTable() string {
	m := newModel()
	var rows []string
	for _, e := range clew.Events {
		rows = append(rows, row("`"+string(e.Type)+"`", e.Kind, e.Doc, fieldList(m.of(e.Data))))
	}
	return table("Type | Kind | Meaning | Data", rows)
}

func commandTable() string {
	m := newModel()
	var rows []string
	for _, c := range clew.Commands {
		rows = append(rows, row("`"+string(c.Type)+"`", rightName(c.Right), c.Doc, fieldList(m.of(c.Data))))
	}
	return table("Type | Needs | Meaning | Data", rows)
}

func frameTable() string {
	m := newModel()
	var rows []string
	for _, f := range clew.Frames {
		rows = append(rows, row("`"+string(f.Type)+"`", f.Origin, f.Doc, fieldList(m.of(f.Data))))
	}
	return table("Type | From | Meaning | Data", rows)
}

func errorTable() string {
	var rows []string
	for _, c := range clew.Codes {
		recoverable := "no"
		if c.Recoverable {
			recoverable = "yes"
		}
		rows = append(rows, row(c.Number, "`"+string(c.Code)+"`", recoverable, "`"+c.Action+"`", c.Doc))
	}
	return table("Number | Code | Recoverable | Suggested action | Meaning", rows)
}

func closeTable() string {
	var rows []string
	for _, c := range wire.Closes {
		reasons := "`" + strings.Join(c.Reasons, "` `") + "`"
		rows = append(rows, row(int(c.Code), reasons, c.Reconnect, c.Doc))
	}
	return table("Code | Reasons | Reconnect | Meaning", rows)
}

func limitTable() string {
	l := wire.DefaultLimits
	return table("Limit | Default | Over it", []string{
		row("size of a frame", fmt.Sprintf("%d bytes", l.Frame), "close 1009"),
		row("nesting of a frame", wire.MaxDepth, "error 1003"),
		row("length of a client's `message_id`", fmt.Sprintf("%d characters", wire.MaxMessageID), "error 1003"),
		row("envelopes waiting for a slow client", l.Queue, "close 1013"),
		row("`ping`", "every "+l.PingEvery.String(), ""),
		row("silence of a client", l.PongLimit, "close 1001"),
		row("wait for `auth`", l.AuthWait, "close 1008"),
		row("size of a frame before authentication", fmt.Sprintf("%d bytes", l.AuthFrame), "close 1009"),
		row("connects of a user", fmt.Sprintf("%d a minute", l.ConnectsPerMinute), "HTTP 429; with a cookie error 1004, then close 1008"),
		row("messages of a connection (`pong` is free)", fmt.Sprintf("%d a minute", l.MessagesPerMinute), "error 1004"),
		row("answers to questions in a session", fmt.Sprintf("%d a minute", l.HitlPerMinute), "error 1004"),
		row("refusals by a rate limit in a row", l.Strikes, "close 1008"),
	})
}
