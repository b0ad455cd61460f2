package story

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"image"
	"image/color"
	"image/png"
	"strings"
	"testing"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/e2e/proc"
	"github.com/clew-run/clew/internal/llm/llmtest"
	"github.com/clew-run/clew/wire"
)

// dot is an image of one pixel.
func dot(t *testing.T) []byte {
	t.Helper()
	img := image.NewRGBA(image.Rect(0, 0, 1, 1))
	img.Set(0, 0, color.RGBA{R: 255, A: 255})
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// An image that somebody sends is stored once and named in the records; the
// model gets its bytes, in the first call and in later ones. A thought goes back
// to the model that had it.
//
// Covers: HIS-01, HIS-02, HIS-05, MSG-04, C-74
func TestImagesAndThoughts(t *testing.T) {
	for _, vendor := range vendors {
		t.Run(string(vendor), func(t *testing.T) { seeAndThink(t, vendor) })
	}
}

func seeAndThink(t *testing.T, vendor llmtest.Vendor) {
	ctx, cancel := context.WithTimeout(t.Context(), storyWithin)
	defer cancel()
	s := newStage(t, plot{vendor: vendor, bin: proc.Program(t, ""), script: "plain.yaml", files: map[string]string{"x": ""}})
	if err := s.Srv.Start(); err != nil {
		t.Fatal(err)
	}
	if err := s.Create(ctx); err != nil {
		t.Fatal(err)
	}
	bytes64 := base64.StdEncoding.EncodeToString(dot(t))
	s.say(ctx, "first", clew.UserMessageData{Text: "What do you see?", Images: []string{"data:image/png;base64," + bytes64}}, "A red dot.")
	s.say(ctx, "second", clew.UserMessageData{Text: "And its size?"}, "One by one.")
	s.Answered()

	list, _ := s.replayed()
	if strings.Contains(proc.Frames(list), bytes64) {
		t.Error("the image itself is in the records")
	}
	if n := strings.Count(proc.Frames(list), `"images":["blob:`); n != 2 { // the message, and what the model heard
		t.Errorf("%d records name the stored image", n)
	}
	requests := s.Model.Requests()
	if len(requests) != 2 {
		t.Fatalf("%d calls", len(requests))
	}
	for i, r := range requests {
		if !bytes.Contains(r.Body, []byte(bytes64)) {
			t.Errorf("call %d has not the image's bytes", i+1)
		}
	}
	thought := requests[1].Messages[1].Content[0]
	back := thought.Type == clew.PartThinking && thought.Text == "It is red."
	// Over chat thoughts go back only until their task's next words, to Gemini as seals.
	if back != (vendor != llmtest.OpenAI && vendor != llmtest.Gemini) {
		t.Errorf("the thought came back as %+v", thought)
	}
}

// say sends a message and waits for the end of the turn with this answer.
func (s *stage) say(ctx context.Context, id string, d clew.UserMessageData, answer string) {
	s.T.Helper()
	if err := s.Command(ctx, id, clew.CommandUserMessage, d); err != nil {
		s.T.Fatal(err)
	}
	said := false
	err := s.await(ctx, func(env wire.Envelope) bool {
		var m clew.MessageUpdatedData
		if env.Type == string(clew.EventMessageUpdated) && json.Unmarshal(env.Data, &m) == nil {
			said = said || m.Message.Text == answer && !m.Message.Partial
		}
		return said && env.Type == string(clew.EventTaskIdle)
	})
	if err != nil {
		s.T.Fatal(err)
	}
}
