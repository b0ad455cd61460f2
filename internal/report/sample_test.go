package report

import (
	clew "github.com/clew-run/clew"
)

// start is when the run of the tests began.
const start = int64(1_790_000_000_000)

// sample is a run of five todos: one failed and was tried again, one was
// skipped, one failed for good.
func sample() Input {
	return Input{
		SessionID: "ses_01hzy3v7q8", RunID: "run_01hzy3v8aa",
		Title:   "3분기 매출 분석과 보고서",
		Request: "Analyse the sales of the third quarter by region.\n지역별로 나누고, 경영진에게 보낼 요약을 써 주세요.",
		Result:  clew.ResultSuccess, StartedMS: start, EndedMS: start + 187_400,
		Intent:   &clew.Intent{Domain: "analytics", Category: "sales_report", Confidence: 0.92},
		Entities: []clew.Entity{{Type: "period", Value: "2026 Q3", Confidence: 0.98}, {Type: "지역", Value: "서울, 부산", Confidence: 0.9}},
		PlanID:   "plan_7", Version: 2,
		Todos:      sampleTodos(),
		Mermaid:    "graph TD\n  t1[\"Read the sales data\"] --> t2\n  t2[\"지역별 집계\"] --> t3\n  t2 --> t4\n  t3 --> t5",
		Response:   sampleResponse(),
		Statistics: clew.Statistics{TotalTodos: 5, Completed: 3, Failed: 1, Skipped: 1, ExecutionTimeMS: 98_640, TokensUsed: 48_213, CostUSD: 0.3127},
		Decisions: []Decision{
			{AtMS: start + 21_000, Question: "Carry out the plan of 5 todos?", Action: "approve", By: "minji@example.com", Comment: "좋아요. Start with Seoul."},
			{AtMS: start + 140_000, Question: "Spend about 4.00 USD on the market data?", Action: "skip", ByTimeout: true},
		},
	}
}

func sampleTodos() []clew.Todo {
	return []clew.Todo{
		{
			ID: "t1", Task: "Read the sales data of the third quarter", Tool: "read_file", Status: clew.TodoCompleted,
			ResultSummary: map[string]any{"rows": 18240, "columns": 14, "file": "sales_q3.csv"}, StartedMS: start + 25_000, DurationMS: 8_200,
		},
		{
			ID: "t2", Task: "지역별 매출을 집계하고 지난해 같은 기간과 비교하기", Tool: "python", Status: clew.TodoCompleted, DependsOn: []string{"t1"},
			ResultSummary: "서울 12.4억 원 (+8 %), 부산 5.1억 원 (−3 %).\nFour regions are above last year.", StartedMS: start + 33_400, DurationMS: 41_300, RetryCount: 1,
			Error: &clew.Failure{Code: clew.ToolTimeout, Message: "the kernel did not answer within 30 s", Recoverable: true},
		},
		{
			ID: "t3", Task: "Fetch the competitors' prices", Tool: "web_fetch", Status: clew.TodoFailed, DependsOn: []string{"t2"},
			StartedMS: start + 75_000, DurationMS: 22_900, RetryCount: 3,
			Error: &clew.Failure{Code: clew.ToolExecutionFailed, Message: "prices.example.com answered 503 four times"},
		},
		{
			ID: "t4", Task: "Buy the market data", Tool: "purchase", Status: clew.TodoSkipped, DependsOn: []string{"t2"},
		},
		{
			ID: "t5", Task: "Write the summary for the management", Tool: "write_file", Status: clew.TodoCompleted, DependsOn: []string{"t2"},
			ResultSummary: "summary.md, 420 words", StartedMS: start + 76_000, DurationMS: 61_500,
		},
	}
}

func sampleResponse() clew.Response {
	return clew.Response{
		Format: clew.FormatMixed,
		Text: "## Findings\n\nSales grew by **6.2 %** over last year; **서울(Seoul)**은 *가장 많이* 성장했습니다. " +
			"The source is [the ledger](https://example.com/ledger?q=3&x=1).\n\n" +
			"| Region | Sales, M KRW | Change |\n|---|---:|---:|\n| 서울 | 1,240 | +8 % |\n| 부산 | 510 | −3 % |\n| Others | 2,020 | `+6 %` |\n\n" +
			"1. Seoul leads, for the third time.\n2. Busan fell:\n   - two shops closed\n   - one moved\n\n" +
			"> 환율의 영향은 빼고 계산했습니다.\n\n```python\ntotal = df.groupby(\"region\")[\"krw\"].sum()  # by region\nprint(total)\n```\n\n" +
			"The prices of the competitors could not be had; the comparison leaves them out.",
		Summary:     "3분기 매출은 지난해보다 6.2 % 늘었습니다. Seoul drove the growth; the prices of competitors are missing.",
		NextActions: []string{"Try the prices again tomorrow", "부산 매장 두 곳의 폐점 이유를 확인하기"},
		Attachments: []clew.Attachment{{Type: clew.AttachmentFile, Title: "summary.md", URL: "/reports/ses_01hzy3v7q8/summary.md"}},
	}
}
