//go:build linux

package docs

import (
	"reflect"
	"slices"
	"testing"
)

const sample = `# A page

Say ` + "`clew ls`" + ` or ` + "`clew\nshow`" + `.

<!-- model
- reply: [{text: Hello}]
-->

<!-- before
new_question
-->
<!-- run: req_1 is $REQUEST; exits 4; needs man; sees "a"; types "y" at "[y/N]" -->
` + "```sh name=x\nclew answer req_1\n```" + `

- In a list:

  ` + "```console\n  $ clew ls\n  SESSION  12\n  ```" + `
`

// A page is taken apart as its author meant it.
func TestReadPage(t *testing.T) {
	p, err := readPage("x.md", sample)
	if err != nil {
		t.Fatal(err)
	}
	if p.model != "- reply: [{text: Hello}]\n" || !reflect.DeepEqual(p.spans, []span{{3, "clew ls"}, {3, "clew show"}}) {
		t.Errorf("%+v", p)
	}
	h, err := p.blocks[0].how()
	want := how{code: 4, needs: []string{"man"}, typed: []typing{{"", "a"}, {"y", "[y/N]"}}, values: [][2]string{{"req_1", "$REQUEST"}}}
	if err != nil || !reflect.DeepEqual(h, want) || p.blocks[0].before != "new_question\n" || p.blocks[0].lang != "sh" {
		t.Errorf("%+v %+v %v", p.blocks[0], h, err)
	}
	text, shown := commandsOf("console", p.blocks[1].text)
	if text != "clew ls\n" || len(shown) != 1 || !loosely(shown[0]).MatchString("SESSION    7") || loosely(shown[0]).MatchString("SESSIONS 7") {
		t.Errorf("%q %q", text, shown)
	}
	w := &world{listen: "127.0.0.1:9"}
	got := w.filled("SESSION=$(x) && clew undo SESSION HASH --server 127.0.0.1:8000 # $SESSION\nclew show req_1", h)
	if got != "SESSION=$(x) && clew undo \"$SESSION\" \"$HASH\" --server 127.0.0.1:9 # $SESSION\nclew show $REQUEST" {
		t.Error(got)
	}
}

// What nobody would run is refused.
func TestReadPageRefuses(t *testing.T) {
	fence := "```sh\nclew ls\n```\n"
	for text, ok := range map[string]bool{
		fence:                                    true,
		"<!-- run: no, it is late -->\n" + fence: true,
		"<!-- run: by make test-manual -->\n" + fence:                    true,
		"<!-- run: by TestManual in internal/e2e/failover -->\n" + fence: true,
		"<!-- any other comment -->\n\ntext\n":                           true,
		"<!-- run: by make test-nothing -->\n" + fence:                   false,
		"<!-- run: by TestNothing in internal/cli -->\n" + fence:         false,
		"<!-- run: perhaps -->\n" + fence:                                false,
		"<!-- run: no, it is late -->\n\ntext\n\n" + fence:               false,
		"text\n\n    clew ls\n":                                          false,
		"<!-- run: no,":                                                  false,
	} {
		p, err := readPage("x.md", text)
		for _, b := range p.blocks {
			if _, wrong := b.how(); wrong != nil {
				err = wrong
			}
		}
		if (err == nil) != ok {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// A translation has the commands of its original, and a page may be another test's.
func TestWholePages(t *testing.T) {
	read := func(name, text string) page {
		p, err := readPage(name, text)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	original := read("a.md", "```sh\nclew ls    # all\n```\n")
	same := read("a.fr.md", "# A\n\n```sh\nclew ls # tous\n```\n")
	tested := read("c.md", "<!-- page: by TestManual in internal/e2e/failover -->\n\n# C\n\n```sh\nclew ls\n```\n")
	all := []page{original, same, tested}
	for i, want := range []bool{true, false, false} {
		if not, others := leftOut(t, all[i], all); others != want || len(not) != map[bool]int{true: 0, false: 1}[want] {
			t.Errorf("%s: %q, %v", all[i].name, not, others)
		}
	}
	if other := read("d.md", "```sh\nclew ls --json\n```\n"); slices.Equal(other.commands(), original.commands()) {
		t.Error("other commands are taken for the same")
	}
}

// A command that fails is noticed, and what a block set is there in the next one.
func TestShell(t *testing.T) {
	if missing(t, "curl") {
		t.Skip("there is no curl")
	}
	w := newWorld(t, page{})
	for _, c := range []struct {
		text string
		how  how
		code int
	}{
		{"X='a\nb'; cd /; f() { [ \"$X\" = $'a\\nb' ]; }", how{}, 0},
		{"[ $PWD = / ] && f", how{}, 0},
		{"false; true", how{}, 1},
		{"clew cheese", how{}, 2},
		{"echo $UNSET", how{}, 127},
		{"false | true", how{}, 1},
		{"clew exit-codes | false || true", how{}, 0},
		{"read -r -p 'Well? ' answer; [ $answer = yes ]", how{typed: []typing{{"yes", "Well?"}}}, 0},
		{"read -r -p 'Well? ' answer; [ $answer = yes ]", how{typed: []typing{{"no", "Well?"}}}, 1},
		{"echo hello", how{typed: []typing{{"", "goodbye"}}}, -1},
	} {
		if out, code := w.run(c.text, c.how); code != c.code {
			t.Errorf("%s: exit code %d, not %d: %s", c.text, code, c.code, out)
		}
	}
}
