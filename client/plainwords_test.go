package client_test

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/client"
)

// A yes is told from words, in the languages of the people who use clew most.
func TestPlainYesNo(t *testing.T) {
	for text, want := range map[string]string{
		"yes": "yes", " Y ": "yes", "OK.": "yes", "okay!": "yes", "sure": "yes", "go": "yes", "Go ahead": "yes", "looks good": "yes",
		"approve": "yes", "LGTM!!": "yes", "네": "yes", "예.": "yes", "좋아요": "yes", "Yes, go ahead!": "yes", "yes please": "yes",
		"ok, looks good to me.": "yes", "진행해 주세요": "yes", "yes yes": "yes", "'yes'": "yes", "\"ok\"": "yes",
		"no": "no", "N": "no", "Nope.": "no", "don't": "no", "Don’t do it!": "no", "아니요": "no", "안 돼요": "no", "no thanks": "no",
		"": "", "  ": "", "...": "", "please": "", "yes but use make": "", "no, use make": "", "yes?": "", "no go": "", "yes no": "",
		"yesterday": "", "ok google": "", "go test ./...": "", "go on with the other file": "", "nothing": "", "not that one": "",
		"approve only the first": "", "네 그런데 이름을 바꿔 주세요": "", "continue with the second step": "",
		"yes yes yes yes yes yes yes": "",
	} {
		got := ""
		if yes, plain := client.PlainYesNo(text); plain && yes {
			got = "yes"
		} else if plain {
			got = "no"
		}
		if got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
}

// The web UI has the same phrases until it takes those of the catalogue.
func TestPhrasesOfTheWeb(t *testing.T) {
	b, err := os.ReadFile("../web/src/features/session/composer/plainYesNo.ts")
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, m := range regexp.MustCompile("(?s)phrasesOf\\(`(.*?)`\\)").FindAllSubmatch(b, -1) {
		found = append(found, strings.Join(strings.Fields(string(m[1])), " "))
	}
	want := []string{strings.Join(clew.PlainYes, " | "), strings.Join(clew.PlainNo, " | ")}
	if len(found) > 0 && !slices.Equal(found, want) {
		t.Errorf("the catalogue has\n%q\nand the web\n%q", want, found)
	}
}
