// Package web holds the built web UI, so that the server is one file. The
// sources beside it are TypeScript; `make web` builds them into dist.
package web

import (
	"embed"
	"io/fs"
)

// dist has nothing but .keep in a tree in which the UI was not built.
//
//go:embed all:dist
var dist embed.FS

// Files gives the built UI: index.html, sw.js, assets/… If it was not built there
// is no index.html.
func Files() fs.FS {
	files, err := fs.Sub(dist, "dist")
	if err != nil { // it is part of the program
		panic(err)
	}
	return files
}
