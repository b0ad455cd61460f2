package gateway

import (
	"context"
	"reflect"
	"testing"
	"testing/synctest"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session"
)

// attended notes what it is told about who is there.
type attended struct {
	*fakeHost
	told []map[clew.SessionID][]clew.Viewer
}

func (h *attended) Present(_ context.Context, id clew.SessionID, viewers []clew.Viewer) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.told = append(h.told, map[clew.SessionID][]clew.Viewer{id: viewers})
	return nil
}

func (h *attended) take() []map[clew.SessionID][]clew.Viewer {
	h.mu.Lock()
	defer h.mu.Unlock()
	told := h.told
	h.told = nil
	return told
}

// People are told of once however many windows they have, a reload is no news,
// and everyone is told of again every minute.
func TestPresence(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		host := &attended{}
		r := newPipeRig(t, func(o *Options) {
			host.fakeHost = o.Host.(*fakeHost) //nolint:forcetypeassert // the rig made it
			o.Host = host
			o.Limits.PingEvery, o.Limits.PongLimit = 0, 0
		})
		host.add("s1", "ann").roles["bob"] = clew.RoleViewer
		begun := time.Now().UnixMilli()
		settle := func() []map[clew.SessionID][]clew.Viewer {
			time.Sleep(2 * presentAfter)
			synctest.Wait()
			return host.take()
		}
		expect := func(what string, viewers ...clew.Viewer) {
			t.Helper()
			want := []map[clew.SessionID][]clew.Viewer{{"s1": append([]clew.Viewer{}, viewers...)}}
			if got := settle(); !reflect.DeepEqual(got, want) {
				t.Errorf("%s: told were %v, want %v", what, got, want)
			}
		}
		r.join("/ws/s1?client_id=laptop", "ann")
		phone := r.join("/ws/s1?client_id=phone", "ann")
		watcher := r.join("/ws/s1", "bob")
		ann, bob := clew.Viewer{UserID: "ann", Clients: 2, SinceMS: begun}, clew.Viewer{UserID: "bob", Clients: 1, SinceMS: begun}
		expect("three came at once", ann, bob)
		if got := settle(); len(got) != 0 {
			t.Errorf("nothing happened, told were %v", got)
		}
		r.join("/ws/s1?client_id=laptop", "ann") // a reload takes the place over, and its time
		expect("a reload", ann, bob)
		_ = phone.conn.Close()
		_ = watcher.conn.Close()
		expect("two left", clew.Viewer{UserID: "ann", Clients: 1, SinceMS: begun})
		time.Sleep(session.PresentEvery)
		expect("a minute later", clew.Viewer{UserID: "ann", Clients: 1, SinceMS: begun})
	})
}
