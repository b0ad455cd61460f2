// Command gen writes docs/settings.md from the table of keys.
//
//	go run ./internal/settings/gen          write the file
//	go run ./internal/settings/gen -check   compare only; exit status 1 if it is stale
package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"github.com/clew-run/clew/internal/settings"
)

func main() {
	root := flag.String("root", ".", "root of the repository")
	check := flag.Bool("check", false, "compare only")
	flag.Parse()
	if err := run(*root, *check); err != nil {
		fmt.Fprintln(os.Stderr, "settings:", err)
		os.Exit(1)
	}
}

func run(root string, check bool) error {
	name := filepath.Join(root, "docs", "settings.md")
	page := settings.Reference()
	if !check {
		return os.WriteFile(name, page, 0o644)
	}
	old, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	if !bytes.Equal(old, page) {
		return errors.New("docs/settings.md is stale; run: go run ./internal/settings/gen")
	}
	return nil
}
