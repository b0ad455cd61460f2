// Package realmodel holds no code, only a test against a real model: a small one
// that runs on this machine. It costs a download on first use, so it has to be
// asked for with the build tag realmodel.
package realmodel
