package ipynb

import (
	"bytes"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/nightly"
)

// hostile lists small files that try to be misread: "" is for those that can be read
// without harm.
var hostile = map[string]string{
	"prototype": "", "scripts": "", "counts": "", "transient-names": "", "agent-wrong-types": "",
	"ids": "id is", "ids-quotes": "id is", "counts-beyond": "execution_count is", "counts-exponent": "execution_count is",
	"wrong-types": "source is not", "null-everywhere": "nbformat is missing",
}

func TestHostileFiles(t *testing.T) {
	files, err := filepath.Glob("testdata/hostile/*.ipynb")
	if err != nil || len(files) != len(hostile) {
		t.Fatalf("%d files for %d cases, %v", len(files), len(hostile), err)
	}
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		name := strings.TrimSuffix(filepath.Base(file), ".ipynb")
		n, err := Read(b)
		if want := hostile[name]; want != "" {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		again := mustRead(t, mustWrite(t, n))
		if !reflect.DeepEqual(again, n) {
			t.Errorf("%s: %+v, then %+v", name, n, again)
		}
	}
}

// big repeats a text between two others until the whole has about so many megabytes.
func big(megabytes int, before, text, after string) []byte {
	var b bytes.Buffer
	b.Grow(megabytes<<20 + len(before) + len(after))
	b.WriteString(before)
	for b.Len() < megabytes<<20 {
		b.WriteString(text)
	}
	b.WriteString(after)
	return b.Bytes()
}

// numbered gives the keys of an object, all different, of about so many megabytes.
func numbered(megabytes int) string {
	var b strings.Builder
	for i := 0; b.Len() < megabytes<<20; i++ {
		b.WriteString(`"` + strconv.FormatInt(int64(i), 36) + `":1,`)
	}
	return b.String() + `"":1`
}

const (
	head = `{"nbformat":4,"nbformat_minor":5,"metadata":`
	code = `{"cell_type":"code","id":"a","metadata":{},"source":"","execution_count":null,"outputs":[`
	tiny = `{"cell_type":"raw","source":""}`
)

// Files of many megabytes cannot make the reader take many times as much memory, whether
// they are refused or not, nor the writer. The bound is on all that is taken in the course
// of it, so that what is in use at one time is less.
func TestMemoryIsBounded(t *testing.T) {
	size := nightly.Size(16, 60)
	deep := strings.Repeat(`{"b":`, 60)
	for _, c := range []struct {
		name, want string
		file       func() []byte
	}{
		{"too many bytes", "more than 67108864", func() []byte { return big(65, "", " ", "") }},
		{"only brackets", "more than 64 deep", func() []byte { return big(size, "", "[", "") }},
		{"only braces", "more than 64 deep", func() []byte { return big(size, head, `{"":`, "") }},
		{"many cells", "more than 10000 cells", func() []byte { return big(size, head+`{},"cells":[`+tiny, ","+tiny, "]}") }},
		{"cells of nothing", "not an object", func() []byte { return big(size, head+`{},"cells":[0`, ",0", "]}") }},
		{"many outputs", "more than 10000 outputs", func() []byte {
			return big(size, head+`{},"cells":[`+code+`{"output_type":"stream","name":"","text":""}`, `,{"output_type":"stream","name":"","text":""}`, "]}]}")
		}},
		{"outputs in many cells", "100000 in all", func() []byte {
			one := code + strings.TrimSuffix(strings.Repeat(`{"output_type":"stream","name":"","text":""},`, 100), ",") + "]}"
			return big(8, head+`{},"cells":[`+one, ","+one, "]}")
		}},
		{"many keys", "more than 1000000 keys", func() []byte { return []byte(head + "{" + numbered(size) + `},"cells":[]}`) }},
		{"many keys inside", "more than 1000000 keys", func() []byte { return []byte(head + `{"k":{` + numbered(size) + `}},"cells":[]}`) }},
		{"a long traceback", "lines of tracebacks", func() []byte {
			return big(size, head+`{},"cells":[`+code+`{"output_type":"error","ename":"","evalue":"","traceback":[""`, `,""`, "]}]}]}")
		}},
		{"a source of empty lines", "", func() []byte { return big(size, head+`{},"cells":[{"cell_type":"raw","source":[""`, `,""`, "]}]}") }},
		{"a long list", "", func() []byte { return big(size, head+`{"k":[[]`, ",[]", `]},"cells":[]}`) }},
		{"a long text of escapes", "", func() []byte { return big(size, head+`{},"cells":[{"cell_type":"raw","source":"`, `\u0000\n`, `"}]}`) }},
		{"a long key", "", func() []byte { return big(size, head+`{"`, "k", `":1},"cells":[]}`) }},
		{"a long number", "", func() []byte { return big(size, head+`{"k":`, "9", `},"cells":[]}`) }},
		{"a long count", "nbformat is", func() []byte { return big(size, `{"nbformat":`, "9", "}") }},
		{"many tags", "", func() []byte {
			return big(size, head+`{},"cells":[{"cell_type":"raw","source":"","metadata":{"tags":["a"`, `,"a"`, "]}}]}")
		}},
		{"unsorted at each depth", "", func() []byte {
			return big(size, head+deep+`"`, "x", `"`+strings.Repeat(`,"a":1}`, 60)+`,"cells":[]}`)
		}},
		{"many checkpoints", "", func() []byte {
			return big(size, head+`{"hdsp_agent":{"checkpoints":[{"":1}`, `,{"":1}`, `]}},"cells":[]}`)
		}},
		{"one id for all", "", func() []byte {
			one := `{"cell_type":"raw","id":"a","source":""}`
			return []byte(head + `{},"cells":[` + one + strings.Repeat(","+one, 9_999) + "]}")
		}},
		{"more spaces than text", "", func() []byte {
			return big(size, head+`{"k":`+strings.Repeat("[", 60)+"1", ",1", strings.Repeat("]", 60)+`},"cells":[]}`)
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			file := c.file()
			var n *Notebook
			var err error
			read := allocated(func() { n, err = Read(file) })
			bound := 5*uint64(len(file)) + 192<<20
			if read > bound {
				t.Errorf("reading %d MiB took %d MiB", len(file)>>20, read>>20)
			}
			if c.want != "" {
				if err == nil || !strings.Contains(err.Error(), c.want) || len(err.Error()) > 300 {
					t.Errorf("%.400v", err)
				}
				t.Logf("%d MiB: refused, %d MiB taken", len(file)>>20, read>>20)
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			wrote := allocated(func() { _, err = n.Bytes() })
			if bound += 5 * uint64(Default.Bytes); wrote > bound {
				t.Errorf("writing took %d MiB", wrote>>20)
			}
			if code := clew.CodeOf(err); code != "" && code != clew.MessageTooLarge {
				t.Error(err)
			}
			agent := allocated(func() { AgentState(n) })
			if agent > bound {
				t.Errorf("the agent's state took %d MiB", agent>>20)
			}
			t.Logf("%d MiB: read, %d MiB taken; %d MiB to write (%.60v), %d MiB for the agent's state", len(file)>>20, read>>20, wrote>>20, err, agent>>20)
		})
	}
}

// allocated says how many bytes were taken, those given back included.
func allocated(do func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	do()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}
