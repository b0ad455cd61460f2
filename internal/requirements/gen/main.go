// Command gen writes docs/requirements.md from rows.txt and the Covers comments
// of all tests, which must agree. With -check it only says whether the file is up
// to date. With -record it compares rows.txt with the types that passed through the
// tests' servers, which append them to the file that RECORD_CLEW_TYPES names.
package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"github.com/clew-run/clew/internal/requirements"
)

func main() {
	root := flag.String("root", ".", "root of the repository")
	check := flag.Bool("check", false, "compare instead of writing")
	record := flag.String("record", "", "compare the rows with this record of types")
	flag.Parse()
	var err error
	if *record != "" {
		err = compare(*record)
	} else {
		err = run(*root, *check)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "requirements:", err)
		os.Exit(1)
	}
}

func run(root string, check bool) error {
	rows, err := requirements.List()
	if err != nil {
		return err
	}
	found, err := requirements.Scan(os.DirFS(root))
	if err != nil {
		return err
	}
	if err := requirements.Check(rows, found); err != nil {
		return err
	}
	doc := requirements.Render(rows, found)
	name := filepath.Join(root, filepath.FromSlash(requirements.DocPath))
	if !check {
		return os.WriteFile(name, doc, 0o644)
	}
	old, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	if !bytes.Equal(old, doc) {
		return errors.New(requirements.DocPath + " is out of date, run: make generate")
	}
	return nil
}
