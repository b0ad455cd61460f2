package report

import (
	"fmt"
	"regexp"
	"strings"
)

// writeMarkdown writes report.md. It uses no raw HTML, and escapes all that a
// reader of Markdown could take for markup.
func writeMarkdown(v *view) []byte {
	m := &mdWriter{}
	m.para("# " + mdText(v.Title))
	m.para("**" + resultName(v.Result) + "** · " + v.Ended)
	if v.Summary != "" {
		m.section("Summary")
		m.blocks(plain(v.Summary))
	}
	if len(v.Answer) > 0 {
		m.section("Answer")
		m.blocks(v.Answer)
	}
	m.bullets("Next actions", v.Actions)
	m.files(v.Files)
	if v.Request != "" {
		m.section("Request")
		m.blocks([]block{quote{plain(v.Request)}})
	}
	if v.Understood != "" {
		m.bullets("Understood as", append([]string{v.Understood}, v.Entities...))
	}
	m.todos(v)
	m.decisions(v.Decisions)
	m.section("Statistics")
	m.table([]string{"What", "Value"}, func(row func(...string)) {
		for _, f := range v.Facts {
			row(f.Name, f.Value)
		}
	})
	if v.Mermaid != "" {
		m.section("Plan")
		m.para(fence("mermaid", v.Mermaid))
	}
	for _, n := range v.Notes {
		m.para("*" + mdText(n) + "*")
	}
	return []byte(m.b.String())
}

type mdWriter struct{ b strings.Builder }

func (m *mdWriter) para(s string) {
	if m.b.Len() > 0 {
		m.b.WriteByte('\n')
	}
	m.b.WriteString(s)
	m.b.WriteByte('\n')
}

func (m *mdWriter) section(title string) { m.para("## " + title) }

func (m *mdWriter) bullets(title string, items []string) {
	if len(items) == 0 {
		return
	}
	m.section(title)
	var lines []string
	for _, s := range items {
		lines = append(lines, "- "+mdText(s))
	}
	m.para(strings.Join(lines, "\n"))
}

func (m *mdWriter) files(files []fileRef) {
	if len(files) == 0 {
		return
	}
	m.section("Attachments")
	var lines []string
	for _, f := range files {
		s := mdText(f.Title)
		if f.URL != "" {
			s = mdLink(s, f.URL)
		}
		lines = append(lines, "- "+s)
	}
	m.para(strings.Join(lines, "\n"))
}

// table writes a table whose rows come from a function, so that each section
// says its cells in one place.
func (m *mdWriter) table(head []string, rows func(row func(...string))) {
	m.b.WriteByte('\n')
	row := func(cells ...string) {
		for i, c := range cells {
			cells[i] = mdCell(c)
		}
		fmt.Fprintf(&m.b, "| %s |\n", strings.Join(cells, " | "))
	}
	row(head...)
	fmt.Fprintf(&m.b, "|%s\n", strings.Repeat(" --- |", len(head)))
	rows(row)
}

func (m *mdWriter) todos(v *view) {
	if len(v.Todos) == 0 {
		return
	}
	m.section("Todos")
	m.para("![Timeline of the todos](chart.svg)")
	m.table([]string{"Todo", "Task", "Status", "Duration", "Retries", "Result"}, func(row func(...string)) {
		for _, t := range v.Todos {
			row(t.ID, t.Task, statusName(t.Status), t.Duration, fmt.Sprint(t.Retries), t.outcome())
		}
	})
}

// outcome is what a todo led to, in one text.
func (r row) outcome() string {
	return strings.TrimSpace(r.Result + "\n" + r.Error + r.Earlier)
}

func (m *mdWriter) decisions(list []decision) {
	if len(list) == 0 {
		return
	}
	m.section("Decisions by people")
	m.table([]string{"When", "Question", "Decision", "By", "Comment"}, func(row func(...string)) {
		for _, d := range list {
			row(d.At, d.Question, d.Action, d.By, d.Comment)
		}
	})
}

// blocks writes an answer.
func (m *mdWriter) blocks(list []block) {
	for _, b := range list {
		m.para(mdBlock(b))
	}
}

func mdBlock(b block) string {
	switch b := b.(type) {
	case heading:
		return strings.Repeat("#", b.level) + " " + mdOneLine(b.text, false)
	case para:
		return mdSpans(b.text)
	case code:
		return fence(b.lang, b.text)
	case quote:
		return indent(mdBlocks(b.body), "> ", "> ")
	case list:
		return mdList(b)
	case table:
		return mdTable(b)
	}
	return "---"
}

func mdBlocks(list []block) string {
	var parts []string
	for _, b := range list {
		parts = append(parts, mdBlock(b))
	}
	return strings.Join(parts, "\n\n")
}

func mdList(l list) string {
	var items []string
	for i, item := range l.items {
		mark := "- "
		if l.ordered {
			mark = fmt.Sprintf("%d. ", min(max(l.start, 0), 1e6)+i)
		}
		items = append(items, indent(mdBlocks(item), mark, strings.Repeat(" ", len(mark))))
	}
	return strings.Join(items, "\n")
}

func mdTable(t table) string {
	var b strings.Builder
	line := func(cells [][]span) {
		b.WriteByte('|')
		for _, c := range cells {
			fmt.Fprintf(&b, " %s |", mdOneLine(c, true))
		}
		b.WriteByte('\n')
	}
	line(t.head)
	b.WriteByte('|')
	for _, right := range t.right {
		if right {
			b.WriteString(" ---: |")
		} else {
			b.WriteString(" --- |")
		}
	}
	b.WriteByte('\n')
	for _, r := range t.rows {
		line(r)
	}
	return strings.TrimRight(b.String(), "\n")
}

func indent(s, first, rest string) string {
	lines := strings.Split(s, "\n")
	for i, l := range lines {
		lead := rest
		if i == 0 {
			lead = first
		}
		lines[i] = strings.TrimRight(lead+l, " ")
	}
	return strings.Join(lines, "\n")
}

func mdSpans(spans []span) string {
	var b strings.Builder
	for _, s := range spans {
		if s.br {
			b.WriteString("\\\n")
			continue
		}
		b.WriteString(mdSpan(s))
	}
	return b.String()
}

// mdOneLine writes spans where a line end would end the block. In a table a bar
// ends the cell even inside of code, where it is escaped as tables know it.
func mdOneLine(spans []span, inTable bool) string {
	var b strings.Builder
	for _, s := range spans {
		switch text := mdSpan(s); {
		case s.br:
			b.WriteByte(' ')
		case inTable && s.style.code:
			b.WriteString(strings.ReplaceAll(text, "|", `\|`))
		default:
			b.WriteString(text)
		}
	}
	return b.String()
}

func mdSpan(s span) string {
	core := strings.TrimSpace(s.text)
	if core == "" {
		return s.text
	}
	at := strings.Index(s.text, core)
	before, after := s.text[:at], s.text[at+len(core):]
	var text string
	if s.style.code {
		text = codeSpan(core)
	} else {
		text = mdText(core)
	}
	for _, x := range []struct {
		on   bool
		mark string
	}{{s.style.strike, "~~"}, {s.style.italic, "*"}, {s.style.bold, "**"}} {
		if x.on {
			text = x.mark + text + x.mark
		}
	}
	if s.link != "" {
		text = mdLink(text, s.link)
	}
	return before + text + after
}

func mdLink(text, target string) string {
	return "[" + text + "](<" + strings.NewReplacer("<", "%3C", ">", "%3E", `\`, "%5C", "|", "%7C").Replace(target) + ">)"
}

var mdEscape = func() *strings.Replacer {
	var pairs []string
	for _, c := range "\\`*_{}[]<>|~&!$#" {
		pairs = append(pairs, string(c), `\`+string(c))
	}
	return strings.NewReplacer(pairs...)
}()

// lineMark finds what makes a list, a rule or a heading of a line: one of these
// before a space or the end, or twice.
var lineMark = regexp.MustCompile(`^ *(?:[0-9]{1,9})?([-+=.)])(?:[-+= ]|$)`)

// mdText is a text that Markdown shows as it is. What has a meaning only at the
// start of a line is escaped everywhere it could come to stand there.
func mdText(s string) string {
	s = mdEscape.Replace(s)
	if at := lineMark.FindStringSubmatchIndex(s); at != nil {
		return s[:at[2]] + `\` + s[at[2]:]
	}
	return s
}

// mdCell is a text in a cell of a table: one line, where lines are joined by a
// mark.
func mdCell(s string) string {
	var parts []string
	for l := range strings.SplitSeq(s, "\n") {
		if l = line(l); l != "" {
			parts = append(parts, mdText(l))
		}
	}
	return strings.Join(parts, " / ")
}

// fence makes a code block that its content cannot end: the fence is longer than
// any run of backticks inside.
func fence(lang, text string) string {
	f := strings.Repeat("`", max(3, longestRun(text, '`')+1))
	return f + lang + "\n" + text + "\n" + f
}

// codeSpan does the same within a line.
func codeSpan(s string) string {
	f := strings.Repeat("`", longestRun(s, '`')+1)
	if strings.HasPrefix(s, "`") || strings.HasSuffix(s, "`") {
		s = " " + s + " "
	}
	return f + s + f
}

func longestRun(s string, c rune) int {
	most, now := 0, 0
	for _, r := range s {
		if r == c {
			now++
			most = max(most, now)
		} else {
			now = 0
		}
	}
	return most
}
