package core

import (
	"encoding/json"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/clew-run/clew"
)

// What tables and blobs of windows are bounded by.
const (
	TableRowsMax    = 200 // inline
	tableColumnsMax = 50
	// WindowBlobMax bounds a file that a window shows.
	WindowBlobMax = 8 << 20
	nameMax       = 64
	appNameMax    = 1 << 10
)

func wrongContent(format string, args ...any) error {
	return clew.Errorf(clew.SessionInvalidState, format, args...)
}

// CheckContent says in words for a model why a window cannot show something. How much
// it is, is another matter.
func CheckContent(c *clew.WindowContent) error {
	if !slices.Contains(clew.WindowKinds, c.Kind) {
		return wrongContent("the kind of content is %s", strings.Join(clew.WindowKind("").Values(), ", "))
	}
	if c.Kind == clew.WindowTable || len(c.Columns) > 0 || len(c.Rows) > 0 {
		if err := checkTable("the table", c.Columns, c.Rows); err != nil {
			return err
		}
	}
	if c.Root != nil {
		if err := CheckComponents(c.Root); err != nil {
			return err
		}
	}
	if c.Kind == clew.WindowApp || c.Kind == clew.WindowMCPApp {
		return checkApp(c)
	}
	switch {
	case c.Kind == clew.WindowComponents && c.Root == nil:
		return wrongContent("components need a root")
	case c.Kind == clew.WindowImage && c.Blob == "":
		return wrongContent("an image needs a file")
	case c.Blob != "" && !validBlob(c.Blob):
		return wrongContent("blob is no address of a blob")
	case c.Bytes < 0 || c.Bytes > WindowBlobMax:
		return wrongContent("the file has %d bytes, a window shows %d", c.Bytes, WindowBlobMax)
	case c.RowAction != "" && (c.Kind != clew.WindowTable || len(c.RowAction) > nameMax):
		return wrongContent("row_action is of tables, with 1 to %d characters", nameMax)
	case c.Total < 0:
		return wrongContent("total is below 0")
	}
	return nil
}

// checkApp says why a window cannot show a page.
func checkApp(c *clew.WindowContent) error {
	server := c.Kind == clew.WindowMCPApp
	switch {
	case !validBlob(c.Blob):
		return wrongContent("an app needs a file with its page")
	case c.Bytes < 0 || c.Bytes > clew.AppPageMax:
		return wrongContent("the page has %d bytes, a window shows %d", c.Bytes, clew.AppPageMax)
	case c.Text != "":
		return wrongContent("the page of an app is a file")
	case server != (c.Server != "") || server != (c.URI != "") || server != validBlob(c.Data):
		return wrongContent("a page of a tool server names the server, its address there and the call that it shows; no other page does")
	case !server && (c.Tool != "" || len(c.Connect)+len(c.Load) > 0):
		return wrongContent("only pages of tool servers name a tool and hosts")
	}
	for _, text := range []string{c.Server, c.Tool, c.URI} {
		if len(text) > appNameMax {
			return wrongContent("a name has more than %d bytes", appNameMax)
		}
	}
	for _, hosts := range [][]string{c.Connect, c.Load} {
		if len(hosts) > clew.AppOriginsMax || slices.ContainsFunc(hosts, func(o string) bool { return !clew.ValidOrigin(o) }) {
			return wrongContent("a page names at most %d hosts, each written out", clew.AppOriginsMax)
		}
	}
	return nil
}

// validBlob reports whether a text is the address of a blob, as package blob has it.
func validBlob(address string) bool {
	return len(address) == 64 && strings.Trim(address, "0123456789abcdef") == ""
}

func checkTable(what string, columns []clew.TableColumn, rows [][]any) error {
	if n := len(columns); n == 0 || n > tableColumnsMax {
		return wrongContent("%s has %d columns, not 1 to %d", what, n, tableColumnsMax)
	}
	for i, c := range columns {
		switch {
		case c.Name == "" || utf8.RuneCountInString(c.Name) > WindowTitleMax:
			return wrongContent("column %d of %s has no name of 1 to %d characters", i+1, what, WindowTitleMax)
		case !oneOf(c.Align, "left", "center", "right"):
			return wrongContent("align of column %q is left, center or right", c.Name)
		}
	}
	if len(rows) > TableRowsMax {
		return wrongContent("%s has %d rows, a window holds %d: write them to a file and give its path", what, len(rows), TableRowsMax)
	}
	for i, row := range rows {
		if len(row) > len(columns) {
			return wrongContent("row %d of %s has %d cells, there are %d columns", i+1, what, len(row), len(columns))
		}
		for j, cell := range row {
			if !scalar(cell) {
				return wrongContent("cell %d of row %d of %s is no text, number, true, false or null", j+1, i+1, what)
			}
		}
	}
	return nil
}

func scalar(v any) bool {
	switch v.(type) {
	case nil, string, float64, bool, int, int64, json.Number:
		return true
	}
	return false
}

// oneOf reports whether a text is absent or one of these.
func oneOf(s string, list ...string) bool { return s == "" || slices.Contains(list, s) }

// contentSize is what content counts for. A text counts as it is, the rest as it is
// written.
func contentSize(c *clew.WindowContent) int {
	n := len(c.Text)
	if len(c.Columns) > 0 || len(c.Rows) > 0 || c.Root != nil || c.Alt != "" || c.MediaType != "" {
		rest := *c
		rest.Text = ""
		n += jsonSize(rest)
	}
	return n
}

func jsonSize(v any) int {
	b, _ := json.Marshal(v) // it was read from JSON
	return len(b)
}

// appended puts more behind what a window shows. The oldest gives way: whole lines of a
// text, rows of a table.
func appended(now, more *clew.WindowContent) (*clew.WindowContent, error) {
	if now == nil {
		return more, nil
	}
	next := *now
	switch {
	case more.Kind != now.Kind:
		return nil, wrongContent("the window shows %s: append that, or replace it", now.Kind)
	case now.Kind == clew.WindowMarkdown || now.Kind == clew.WindowText:
		next.Text = newestText(now.Text + more.Text)
	case now.Kind == clew.WindowTable && now.Blob == "" && more.Blob == "":
		if len(more.Columns) > 0 && !slices.Equal(more.Columns, now.Columns) {
			return nil, wrongContent("the table has other columns: leave them out to append rows")
		}
		next.Rows = newestRows(&next, more.Rows)
		next.Total = max(now.Total, len(now.Rows)) + len(more.Rows)
	default:
		return nil, wrongContent("only markdown, text and tables without a file can be appended to")
	}
	return &next, nil
}

// newestText is as much of the end of a text as a window holds, from the beginning of a
// line if one begins soon.
func newestText(text string) string {
	if len(text) <= WindowTextMax {
		return text
	}
	text = text[len(text)-WindowTextMax:]
	if i := strings.IndexByte(text, '\n'); i >= 0 && i < WindowTextMax/4 {
		return text[i+1:]
	}
	for text != "" && !utf8.RuneStart(text[0]) {
		text = text[1:]
	}
	return text
}

// newestRows are as many of the last rows as a window holds.
func newestRows(c *clew.WindowContent, more [][]any) [][]any {
	rows := slices.Concat(c.Rows, more)
	rows = rows[max(0, len(rows)-TableRowsMax):]
	bare := *c
	bare.Rows = nil
	room := WindowTextMax - jsonSize(bare) - 64 // names of fields
	for i := len(rows) - 1; i >= 0; i-- {
		if room -= jsonSize(rows[i]) + 1; room < 0 {
			return rows[i+1:]
		}
	}
	return rows
}
