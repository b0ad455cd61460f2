// Command gen writes what follows from the catalogue: the JSON Schema, the
// AsyncAPI document, the TypeScript and Python types and the tables in PROTOCOL.md.
//
//	go run ./internal/gen          write the files
//	go run ./internal/gen -check   compare only; exit status 1 if one is stale
package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
)

func main() {
	root := flag.String("root", ".", "the repository")
	check := flag.Bool("check", false, "compare only")
	flag.Parse()
	if err := run(*root, *check); err != nil {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(1)
	}
}

// A file is one product of the generator. make gets the file as it is on disk,
// because only a part of it may be generated.
type file struct {
	path string
	make func(old []byte) ([]byte, error)
}

var files = []file{
	{"docs/schema/clew.schema.json", schemaFile},
	{"docs/asyncapi.json", asyncFile},
	{"sdk/typescript/src/types.gen.ts", typescriptFile},
	{"sdk/python/src/clew/types.py", pythonFile},
	{"PROTOCOL.md", fillTables},
}

func run(root string, check bool) error {
	stale := 0
	for _, f := range files {
		path := filepath.Join(root, f.path)
		old, err := os.ReadFile(path)
		if err != nil && !os.IsNotExist(err) {
			return err
		}
		made, err := f.make(old)
		if err != nil {
			return fmt.Errorf("%s: %w", f.path, err)
		}
		if bytes.Equal(old, made) {
			continue
		}
		if check {
			stale++
			fmt.Fprintf(os.Stderr, "%s is stale: %s\n", f.path, difference(old, made))
			continue
		}
		if err := write(path, made); err != nil {
			return err
		}
		fmt.Println("wrote", f.path)
	}
	if stale > 0 {
		return fmt.Errorf("%d stale; run: go run ./internal/gen", stale)
	}
	return nil
}

func write(path string, b []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, b, 0o644)
}

// difference shows the first line that differs.
func difference(old, made []byte) string {
	a, b := bytes.Split(old, []byte("\n")), bytes.Split(made, []byte("\n"))
	for i := range min(len(a), len(b)) {
		if !bytes.Equal(a[i], b[i]) {
			return fmt.Sprintf("line %d is %.80q, should be %.80q", i+1, a[i], b[i])
		}
	}
	return fmt.Sprintf("%d lines, should be %d", len(a), len(b))
}
