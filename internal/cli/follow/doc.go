// Package follow tells a session to a person as it goes on: its story, its
// questions with what is typed to them, and how it ended.
package follow
