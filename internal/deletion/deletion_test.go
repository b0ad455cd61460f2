package deletion_test

import (
	"reflect"
	"testing"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/client"
	"github.com/clew-run/clew/internal/deletion"
)

func TestWords(t *testing.T) {
	own := client.DeletionPreview{Records: 1, Directory: "/data/w/s", DirectoryErased: true}
	got := deletion.Of(own, true)
	want := deletion.Words{
		Erases: []string{"all 1 record", "the directory that the server made for it: /data/w/s"},
		Keeps:  []string{"copies in backups that were made before"},
		Until:  "It cannot be brought back.",
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%+v", got)
	}
	p := client.DeletionPreview{Records: 12, Questions: 2, Checkpoints: 1, Directory: "/home/ada/w\x1b[2J", EraseMS: 1_800_000_000_000}
	p.Forks = append(p.Forks, struct {
		SessionID clew.SessionID `json:"session_id"`
		Owner     clew.UserID    `json:"owner"`
	}{"sess_2", "bob"})
	got = deletion.Of(p, false)
	want = deletion.Words{
		Erases: []string{"all 12 records", "2 open questions in people's inboxes", "1 checkpoint of files"},
		Keeps:  []string{"the files in /home/ada/w␛[2J", "what fork sess_2 of bob has from it", "copies in backups that were made before"},
		Until:  "It can be brought back until " + deletion.Day(p.EraseMS) + ".",
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%+v", got)
	}
}
