package report

import (
	"fmt"
	"strings"

	clew "github.com/clew-run/clew"
)

// withGaps is a run that waited for people for a day in the middle.
func withGaps() Input {
	in := sample()
	in.Todos = sampleTodos()
	for i := 2; i < 5; i++ {
		if in.Todos[i].StartedMS > 0 {
			in.Todos[i].StartedMS += 93_000_000
		}
	}
	in.EndedMS += 93_000_000
	return in
}

// many is a run of n todos, each with a result of so many bytes.
func many(n, size int) Input {
	in := sample()
	in.Todos = nil
	for i := range n {
		in.Todos = append(in.Todos, clew.Todo{
			ID: fmt.Sprintf("t%d", i+1), Task: fmt.Sprintf("Step %d of many", i+1), Tool: "bash",
			Status:        clew.TodoStatus(clew.TodoStatus("").Values()[i%5]),
			ResultSummary: strings.Repeat("result & <more> ", size/16),
			StartedMS:     start + int64(i)*500, DurationMS: int64(400 + i*7%900), RetryCount: i % 3,
		})
	}
	in.Statistics.TotalTodos = n
	return in
}

// evil is text that tries every way out we know.
const evil = "<script>alert(1)</script><img src=x onerror=alert(2)> \"><svg onload=alert(3)> ]]> --> </style></title>\n" +
	"```\n# escaped\n````\n~~~\n[click](javascript:alert(4)) ![p](http://evil.example/pixel.png) [d](data:text/html,x) " +
	"<a href=\"javascript:alert(5)\">x</a> [r][1] &#106;avascript:alert(6) \u202Egnp.exe\u202C \x1b[31mred\x1b[0m \x00 \u200b| cell | **bold**\n\n" +
	"[1]: JaVaScRiPt:alert(7)\n\n<div onclick=alert(8)>\nblock\n</div>\n\n<http://ok.example/a\"b>\n"

// hostile is a run in which every text is evil.
func hostile() Input {
	in := sample()
	in.SessionID, in.RunID, in.PlanID = clew.SessionID(evil), evil, evil
	in.Title, in.Request, in.Mermaid = evil, evil, "graph TD\n  a[\"x\"]\n  click a href \"javascript:alert(9)\"\n```\n<script>alert(10)</script>\n%%{init: {}}%%"
	in.Result = clew.RunResult(evil)
	in.Intent = &clew.Intent{Domain: evil, Category: evil}
	in.Entities = []clew.Entity{{Type: evil, Value: evil}}
	in.Response = clew.Response{
		Format: clew.FormatMarkdown, Text: evil, Summary: evil, NextActions: []string{evil},
		Attachments: []clew.Attachment{{Type: clew.AttachmentType(evil), Title: evil, URL: "javascript:alert(11)"}, {Title: evil, URL: "//evil.example/x"}},
	}
	in.Decisions = []Decision{{AtMS: start, Question: evil, Action: evil, By: evil, Comment: evil}}
	for i := range in.Todos {
		t := &in.Todos[i]
		t.ID, t.Task, t.Tool, t.ResultSummary = evil, evil, evil, evil
		t.Error = &clew.Failure{Code: clew.Code(evil), Message: evil}
		t.DependsOn = []string{evil}
	}
	in.Todos[1].Status = clew.TodoStatus(evil)
	return in
}
