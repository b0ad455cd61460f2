// Command licenses writes the licences of everything of others that is in clew: the
// Go modules that are linked into the program for a system, the Go standard library,
// and the npm packages in the web UI, if the pages are built.
//
//	go run ./deploy/licenses linux > THIRD_PARTY_LICENSES
//
// It runs in the root of the repository. The same sources give the same bytes. It
// fails if a part has no licence, or one that parts of clew may not have.
package main

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: licenses linux|darwin|windows")
		os.Exit(2)
	}
	if err := run(".", os.Args[1], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "licenses:", err)
		os.Exit(1)
	}
}

func run(root, system string, w io.Writer) error {
	parts, err := gather(root, system)
	if err != nil {
		return err
	}
	return write(w, system, parts)
}

// gather gives all parts by name, or all that is wrong with them.
func gather(root, system string) ([]*part, error) {
	parts, web, err := modules(root, system, "./cmd/clew")
	errs := []error{err}
	std, err := standard(root)
	parts, errs = append(parts, std), append(errs, err)
	_, err = os.Stat(filepath.Join(root, "web/dist/index.html"))
	if web && !errors.Is(err, fs.ErrNotExist) {
		list, err := packages(filepath.Join(root, "web"))
		parts, errs = append(parts, list...), append(errs, err)
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	slices.SortFunc(parts, func(x, y *part) int {
		return cmp.Or(cmp.Compare(x.name, y.name), cmp.Compare(x.version, y.version))
	})
	return parts, nil
}

// write makes a table of the parts, then gives their texts. A text that many parts
// have, to the letter, is there once.
func write(w io.Writer, system string, parts []*part) error {
	var b bytes.Buffer
	fmt.Fprintf(&b, "What clew for %s has of others, and the licences of it\n\n", system)
	b.WriteString("clew itself is under the Apache License 2.0. These parts of it are under their own.\n\n")
	table := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, p := range parts {
		fmt.Fprintf(table, "%s\t%s\t%s\n", p.name, p.version, strings.Join(p.kinds, ", "))
	}
	if err := table.Flush(); err != nil {
		return err
	}
	line := strings.Repeat("=", 80)
	first := map[string]string{} // who brought a text first
	for _, p := range parts {
		fmt.Fprintf(&b, "\n%s\n%s %s\n%s\n%s\n", line, p.name, p.version, strings.Join(p.kinds, ", "), line)
		for _, t := range p.texts {
			body := strings.Trim(t.body, "\n")
			if where, ok := first[body]; ok {
				fmt.Fprintf(&b, "\n%s: the same text as %s above.\n", t.file, where)
				continue
			}
			first[body] = t.file + " of " + p.name
			fmt.Fprintf(&b, "\n%s:\n\n%s\n", t.file, body)
		}
	}
	_, err := w.Write(b.Bytes())
	return err
}
