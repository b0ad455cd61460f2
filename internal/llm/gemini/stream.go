package gemini

import (
	"encoding/json"
	"strings"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/llm"
	"github.com/clew-run/clew/internal/llm/call"
)

// A chunk is one event of an answer.
type chunk struct {
	Candidates []struct {
		Content       content `json:"content"`
		FinishReason  string  `json:"finishReason"`
		FinishMessage string  `json:"finishMessage"`
	} `json:"candidates"`
	Feedback struct {
		BlockReason string `json:"blockReason"`
	} `json:"promptFeedback"`
	Usage *usage          `json:"usageMetadata"`
	Model string          `json:"modelVersion"`
	Error json.RawMessage `json:"error"`
}

type usage struct {
	Prompt   int64 `json:"promptTokenCount"` // the cached ones too
	Tools    int64 `json:"toolUsePromptTokenCount"`
	Cached   int64 `json:"cachedContentTokenCount"`
	Answer   int64 `json:"candidatesTokenCount"`
	Thoughts int64 `json:"thoughtsTokenCount"`
}

// A reader follows the chunks of one answer.
type reader struct {
	b       *call.Builder
	host    string
	piece   *call.Piece // of text or thinking that grows
	finish  string
	message string // on the finish
	usage   *usage
	model   string
}

func (r *reader) chunk(data []byte, secrets call.Secrets) error {
	var c chunk
	if err := json.Unmarshal(data, &c); err != nil {
		return call.Broken("the provider's answer is no JSON")
	}
	if len(c.Error) > 0 {
		return call.InStream(data, secrets)
	}
	if c.Usage != nil {
		r.usage = c.Usage // totals; the newest count
	}
	if c.Model != "" {
		r.model = c.Model
	}
	if c.Feedback.BlockReason != "" {
		r.finish, r.message = "SAFETY", c.Feedback.BlockReason
	}
	if len(c.Candidates) == 0 {
		return nil
	}
	from := c.Candidates[0]
	for _, p := range from.Content.Parts {
		if err := r.part(p); err != nil {
			return err
		}
	}
	if from.FinishReason != "" && from.FinishReason != "FINISH_REASON_UNSPECIFIED" {
		r.finish, r.message = from.FinishReason, secrets.Clean(from.FinishMessage)
	}
	return nil
}

func (r *reader) part(p part) error {
	switch {
	case p.Call != nil:
		r.piece = nil
		piece, err := r.b.OpenTool(p.Call.ID, p.Call.Name)
		if err != nil {
			return err
		}
		if err := r.seal(piece, p.Signature); err != nil {
			return err
		}
		return piece.Append(string(p.Call.Args))
	case p.Text != nil:
		return r.text(p)
	case p.Inline != nil, p.Response != nil:
		return call.Broken("the answer holds a part of an unknown kind")
	case p.Signature != "":
		return r.text(p)
	}
	return nil
}

// text takes a piece of text, or of the summary of a thought. A piece with a seal is
// the last of its part; the seal often comes alone, after the text.
func (r *reader) text(p part) error {
	kind := clew.PartText
	if p.Thought {
		kind = clew.PartThinking
	}
	if r.piece == nil || r.piece.Type() != kind {
		if p.Text == nil || *p.Text == "" {
			return nil // a seal of nothing; those that count are on calls
		}
		var err error
		if r.piece, err = r.b.Open(kind); err != nil {
			return err
		}
	}
	piece := r.piece
	if p.Signature != "" {
		r.piece = nil
	}
	if err := r.seal(piece, p.Signature); err != nil {
		return err
	}
	if p.Text == nil {
		return nil
	}
	return piece.Append(*p.Text)
}

// seal keeps the seal of a part, for the same host only.
func (r *reader) seal(piece *call.Piece, signature string) error {
	if signature == "" {
		return nil
	}
	if err := piece.Sign(r.host + "/" + signature); err != nil {
		return err
	}
	if piece.Type() == clew.PartThinking {
		// No other provider takes a thought with both as its own.
		return piece.Seal("gemini")
	}
	return nil
}

func (r *reader) answer() (llm.Answer, error) {
	stop, ok := stops[r.finish]
	if !ok {
		return llm.Answer{}, r.broken()
	}
	a, err := r.b.Done(stop)
	if err != nil {
		return llm.Answer{}, err
	}
	a.Model = r.model
	if r.usage == nil {
		a.Estimated = true
		return a, nil
	}
	u := r.usage
	a.Usage = clew.Usage{
		TokensIn: max(u.Prompt+u.Tools-u.Cached, 0), TokensOut: u.Answer + u.Thoughts, CacheReads: u.Cached,
	}
	return a, nil
}

func (r *reader) broken() error {
	if r.finish == "" {
		return call.Broken("the provider's answer broke off")
	}
	why := strings.ToLower(strings.ReplaceAll(r.finish, "_", " "))
	if r.message != "" {
		why += ": " + r.message
	}
	return call.Broken("the provider ended its answer: %s", why)
}

// stops has the ends that are answers. At any other the model made nothing of use,
// such as a call that is no JSON; another try may bring an answer.
var stops = map[string]llm.StopReason{
	"STOP":               llm.StopEnd,
	"MAX_TOKENS":         llm.StopMaxTokens,
	"SAFETY":             llm.StopRefusal,
	"RECITATION":         llm.StopRefusal,
	"LANGUAGE":           llm.StopRefusal,
	"BLOCKLIST":          llm.StopRefusal,
	"PROHIBITED_CONTENT": llm.StopRefusal,
	"SPII":               llm.StopRefusal,
	"IMAGE_SAFETY":       llm.StopRefusal,
}
