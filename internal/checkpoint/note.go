package checkpoint

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/clew-run/clew/internal/checkpoint/object"
)

type noteState byte

const (
	noteNone  noteState = 'n' // none, or one that was taken back
	noteLight noteState = 'l' // begun, one rename
	noteBegun noteState = 'b' // begun
	noteBack  noteState = 'r' // being taken back
	noteDone  noteState = 'd'
)

const (
	noteFile = "restore"
	noteHead = 1 + 2*sha256.Size + 1
	notePage = 4096 // a light note is one page, so it is written at once
)

// errNote says that a note cannot be read, now or ever.
var errNote = errors.New("the note of a restore that was begun is damaged")

// writeNote says that a restore begins.
func (d *repository) writeNote(i *intent, light bool) error {
	note, light, err := i.note(light)
	if err != nil {
		return err
	}
	if err := d.keepNote(i.Session); err != nil {
		return err
	}
	if light {
		note[0] = byte(noteLight)
		return d.overwrite(note, false)
	}
	return object.Replace(d.path(noteFile), true, note)
}

// endNote says that a restore is done or taken back. Mostly the rest of the note
// stays as it is.
func (d *repository) endNote(i *intent, light bool) error {
	if i.back {
		return d.markNote(noteNone, true)
	}
	if len(i.Left) == 0 && i.Cut == "" {
		return d.markNote(noteDone, !light)
	}
	note, light, err := i.note(light)
	if err == nil {
		note[0] = byte(noteDone)
		if light {
			err = d.overwrite(note, false)
		} else {
			err = object.Replace(d.path(noteFile), true, note)
		}
	}
	if err != nil { // no room, for instance: that it is done matters more than what was left
		err = d.markNote(noteDone, true)
	}
	return err
}

// note gives the form in which an intent is written down, and whether it is a
// light one, if that was wanted.
func (i *intent) note(light bool) ([]byte, bool, error) {
	data, err := json.Marshal(i)
	if err != nil {
		return nil, false, err
	}
	if light = light && len(data) < notePage-noteHead; light {
		data = append(data, bytes.Repeat([]byte{' '}, notePage-noteHead-len(data))...)
	}
	sum := sha256.Sum256(data)
	note := append([]byte{byte(noteBegun)}, hex.EncodeToString(sum[:])+"\n"...)
	return append(note, data...), light, nil
}

// keepNote puts the note of another session's last restore aside: that session
// may not have asked for it yet.
func (d *repository) keepNote(session string) error {
	if d.noted == session {
		return nil
	}
	last, state, err := d.readNote(noteFile)
	if err == nil && state == noteDone && last.Session != session {
		err = os.Rename(d.path(noteFile), d.path(noteOf(last.Session)))
	}
	if err == nil {
		d.noted = session
	}
	return err
}

// noteOf is where the note of a session's last restore is if another session had
// one since. The name of a session is safe to use.
func noteOf(session string) string { return "restored." + session }

// lastNote gives the last restore that was done for a session; for any if
// session is "".
func (d *repository) lastNote(session string) (*intent, error) {
	last, state, err := d.readNote(noteFile)
	if err == nil && session != "" && (state != noteDone || last.Session != session) {
		last, state, err = d.readNote(noteOf(session))
	}
	if err != nil || state != noteDone {
		return nil, err
	}
	return last, nil
}

func (d *repository) markNote(s noteState, sync bool) error {
	return d.overwrite([]byte{byte(s)}, sync)
}

func (d *repository) overwrite(data []byte, sync bool) error {
	f, err := os.OpenFile(d.path(noteFile), os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.WriteAt(data, 0)
	if err == nil && sync {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// pending reports whether a restore was begun and not finished.
func (d *repository) pending() (bool, error) {
	f, err := os.Open(d.path(noteFile))
	if errors.Is(err, os.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	var b [1]byte
	n, err := f.ReadAt(b[:], 0)
	if errors.Is(err, io.EOF) {
		err = nil
	}
	state := noteState(b[0])
	return n == 1 && state != noteDone && state != noteNone, errors.Join(err, f.Close())
}

// readNote gives the intent of a note and how far it came.
func (d *repository) readNote(name string) (*intent, noteState, error) {
	data, err := os.ReadFile(d.path(name))
	if errors.Is(err, os.ErrNotExist) || err == nil && len(data) == 0 {
		return nil, noteNone, nil
	}
	if err != nil {
		return nil, noteNone, err
	}
	state := noteState(data[0])
	var i intent
	if err := i.parse(data); err != nil {
		if state == noteBegun || state == noteBack {
			return nil, state, fmt.Errorf("%w: %w", errNote, err)
		}
		return nil, noteNone, nil // a light one that the power cut short: nothing is half done
	}
	if state == noteNone {
		return nil, noteNone, nil
	}
	return &i, state, nil
}

func (i *intent) parse(data []byte) error {
	if len(data) < noteHead {
		return errors.New("it is too short")
	}
	body := data[noteHead:]
	if n := len(data); n > notePage && noteState(data[0]) != noteBegun {
		// A light note may stand in front of the rest of a longer one.
		if i.parse(data[:notePage]) == nil {
			return nil
		}
	}
	if sum := sha256.Sum256(body); hex.EncodeToString(sum[:]) != string(data[1:noteHead-1]) {
		return errors.New("it is not what was written")
	}
	return json.Unmarshal(body, i)
}
