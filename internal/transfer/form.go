package transfer

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"math"
	"net/http"
	"slices"
	"strings"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session"
	"github.com/clew-run/clew/internal/session/blob"
)

// A fileMessage is a message of the transcript in ui_messages.json.
type fileMessage struct {
	TS                       int64                `json:"ts"`
	Type                     clew.MessageType     `json:"type"`
	Ask                      string               `json:"ask,omitempty"`
	Say                      string               `json:"say,omitempty"`
	Text                     string               `json:"text,omitempty"`
	Images                   []string             `json:"images,omitempty"`
	Partial                  bool                 `json:"partial,omitempty"`
	Reasoning                string               `json:"reasoning,omitempty"`
	ConversationHistoryIndex *int                 `json:"conversationHistoryIndex,omitempty"`
	Checkpoint               map[string]any       `json:"checkpoint,omitempty"`
	ProgressStatus           *clew.ProgressStatus `json:"progressStatus,omitempty"`
	ContextCondense          *fileCondense        `json:"contextCondense,omitempty"`
	ContextTruncation        *fileTruncation      `json:"contextTruncation,omitempty"`
	IsProtected              bool                 `json:"isProtected,omitempty"`
	APIProtocol              clew.APIProtocol     `json:"apiProtocol,omitempty"`
	IsAnswered               bool                 `json:"isAnswered,omitempty"`
}

type fileCondense struct {
	CondenseID        string  `json:"condenseId"`
	Summary           string  `json:"summary,omitempty"`
	PrevContextTokens int64   `json:"prevContextTokens,omitempty"`
	NewContextTokens  int64   `json:"newContextTokens,omitempty"`
	Cost              float64 `json:"cost,omitempty"`
}

type fileTruncation struct {
	TruncationID    string `json:"truncationId"`
	MessagesRemoved int    `json:"messagesRemoved,omitempty"`
}

func toFile(m clew.Message) fileMessage {
	f := fileMessage{
		TS: m.TS, Type: m.Type, Ask: string(m.Ask), Say: string(m.Say), Text: m.Text, Images: m.Images, Partial: m.Partial,
		Reasoning: m.Reasoning, ConversationHistoryIndex: m.HistoryIndex, Checkpoint: m.Checkpoint, ProgressStatus: m.ProgressStatus,
		IsProtected: m.IsProtected, APIProtocol: m.APIProtocol, IsAnswered: m.IsAnswered,
	}
	if kind, ok := m.Metadata[kindKey].(string); ok {
		f.Say = kind
	}
	if c := m.ContextCondense; c != nil {
		f.ContextCondense = &fileCondense{c.CondenseID, c.Summary, c.TokensBefore, c.TokensAfter, c.CostUSD}
	}
	if c := m.ContextTruncation; c != nil {
		f.ContextTruncation = &fileTruncation{c.TruncationID, c.Hidden}
	}
	return f
}

// kindKey is where a kind of message is kept that we do not know.
const kindKey = "imported_kind"

// fromFile reads a message. Its images are not looked at yet.
func fromFile(raw []byte) (clew.Message, error) {
	var f fileMessage
	if err := json.Unmarshal(raw, &f); err != nil {
		return clew.Message{}, err
	}
	m := clew.Message{
		TS: f.TS, Type: f.Type, Ask: clew.Ask(f.Ask), Say: clew.Say(f.Say), Text: f.Text, Images: f.Images, Reasoning: f.Reasoning,
		HistoryIndex: f.ConversationHistoryIndex, Checkpoint: f.Checkpoint, ProgressStatus: f.ProgressStatus,
		IsProtected: f.IsProtected, APIProtocol: f.APIProtocol, IsAnswered: f.IsAnswered,
	}
	if c := f.ContextCondense; c != nil {
		m.ContextCondense = &clew.ContextCondense{
			CondenseID: c.CondenseID, Summary: c.Summary, TokensBefore: c.PrevContextTokens, TokensAfter: c.NewContextTokens, CostUSD: c.Cost,
		}
	}
	if c := f.ContextTruncation; c != nil {
		m.ContextTruncation = &clew.ContextTruncation{TruncationID: c.TruncationID, Hidden: c.MessagesRemoved}
	}
	switch {
	case f.Type != clew.TypeAsk && f.Type != clew.TypeSay:
		return m, bad("type is %q instead of ask or say", f.Type)
	case f.Type == clew.TypeAsk && m.Ask.Class() != "":
		m.Say = ""
	case f.Type == clew.TypeSay && m.Say.Valid():
		m.Ask = ""
	case f.Type == clew.TypeSay && f.Say != "": // of a newer program: it is still something to read
		m.Say, m.Ask, m.Metadata = clew.SayText, "", map[string]any{kindKey: f.Say}
	default:
		return m, bad("type %q does not fit ask %q and say %q", f.Type, f.Ask, f.Say)
	}
	m.Role = speakerOf(m)
	return m, m.Check()
}

// speakerOf says whose message it is; the files do not.
func speakerOf(m clew.Message) clew.Speaker {
	switch m.Say {
	case clew.SayUserFeedback, clew.SayUserFeedbackDiff, clew.SayUserEditTodos:
		return clew.SpeakerUser
	case clew.SayError, clew.SayAPIReqStarted, clew.SayAPIReqFinished, clew.SayAPIReqRetried, clew.SayAPIReqRetryDelayed,
		clew.SayAPIReqDeleted, clew.SayModelFallback, clew.SayInstructionsRead, clew.SayFilesAttached, clew.SayGit, clew.SayCondenseContext, clew.SayCondenseContextError, clew.SaySlidingWindowTruncation,
		clew.SayCheckpointSaved:
		return clew.SpeakerSystem
	}
	return clew.SpeakerAssistant
}

// A fileItem is a task in metadata.json and task_history.json.
type fileItem struct {
	ID                      string   `json:"id"`
	RootTaskID              string   `json:"rootTaskId,omitempty"`
	ParentTaskID            string   `json:"parentTaskId,omitempty"`
	Number                  int      `json:"number"`
	TS                      int64    `json:"ts"`
	Task                    string   `json:"task"`
	TokensIn                int64    `json:"tokensIn"`
	TokensOut               int64    `json:"tokensOut"`
	CacheWrites             int64    `json:"cacheWrites,omitempty"`
	CacheReads              int64    `json:"cacheReads,omitempty"`
	TotalCost               float64  `json:"totalCost"`
	Size                    int64    `json:"size,omitempty"`
	Workspace               string   `json:"workspace,omitempty"`
	Mode                    string   `json:"mode,omitempty"`
	Status                  string   `json:"status,omitempty"`
	DelegatedToID           string   `json:"delegatedToId,omitempty"`
	ChildIDs                []string `json:"childIds,omitempty"`
	AwaitingChildID         string   `json:"awaitingChildId,omitempty"`
	CompletedByChildID      string   `json:"completedByChildId,omitempty"`
	CompletionResultSummary string   `json:"completionResultSummary,omitempty"`
}

func (f fileItem) usage() clew.Usage {
	return clew.Usage{
		TokensIn: max(f.TokensIn, 0), TokensOut: max(f.TokensOut, 0), CacheWrites: max(f.CacheWrites, 0), CacheReads: max(f.CacheReads, 0),
		CostUSD: math.Max(f.TotalCost, 0),
	}
}

// A fileSession is session.json: what there is to say about a session as a
// whole.
type fileSession struct {
	SessionID string            `json:"sessionId"`
	Title     string            `json:"title,omitempty"`
	Owner     string            `json:"owner,omitempty"`
	Workspace string            `json:"workspace,omitempty"`
	Provider  string            `json:"provider,omitempty"`
	ThreadIDs map[string]string `json:"threadIds"` // the newest task of each agent
	CreatedAt int64             `json:"createdAt"`
	UpdatedAt int64             `json:"updatedAt"`
}

// imageCodec turns images into what a file can carry and back.
type imageCodec struct {
	ctx   context.Context
	blobs session.Blobs
	by    func() blob.For // for whom they are stored
	has   map[string]bool // the blobs of the session, to be read
}

// inline gives the data URL of an image, or its address if its bytes cannot be
// had.
func (p imageCodec) inline(image string) string {
	address, ok := strings.CutPrefix(image, session.BlobScheme)
	if !ok || p.blobs == nil || !p.has[address] {
		return image
	}
	data, err := p.blobs.Blob(p.ctx, address)
	if err != nil {
		return image
	}
	return "data:" + http.DetectContentType(data) + ";base64," + base64.StdEncoding.EncodeToString(data)
}

func (p imageCodec) inlineAll(images []string) []string {
	out := slices.Clone(images)
	for i := range out {
		out[i] = p.inline(out[i])
	}
	return out
}

// store puts an image of a file among the blobs. Only its own bytes are taken:
// an address would be of another server.
func (p imageCodec) store(image string) (string, error) {
	if !strings.HasPrefix(image, "data:") {
		return "", bad("an image is a data URL")
	}
	if p.blobs == nil {
		return image, nil
	}
	by := blob.For{}
	if p.by != nil {
		by = p.by()
	}
	return session.StoreImage(p.ctx, p.blobs, by, image)
}

func (p imageCodec) storeAll(images []string) ([]string, error) {
	var out []string
	for _, image := range images {
		if strings.HasPrefix(image, session.BlobScheme) { // it was missing when the file was written
			continue
		}
		stored, err := p.store(image)
		if err != nil {
			return nil, err
		}
		out = append(out, stored)
	}
	return out, nil
}

// discardBlobs takes blobs and keeps none: with it images are looked at, no more.
type discardBlobs struct{}

// PutBlob implements session.Blobs.
func (discardBlobs) PutBlob(context.Context, blob.For, []byte) (string, error) {
	return strings.Repeat("0", 64), nil
}

// Blob implements session.Blobs.
func (discardBlobs) Blob(context.Context, string) ([]byte, error) {
	return nil, errors.New("no blobs here")
}

// compact takes the white space out of JSON.
func compact(raw json.RawMessage) json.RawMessage {
	var b bytes.Buffer
	if json.Compact(&b, raw) != nil {
		return raw
	}
	return b.Bytes()
}
