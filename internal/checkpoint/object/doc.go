// Package object is the object store under checkpoints: a bare git repository
// with SHA-256 names. New objects go into packs that this package writes; packs
// that it wrote are read directly, those that git made are read through git. It
// is the only caller of git.
package object
