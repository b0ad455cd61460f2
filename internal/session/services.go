package session

import (
	"context"
	"encoding/base64"
	"slices"
	"strings"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session/blob"
	"github.com/clew-run/clew/internal/session/core"
	"github.com/clew-run/clew/internal/session/decide"
)

// Services takes commands that are about the server rather than about one
// session: settings, profiles, tool servers.
type Services interface {
	// Handle carries a command out, or leaves it to the session, changed if need
	// be. taken says which. The caller's rights in the session were checked.
	Handle(ctx context.Context, id clew.SessionID, cmd *clew.Command) (answer *Answer, taken bool, err error)
}

// Blobs keeps what is too large for a record, by the hash of its bytes. What a user
// may not have is refused with BudgetExceeded.
type Blobs interface {
	PutBlob(ctx context.Context, by blob.For, data []byte) (address string, err error)
	Blob(ctx context.Context, address string) ([]byte, error)
}

// Rules keeps what owners of sessions want remembered beyond them.
type Rules interface {
	// Keep keeps a rule. The same one again changes nothing.
	Keep(ctx context.Context, rule core.KeptRule) error
	// Drop takes back the rule that an answer to a question had kept, if there is one.
	Drop(ctx context.Context, owner clew.UserID, id clew.RequestID) error
}

// References says to which blobs sessions refer: *blob.Finder.
type References interface {
	Refers(ctx context.Context, id clew.SessionID, address string) (bool, error)
}

// BlobScheme marks the address of a blob.
const BlobScheme = blob.Scheme

// What a person may send along with a message.
const (
	maxImages = 20
	maxImage  = 10 << 20
)

// storeImages puts the images that a person sent among the blobs: the record
// has their addresses. The address of an image that the session has already stays
// as it is; that of another would give whoever knows it what is not theirs.
func (h *Host) storeImages(ctx context.Context, id clew.SessionID, by clew.UserID, data any) error {
	if h.cfg.Blobs == nil {
		return nil
	}
	var images []string
	switch d := data.(type) {
	case *clew.UserMessageData:
		images = d.Images
	case *clew.NewTaskData:
		images = d.Images
	case *clew.EditQueuedData:
		images = d.Images
	case *clew.AskResponseData:
		images = d.Images
	}
	if len(images) > maxImages {
		return clew.Errorf(clew.InvalidMessage, "a message has at most %d images", maxImages)
	}
	for i, url := range images {
		if address, ok := strings.CutPrefix(url, BlobScheme); ok {
			if err := h.checkStored(ctx, id, address); err != nil {
				return err
			}
			continue
		}
		address, err := StoreImage(ctx, h.cfg.Blobs, blob.For{User: by, Session: id}, url)
		if err != nil {
			return err
		}
		images[i] = address
	}
	return nil
}

// prepareNotebook puts the sources of cells that are too long for a record among the
// blobs. Without anybody who does the work of notebooks none is opened.
func (h *Host) prepareNotebook(ctx context.Context, id clew.SessionID, by clew.UserID, data any) error {
	switch d := data.(type) {
	case *clew.NotebookOpenData:
		if h.cfg.Notebooks == nil {
			return clew.Errorf(clew.SessionInvalidState, "this server has no notebooks")
		}
	case *clew.NotebookEditData:
		for i := range d.Edits {
			e := &d.Edits[i]
			if e.Source == nil || len(*e.Source) <= core.CellSourceMax {
				continue
			}
			if h.cfg.Blobs == nil {
				return clew.Errorf(clew.InvalidMessage, "a source has at most %d KiB here", core.CellSourceMax>>10)
			}
			address, err := h.cfg.Blobs.PutBlob(ctx, blob.For{User: by, Session: id}, []byte(*e.Source))
			switch {
			case clew.CodeOf(err) == clew.BudgetExceeded:
				return err
			case err != nil:
				return clew.WrapError(clew.StorageFailed, err, "the source could not be stored")
			}
			e.Source, e.SourceBlob = nil, address
		}
	}
	return nil
}

// imageTypes are what models take.
var imageTypes = []string{"image/png", "image/jpeg", "image/gif", "image/webp"}

// StoreImage puts a data URL among the blobs and gives its address. What it refuses
// would only be refused later, by the model, with every call that has it.
func StoreImage(ctx context.Context, blobs Blobs, by blob.For, url string) (string, error) {
	data, err := decodeImage(url)
	if err != nil {
		return "", err
	}
	return PutImage(ctx, blobs, by, data)
}

// PutImage is StoreImage for the bytes of a file.
func PutImage(ctx context.Context, blobs Blobs, by blob.For, data []byte) (string, error) {
	if err := checkImage(data); err != nil {
		return "", err
	}
	address, err := blobs.PutBlob(ctx, by, data)
	if clew.CodeOf(err) == clew.BudgetExceeded {
		return "", err
	}
	if err != nil {
		return "", clew.WrapError(clew.StorageFailed, err, "the image could not be stored")
	}
	return BlobScheme + address, nil
}

// checkStored wants the address of an image that the session has.
func (h *Host) checkStored(ctx context.Context, id clew.SessionID, address string) error {
	if !blob.Valid(address) {
		return clew.Errorf(clew.InvalidMessage, "this is not the address of a stored image")
	}
	refers, err := h.cfg.References.Refers(ctx, id, address)
	if err != nil {
		return err
	}
	if !refers {
		return clew.Errorf(clew.InvalidMessage, "this session has no such image: send it again")
	}
	data, err := h.cfg.Blobs.Blob(ctx, address)
	switch {
	case err != nil && ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		return clew.WrapError(clew.InvalidMessage, err, "the image is not stored here: send it again")
	}
	return checkImage(data)
}

func decodeImage(url string) ([]byte, error) {
	head, body, ok := strings.Cut(strings.TrimPrefix(url, "data:"), ";base64,")
	if !ok || !strings.HasPrefix(url, "data:") {
		return nil, clew.Errorf(clew.InvalidMessage, "an image is a data URL in base64, or the address of a blob")
	}
	if !slices.Contains(imageTypes, head) {
		return nil, clew.Errorf(clew.InvalidMessage, "%s", notAnImage)
	}
	if base64.StdEncoding.DecodedLen(len(body)) > maxImage+2 { // the padding counts
		return nil, clew.Errorf(clew.InvalidMessage, "an image has at most %d MiB", maxImage>>20)
	}
	data, err := base64.StdEncoding.DecodeString(body)
	if err != nil {
		return nil, clew.Errorf(clew.InvalidMessage, "the base64 of an image is damaged")
	}
	return data, nil
}

const notAnImage = "an image is a PNG, JPEG, GIF or WebP"

// checkImage looks at the bytes: what they are said to be proves nothing.
func checkImage(data []byte) error {
	if len(data) > maxImage {
		return clew.Errorf(clew.InvalidMessage, "an image has at most %d MiB", maxImage>>20)
	}
	if !isImage(string(data[:min(len(data), 16)])) {
		return clew.Errorf(clew.InvalidMessage, "%s", notAnImage)
	}
	return nil
}

// isImage knows the files of imageTypes by their first bytes.
func isImage(head string) bool {
	for _, start := range []string{"\x89PNG\r\n\x1a\n", "\xff\xd8\xff", "GIF87a", "GIF89a"} {
		if strings.HasPrefix(head, start) {
			return true
		}
	}
	return len(head) >= 14 && head[:4] == "RIFF" && head[8:14] == "WEBPVP"
}

// An Overview is what a user interface wants to know of a session beside its
// transcript.
type Overview struct {
	Owner     clew.UserID        `json:"owner,omitempty"`
	Workspace string             `json:"workspace,omitempty"`
	Settings  map[string]any     `json:"settings,omitempty"`
	Current   *clew.HistoryItem  `json:"current,omitempty"`
	Todos     []clew.Todo        `json:"todos,omitempty"`
	Mode      string             `json:"mode,omitempty"`
	Tasks     []clew.HistoryItem `json:"tasks,omitempty"` // newest first
	Reports   []clew.Report      `json:"reports,omitempty"`
	Seq       uint64             `json:"seq"` // the record that this is as of
}

// Note puts on a session's record what the server did for a person, and what a model
// that was asked for it used. With the same name it is on record once.
func (h *Host) Note(ctx context.Context, id clew.SessionID, by clew.Principal, name clew.ClientMessageID, said *clew.Message, usage clew.Usage) error {
	_, err := h.Do(ctx, id, clew.Command{By: by, ClientMessageID: name, Data: &decide.SystemNote{Said: said, Usage: usage}})
	return err
}

// Overview gives a session's tasks and settings.
func (h *Host) Overview(ctx context.Context, id clew.SessionID) (Overview, error) {
	var o Overview
	err := h.at(ctx, id, false, func(s *Session) error {
		return s.read(ctx, func(s *Session) { o = s.overview() })
	}, func(node string) (err error) {
		o, err = h.callOverview(ctx, node, id)
		return err
	})
	return o, err
}

// overview runs in the session's goroutine.
func (s *Session) overview() Overview {
	o := Overview{Owner: s.state.Owner, Workspace: s.state.Workspace, Settings: s.state.Settings, Reports: s.state.Reports(), Seq: s.state.Seq}
	tasks := s.state.SortedTasks()
	for i := len(tasks) - 1; i >= 0; i-- {
		o.Tasks = append(o.Tasks, tasks[i].HistoryItem(s.state.Workspace))
	}
	if t := s.state.Focused(clew.MainMonitor); t != nil {
		item := t.HistoryItem(s.state.Workspace)
		o.Current, o.Todos, o.Mode = &item, append([]clew.Todo{}, t.Todos...), t.Mode
	}
	return o
}
