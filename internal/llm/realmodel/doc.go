// Package realmodel serves a real model to tests: a small one that runs on this
// machine. It costs a download on first use, so it has to be asked for with the
// build tag realmodel.
package realmodel
