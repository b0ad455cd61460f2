package client

import (
	"context"
	"net/http"
	"net/url"
	"strconv"

	"github.com/clew-run/clew"
)

// SearchQuery says what to look for, and where. Only Q is required.
type SearchQuery struct {
	Q         string
	Kind      string         // message, command, file or title; "" is any
	Session   clew.SessionID // only there, in order of time
	Workspace string
	Person    clew.UserID
	SinceMS   int64
	Owner     string // "*" is everybody's, for administrators
	Newest    bool   // in place of the best matches first
	Limit     int    // sessions, or matches in Session; 0 leaves it to the server
	Cursor    string
}

// A SearchResult is a page of what was found.
type SearchResult struct {
	// Indexing says that there may be more than what was found: the index is behind.
	Indexing bool         `json:"indexing"`
	Waiting  int          `json:"waiting,omitempty"` // sessions that are known to have something new
	More     bool         `json:"more,omitempty"`    // there are more matches than were counted
	Total    int          `json:"total"`
	Sessions int          `json:"sessions"`
	Counts   SearchCounts `json:"counts"`
	Groups   []FoundIn    `json:"groups"`
	Next     string       `json:"next,omitempty"`
	TookMS   int64        `json:"took_ms"`
}

// SearchCounts has the matches of each kind.
type SearchCounts struct {
	Message int `json:"message"`
	Command int `json:"command"`
	File    int `json:"file"`
	Title   int `json:"title"`
}

// FoundIn is a session in which something was found.
type FoundIn struct {
	SessionID clew.SessionID     `json:"session_id"`
	Title     string             `json:"title"`
	Workspace string             `json:"workspace,omitempty"`
	Status    string             `json:"status"`
	Outcome   clew.OutcomeStatus `json:"outcome,omitempty"`
	Questions int                `json:"questions,omitempty"`
	Owner     clew.UserID        `json:"owner,omitempty"`
	UpdatedMS int64              `json:"updated_ms"`
	LastSeq   uint64             `json:"last_seq"`
	Matches   int                `json:"matches"`
	Hits      []SearchHit        `json:"hits"`
}

// A SearchHit is something that was found. A title has no message.
type SearchHit struct {
	MessageID clew.MessageID `json:"message_id,omitempty"`
	Seq       uint64         `json:"seq,omitempty"`
	Kind      string         `json:"kind"`
	Output    bool           `json:"output,omitempty"` // of the command
	By        clew.UserID    `json:"by,omitempty"`     // "" is an agent
	AtMS      int64          `json:"at_ms"`
	Excerpt   []ExcerptPart  `json:"excerpt"`
}

// An ExcerptPart is a piece of one line of text.
type ExcerptPart struct {
	Text  string `json:"text"`
	Match bool   `json:"match,omitempty"`
}

// Search finds words in the sessions that the caller may read.
func (a *API) Search(ctx context.Context, q SearchQuery) (r SearchResult, err error) {
	v := url.Values{"q": {q.Q}}
	setIf(v, "kind", q.Kind)
	setIf(v, "session", string(q.Session))
	setIf(v, "workspace", q.Workspace)
	setIf(v, "person", string(q.Person))
	setIf(v, "owner", q.Owner)
	setIf(v, "cursor", q.Cursor)
	if q.SinceMS > 0 {
		v.Set("since", strconv.FormatInt(q.SinceMS, 10))
	}
	if q.Newest {
		v.Set("sort", "newest")
	}
	if q.Limit > 0 {
		v.Set("limit", strconv.Itoa(q.Limit))
	}
	err = a.call(ctx, http.MethodGet, "/search", v, nil, &r)
	return r, err
}
