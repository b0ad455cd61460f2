//go:build race

package nightly

const race = true
