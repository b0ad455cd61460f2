// Command pictures draws the pictures of docs/time-travel.md. It plays a real
// session in a server of its own, with the scripted model and real files, and
// draws what the records say.
//
//	go run ./internal/gen/pictures          write the pictures
//	go run ./internal/gen/pictures -check   compare only; exit status 1 if one is stale
package main

//go:generate go run . -root ../../..

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// playWithin bounds the session, which takes about a second.
const playWithin = 2 * time.Minute

func main() {
	root := flag.String("root", ".", "the repository")
	check := flag.Bool("check", false, "compare only")
	flag.Parse()
	ctx, cancel := context.WithTimeout(context.Background(), playWithin)
	defer cancel()
	if err := run(ctx, *root, *check); err != nil {
		fmt.Fprintln(os.Stderr, "pictures:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, root string, check bool) error {
	pictures, err := draw(ctx)
	if err != nil {
		return err
	}
	dir := filepath.Join(root, "docs", "pictures")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	var stale []error
	names := make([]string, 0, len(pictures))
	for name := range pictures {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		path := filepath.Join(dir, name)
		old, err := os.ReadFile(path)
		if err != nil && !os.IsNotExist(err) {
			return err
		}
		switch {
		case bytes.Equal(old, pictures[name]):
		case check:
			stale = append(stale, fmt.Errorf("%s is stale; run: go run ./internal/gen/pictures", path))
		default:
			if err := os.WriteFile(path, pictures[name], 0o644); err != nil {
				return err
			}
			fmt.Println("wrote", path)
		}
	}
	return errors.Join(stale...)
}

// draw plays the session and gives the pictures by their names.
func draw(ctx context.Context) (map[string][]byte, error) {
	story, err := play(ctx)
	if err != nil {
		return nil, err
	}
	return map[string][]byte{
		"rewind.svg": drawScene(story.begun, story.rewound, "A rewind, and another try"),
		"undo.svg":   drawScene(story.rewound, story.undone, "The rewind is undone"),
		"fork.svg":   drawFork(story.undone, story.forked),
	}, nil
}
