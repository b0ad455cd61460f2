// Command site writes what the docs site is built of: the pages of docs/ and of the
// root, in the order of docs/README.md, and pages for every route of the OpenAPI
// document and every message of the AsyncAPI document. tools/docs hands it to the generator.
//
//	go run ./internal/gen/site -out dist/docs
//	go run ./internal/gen/site -openapi FILE   write the OpenAPI document and nothing else
package main

import (
	_ "embed"
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"github.com/clew-run/clew/docs"
	"github.com/clew-run/clew/internal/api"
)

//go:embed mkdocs.yml
var configuration string

//go:embed style.css
var style []byte

func main() {
	root := flag.String("root", ".", "the repository")
	out := flag.String("out", "dist/docs", "where to write")
	only := flag.String("openapi", "", "write the OpenAPI document to this file and nothing else")
	flag.Parse()
	if err := run(*root, *out, *only); err != nil {
		fmt.Fprintln(os.Stderr, "site:", err)
		os.Exit(1)
	}
}

func run(root, out, only string) error {
	if only != "" {
		document, _, err := descriptions()
		if err != nil {
			return err
		}
		return write(only, document)
	}
	s, err := build(os.DirFS(root))
	if err != nil {
		return err
	}
	if err := os.RemoveAll(out); err != nil {
		return err
	}
	s.files["style.css"] = style
	if s.files["icon.svg"], err = os.ReadFile(filepath.Join(root, "web/public/icon.svg")); err != nil {
		return err
	}
	for name, text := range s.files {
		if err := write(filepath.Join(out, "pages", filepath.FromSlash(name)), text); err != nil {
			return err
		}
	}
	return write(filepath.Join(out, "mkdocs.yml"), []byte(configuration+s.nav()))
}

func write(path string, text []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, text, 0o644)
}

// descriptions gives both descriptions of the API, as a server does.
func descriptions() (openAPI, asyncAPI []byte, err error) {
	openAPI, err = api.Document("dev")
	return openAPI, docs.AsyncAPI, err
}
