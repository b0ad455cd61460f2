package session

import (
	"context"
	"encoding/base64"
	"strings"

	"github.com/clew-run/clew"
)

// Services takes commands that are about the server rather than about one
// session: settings, profiles, tool servers.
type Services interface {
	// Handle carries a command out, or leaves it to the session, changed if need
	// be. taken says which. The caller's rights in the session were checked.
	Handle(ctx context.Context, id clew.SessionID, cmd *clew.Command) (answer *Answer, taken bool, err error)
}

// Blobs keeps what is too large for a record, by the hash of its bytes.
type Blobs interface {
	PutBlob(ctx context.Context, data []byte) (address string, err error)
}

// BlobScheme marks the address of a blob.
const BlobScheme = "blob:"

// storeImages puts the images that a person sent among the blobs: the record
// has their addresses.
func (h *Host) storeImages(ctx context.Context, data any) error {
	if h.cfg.Blobs == nil {
		return nil
	}
	var images []string
	switch d := data.(type) {
	case *clew.UserMessageData:
		images = d.Images
	case *clew.NewTaskData:
		images = d.Images
	case *clew.AskResponseData:
		images = d.Images
	case *clew.WindowMessageData:
		images = d.Images
	}
	for i, url := range images {
		address, err := StoreImage(ctx, h.cfg.Blobs, url)
		if err != nil {
			return err
		}
		images[i] = address
	}
	return nil
}

// imageTypes are what models take.
var imageTypes = []string{"image/png", "image/jpeg", "image/gif", "image/webp"}

// StoreImage puts a data URL among the blobs and gives its address. An address
// stays as it is.
func StoreImage(ctx context.Context, blobs Blobs, url string) (string, error) {
	if strings.HasPrefix(url, BlobScheme) {
		return url, nil
	}
	head, body, ok := strings.Cut(strings.TrimPrefix(url, "data:"), ";base64,")
	if !ok || !strings.HasPrefix(url, "data:") {
		return "", clew.Errorf(clew.InvalidMessage, "an image is a data URL in base64, or the address of a blob")
	}
	known := false
	for _, t := range imageTypes {
		known = known || head == t
	}
	data, err := base64.StdEncoding.DecodeString(body)
	if err != nil || !known {
		return "", clew.Errorf(clew.InvalidMessage, "an image is a PNG, JPEG, GIF or WebP")
	}
	address, err := blobs.PutBlob(ctx, data)
	if err != nil {
		return "", clew.WrapError(clew.StorageFailed, err, "the image could not be stored")
	}
	return BlobScheme + address, nil
}

// An Overview is what a user interface wants to know of a session beside its
// transcript.
type Overview struct {
	Settings map[string]any     `json:"settings,omitempty"`
	Current  *clew.HistoryItem  `json:"current,omitempty"`
	Todos    []clew.Todo        `json:"todos,omitempty"`
	Mode     string             `json:"mode,omitempty"`
	Tasks    []clew.HistoryItem `json:"tasks,omitempty"` // newest first
}

// Overview gives a session's tasks and settings.
func (h *Host) Overview(ctx context.Context, id clew.SessionID) (Overview, error) {
	var o Overview
	err := h.at(ctx, id, false, func(s *Session) error {
		return s.look(ctx, func(s *Session) { o = s.overview() })
	}, func(node string) (err error) {
		o, err = h.callOverview(ctx, node, id)
		return err
	})
	return o, err
}

// overview runs in the session's goroutine.
func (s *Session) overview() Overview {
	o := Overview{Settings: s.state.Settings}
	tasks := s.state.tasks()
	for i := len(tasks) - 1; i >= 0; i-- {
		o.Tasks = append(o.Tasks, tasks[i].item(s.state.Workspace))
	}
	if t := s.state.Task(s.state.Current); t != nil {
		item := t.item(s.state.Workspace)
		o.Current, o.Todos, o.Mode = &item, append([]clew.Todo{}, t.Todos...), t.Mode
	}
	return o
}
