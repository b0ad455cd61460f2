// Package search finds words in sessions: what people and agents said, commands and
// their output, names of files, titles.
//
// The index is a fold of the journals and a cache: SQLite with FTS5, in a directory
// of its own. If it is missing, damaged or of another version it is made anew in the
// background. Every node keeps a whole one for itself, so a query costs one node. It
// follows the journals (see Follow) and never holds up a session.
//
// A row's number is made of its session, its record and its slot, so indexing a record
// again writes the same row: a crash between the journal and the index can neither
// lose a row nor make a second one. What was rewound is not found; it is again when
// the rewind is undone.
//
// Who may read what is not known here: Find is given the sessions to look in.
package search
