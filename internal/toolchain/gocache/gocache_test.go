package gocache

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// An entry of the shared cache is found, a new one goes to the private cache, and
// the shared one stays as it was.
func TestReadsThroughAndWritesApart(t *testing.T) {
	shared, private := t.TempDir(), filepath.Join(t.TempDir(), "new")
	fill := func(dir, action, output, text string) {
		var r response
		if err := r.put(dir, request{ActionID: []byte(action), OutputID: []byte(output), BodySize: int64(len(text))}, []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	fill(shared, "old", "out1", "warm")
	before := listing(t, shared)
	lines := []string{
		`{"ID":1,"Command":"get","ActionID":"b2xk"}`,
		`{"ID":2,"Command":"get","ActionID":"bmV3"}`,
		`{"ID":3,"Command":"put","ActionID":"bmV3","OutputID":"b3V0Mg==","BodySize":5}`, `"ZnJlc2g="`,
		`{"ID":4,"Command":"get","ActionID":"bmV3"}`,
		`{"ID":5,"Command":"put","ActionID":"b2xk","OutputID":"b3V0Mw==","BodySize":0}`,
		`{"ID":6,"Command":"get","ActionID":"b2xk"}`,
		`{"ID":7,"Command":"close"}`,
	}
	var out strings.Builder
	if err := Serve(strings.NewReader(strings.Join(lines, "\n")), &out, shared, private); err != nil {
		t.Fatal(err)
	}
	var got []response
	for dec := json.NewDecoder(strings.NewReader(out.String())); dec.More(); {
		var r response
		if err := dec.Decode(&r); err != nil {
			t.Fatal(err)
		}
		got = append(got, r)
	}
	if len(got) != 8 || len(got[0].KnownCommands) != 3 {
		t.Fatalf("answers: %+v", got)
	}
	if got[1].Miss || !strings.HasPrefix(got[1].DiskPath, shared) || got[1].Size != 4 {
		t.Errorf("the shared entry: %+v", got[1])
	}
	if !got[2].Miss {
		t.Errorf("an entry that nobody has: %+v", got[2])
	}
	if got[4].Miss || !strings.HasPrefix(got[4].DiskPath, private) || string(got[4].OutputID) != "out2" {
		t.Errorf("the new entry: %+v", got[4])
	}
	if string(got[6].OutputID) != "out3" {
		t.Errorf("the private entry does not come first: %+v", got[6])
	}
	if after := listing(t, shared); after != before {
		t.Errorf("the shared cache changed:\n%s\n%s", before, after)
	}
}

func TestDamagedEntriesAreMisses(t *testing.T) {
	dir := t.TempDir()
	for _, text := range []string{"", "v1 a b c d\n", "v1 6f6c64 6f757431 4 1\n", "v2 6f6c64 6f757431 4 1\n", "v1 6f6c64 zz 4 1\n"} {
		if err := write(name(dir, "6f6c64", "a"), []byte(text)); err != nil {
			t.Fatal(err)
		}
		var r response
		if r.get(dir, []byte("old")) {
			t.Errorf("%q counts as an entry", text)
		}
	}
}

func listing(t *testing.T, dir string) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(dir, func(path string, _ os.DirEntry, err error) error {
		b.WriteString(path + "\n")
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}
