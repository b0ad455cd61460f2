package main

import (
	"errors"
	"strings"
)

// rules are the commands that the bot approves, each as its words.
type rules [][]string

// add takes a rule from the command line.
func (r *rules) add(rule string) error {
	words := strings.Fields(rule)
	if len(words) == 0 || words[0] == "*" {
		return errors.New("a rule begins with a program")
	}
	*r = append(*r, words)
	return nil
}

// plain are the characters of a line that a shell reads as it stands. With any
// other in it, the words here may not be the words there.
const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 -_./=:,@+%"

// refuse says why a command is not approved, "" if it is.
func (r rules) refuse(command string) string {
	if i := strings.IndexFunc(command, func(c rune) bool { return !strings.ContainsRune(plain, c) }); i >= 0 {
		return "it reads plain words only, and the command has more than that"
	}
	words := strings.Fields(command)
	for _, rule := range r {
		if fits(rule, words) {
			return ""
		}
	}
	return "the command is not on its list"
}

// fits compares word by word. A last * stands for any further words, or none.
func fits(rule, words []string) bool {
	if last := len(rule) - 1; rule[last] == "*" {
		if len(words) < last {
			return false
		}
		rule, words = rule[:last], words[:last]
	}
	if len(rule) != len(words) {
		return false
	}
	for i := range rule {
		if rule[i] != words[i] {
			return false
		}
	}
	return true
}
