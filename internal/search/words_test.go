package search

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// shown gives an excerpt with what matches in brackets.
func shown(parts []Fragment) string {
	var b strings.Builder
	for _, p := range parts {
		if p.Match {
			b.WriteString("[" + p.Text + "]")
		} else {
			b.WriteString(p.Text)
		}
	}
	return b.String()
}

func TestExcerpt(t *testing.T) {
	long := strings.Repeat("before ", 100) + "the request key is here" + strings.Repeat(" after", 100)
	for _, c := range []struct{ text, query, want string }{
		{"Store a request key with each order.", "request key", "Store a [request key] with each order."},
		{"no such column: orders.request_key", "request key", "no such column: orders.[request_key]"},
		{`curl -H "Request-Key: k-77"`, "request key", `curl -H "[Request-Key]: k-77"`},
		{"import/request_keys.csv", "request key", "import/[request_keys].csv"},
		{"see orders.py and orders.pyc", "orders.py", "see [orders.py] and [orders.pyc]"},
		{"Store a request key.", "request k", "Store a [request] key."},
		{"key of the request", "request key", "[key] of the [request]"},
		{"key of the request, request key", `"request key"`, "key of the request, [request key]"},
		{"주문이 두 번 결제됩니다", "주문", "[주문]이 두 번 결제됩니다"},
		{"주문이 두 번 결제됩니다", "결제됩", "주문이 두 번 [결제됩]니다"},
		{"주문이 두 번 결제됩니다", "번", "주문이 두 [번] 결제됩니다"},
		{"注文が二重になる", "二重", "注文が[二重]になる"},
		{"支付被重复扣款", "重复", "支付被[重复]扣款"},
		{"サーバーのエラー", "サーバー", "[サーバー]のエラー"},
		{"Café Ünïcode", "cafe unicode", "[Café Ünïcode]"},
		{"ＦＵＬＬ width", "full", "[ＦＵＬＬ] width"},
		{"JavaScript and requestKey", "javascript requestkey", "[JavaScript] and [requestKey]"},
		{"first\nsecond request line\nthird", "request", "…second [request] line third"},
		{long, "request key", "…before before before before before before before before the [request key] is here" + strings.Repeat(" after", 24) + "…"},
	} {
		parts, score := excerpt(c.text, parseQuery(c.query))
		if got := shown(parts); score == 0 || c.text != long && got != c.want {
			t.Errorf("%q in %q:\n%s\nwant\n%s", c.query, c.text, got, c.want)
		} else if c.text == long && (!strings.Contains(got, "the [request key] is here after") || len(got) > 300 || !strings.HasPrefix(got, "…") || !strings.HasSuffix(got, "…")) {
			t.Error(got)
		}
	}
}

// What an excerpt marks is what the index finds: a text is found by every one of its
// words, and by every part of a run without spaces.
func FuzzWords(f *testing.F) {
	for _, s := range []string{"request_key", "주문 결제", "a\x00b\xff", "İstanbul ŉ ﬁ ½ ㎏", "e\u0301 한", "ー", `"*:^(){}[]-+`, strings.Repeat("x", 200)} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		text = clean(text, 1000)
		if !utf8.ValidString(text) {
			t.Fatalf("%q", text)
		}
		for _, w := range splitWords(text) {
			terms := parseQuery(text[w.start:w.end])
			if len(terms) == 0 {
				t.Fatalf("%q of %q is no query", text[w.start:w.end], text)
			}
			if len(findTerms(text, terms)) == 0 {
				t.Fatalf("%q is not found in %q", text[w.start:w.end], text)
			}
		}
		parts, _ := excerpt(text, parseQuery(text))
		for _, p := range parts {
			if !utf8.ValidString(p.Text) || strings.ContainsAny(p.Text, "\n\x00") {
				t.Fatalf("%q", p.Text)
			}
		}
	})
}
