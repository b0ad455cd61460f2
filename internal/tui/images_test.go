package tui

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"github.com/clew-run/clew"
)

const pixel = "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR"

func image(t *testing.T, name, data string) string {
	t.Helper()
	name = filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(name, []byte(data), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

func (d *desk) pastes(text string) {
	_, cmd := d.m.Update(tea.PasteMsg{Content: text})
	d.do(cmd)
	d.m.View()
}

// sentImages are the images of the last message.
func (d *desk) sentImages() int {
	d.Helper()
	if len(d.sent) == 0 {
		d.Fatal("nothing was sent")
	}
	list, _ := d.sent[len(d.sent)-1].Data["images"].([]any)
	for _, url := range list {
		if !strings.HasPrefix(url.(string), "data:image/png;base64,iVBOR") {
			d.Errorf("the image is %v", url)
		}
	}
	return len(list)
}

// The path of an image on this machine, pasted in any of the ways that terminals and file
// managers have, is the image.
func TestPastedImagePaths(t *testing.T) {
	plain := image(t, "shot.png", pixel)
	spaced := image(t, "my shot.png", pixel+"2")
	for pasted, want := range map[string]string{
		plain: "[image shot.png] ", plain + "\n": "[image shot.png] ", "'" + spaced + "' ": "[image my shot.png] ",
		strings.ReplaceAll(spaced, " ", `\ `): "[image my shot.png] ", "file://" + strings.ReplaceAll(spaced, " ", "%20"): "[image my shot.png] ",
		"@" + plain: "[image shot.png] ",
	} {
		d := newDesk(t, 80, 24)
		d.opens(clew.SessionState{})
		d.pastes(pasted)
		d.wrote(want)
		d.sees(strings.TrimSpace(want))
		d.typed("what is this?")
		d.press("enter")
		if n := d.sentImages(); n != 1 || d.sent[0].Data["text"] != want+"what is this?" {
			t.Errorf("%d images with %v", n, d.sent[0].Data["text"])
		}
	}
	d := newDesk(t, 80, 24)
	d.opens(clew.SessionState{})
	d.pastes(plain + " '" + spaced + "'")
	d.press("enter")
	if n := d.sentImages(); n != 2 {
		t.Errorf("%d images", n)
	}
}

// Typed it is the same, as soon as the word is over.
func TestTypedImagePath(t *testing.T) {
	name := image(t, "shot.png", pixel)
	d := newDesk(t, 80, 24)
	d.opens(clew.SessionState{})
	d.typed("see " + name + " now")
	d.wrote("see [image shot.png] now")
	d.m.write.clear()
	d.typed("see " + name)
	d.press("enter")
	if n := d.sentImages(); n != 1 || d.sent[0].Data["text"] != "see [image shot.png]" {
		t.Errorf("%d images with %v", n, d.sent[0].Data["text"])
	}
}

// Whoever takes the label away takes the image away; two with the same name are two, and
// a message that was not sent keeps what it has.
func TestImagesFollowTheirLabels(t *testing.T) {
	a, b := image(t, "shot.png", pixel), image(t, "shot.png", pixel+"other")
	d := newDesk(t, 80, 24)
	d.opens(clew.SessionState{})
	d.pastes(a)
	d.pastes(b)
	d.wrote("[image shot.png] [image shot.png 2] ")
	d.refuse = clew.Errorf(clew.QueueFull, "not now")
	d.press("enter")
	if n := d.sentImages(); n != 2 {
		t.Errorf("%d images", n)
	}
	d.wrote("[image shot.png] [image shot.png 2]")
	d.refuse = nil
	d.m.write.Set("only [image shot.png 2]")
	d.press("enter")
	if n := d.sentImages(); n != 1 {
		t.Errorf("%d images", n)
	}
	d.m.write.Set("none")
	d.press("enter")
	if n := d.sentImages(); n != 0 {
		t.Errorf("%d images", n)
	}
	for range 5 {
		d.pastes(image(t, "more.png", pixel+t.Name()+string(rune('a'+len(d.m.images)))))
	}
	before := len(d.sent)
	d.press("enter")
	if len(d.sent) != before || !strings.Contains(d.m.write.String(), "[image more.png 5]") {
		t.Errorf("sent, and left %q", d.m.write.String())
	}
	d.sees("at most 4 images")
}

// Paths of what is no image, or not here, are words; so is a path within other words that
// are pasted.
func TestPathsThatAreWords(t *testing.T) {
	name := image(t, "shot.png", pixel)
	fake := image(t, "fake.png", "words")
	for _, words := range []string{"/nowhere/shot.png", "/etc/hosts", "2026-11-17 wrote " + name + " in 3 ms", fake} {
		d := newDesk(t, 80, 24)
		d.opens(clew.SessionState{})
		d.pastes(words)
		d.wrote(words)
		d.typed("!")
		d.press("enter")
		if n := d.sentImages(); n != 0 {
			t.Errorf("%q: %d images", words, n)
		}
	}
	d := newDesk(t, 80, 24)
	d.opens(clew.SessionState{})
	d.pastes(fake)
	d.sees("no PNG, JPEG, GIF or WebP")
}
