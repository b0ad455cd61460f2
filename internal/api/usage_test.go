package api_test

import (
	"encoding/json"
	"net/http"
	"reflect"
	"testing"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/api"
	"github.com/clew-run/clew/internal/session/core"
)

// What sessions paid for is added up by what the caller names, for days of UTC, and
// for the caller's sessions unless an administrator asks.
func TestTokenUsage(t *testing.T) {
	b := newBench(t)
	ada := b.key("ada", clew.RoleOwner)
	b.sessions.owner["s1"], b.sessions.owner["s2"], b.sessions.owner["s3"] = "ada", "ada", "bob"
	b.sessions.title["s1"] = "one"
	b.sessions.spent = map[clew.SessionID][]core.Spent{
		"s1": {{Day: "2026-11-01", Model: "big", Calls: 2, TokensIn: 10, TokensOut: 5, CostUSD: 0.1}, {Day: "2026-11-02", Model: "small", Calls: 1, TokensIn: 1, CacheReads: 7, CostUSD: 0.2}},
		"s2": {{Day: "2026-11-02", Model: "big", Calls: 1, TokensIn: 20, CacheWrites: 3, CostUSD: 0.4}},
		"s3": {{Day: "2026-11-02", Model: "big", Calls: 1, TokensOut: 9, CostUSD: 4}},
	}
	usage := func(token, query string) (u api.TokenUsage) {
		t.Helper()
		if err := json.Unmarshal([]byte(b.call(token, "GET", "/api/v1/usage/tokens"+query, "").is(http.StatusOK, "").raw), &u); err != nil {
			t.Fatal(err)
		}
		return u
	}
	same := func(got, want any) {
		t.Helper()
		if !reflect.DeepEqual(got, want) {
			t.Errorf("got  %+v\nwant %+v", got, want)
		}
	}
	first := api.TokenCount{Calls: 2, TokensIn: 10, TokensOut: 5, CostUSD: 0.1}
	second := api.TokenCount{Calls: 2, TokensIn: 21, CacheReads: 7, CacheWrites: 3, CostUSD: 0.6}
	all := api.TokenCount{Calls: 4, TokensIn: 31, TokensOut: 5, CacheReads: 7, CacheWrites: 3, CostUSD: 0.7}
	same(usage(ada, ""), api.TokenUsage{
		By: []string{"day"}, Sessions: 2, Total: all,
		Rows: []api.TokenUsageRow{{Day: "2026-11-01", TokenCount: first}, {Day: "2026-11-02", TokenCount: second}},
	})
	same(usage(ada, "?since=2026-11-02").Total, second)
	same(usage(ada, "?until=2026-11-01").Rows, []api.TokenUsageRow{{Day: "2026-11-01", TokenCount: first}})
	same(usage(ada, "?by=session").Rows, []api.TokenUsageRow{
		{SessionID: "s2", TokenCount: api.TokenCount{Calls: 1, TokensIn: 20, CacheWrites: 3, CostUSD: 0.4}},
		{SessionID: "s1", Title: "one", TokenCount: api.TokenCount{Calls: 3, TokensIn: 11, TokensOut: 5, CacheReads: 7, CostUSD: 0.3}},
	})
	same(usage(ada, "?by=day,model").Rows[1].Model, "big")
	same(len(usage(ada, "?by=day,model").Rows), 3)
	same(usage(ownerToken, "?by=person&owner=*").Rows, []api.TokenUsageRow{
		{Owner: "bob", TokenCount: api.TokenCount{Calls: 1, TokensOut: 9, CostUSD: 4}}, {Owner: "ada", TokenCount: all},
	})
	same(usage(ownerToken, "?owner=bob&by=model").Total.CostUSD, 4.0)
	b.call(ada, "GET", "/api/v1/usage/tokens?owner=bob", "").is(http.StatusForbidden, clew.Forbidden)
	b.call(ada, "GET", "/api/v1/usage/tokens?owner=*", "").is(http.StatusForbidden, clew.Forbidden)
	for _, q := range []string{"by=colour", "by=day,", "since=yesterday", "until=2026-13-01", "since=2026-1-1"} {
		b.call(ada, "GET", "/api/v1/usage/tokens?"+q, "").is(http.StatusUnprocessableEntity, clew.InvalidMessage)
	}
	if a := b.call(ada, "GET", "/api/v1/sessions", ""); !json.Valid([]byte(a.raw)) || a.body["sessions"].([]any)[0].(map[string]any)["spent"] != nil {
		t.Errorf("a list has what GET /usage/tokens is for: %s", a.raw)
	}
}
