package journal_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session"
)

// BenchmarkAppend compares a command through the host with a bare publish on
// the same kind of engine, one after the other in turns, and reports the ratio
// of the two medians.
func BenchmarkAppend(b *testing.B) {
	j := openDir(b, b.TempDir())
	defer j.Close(context.Background())
	index, err := j.OpenIndex(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	h := session.NewHost(session.Config{Journal: j, Index: index, Log: quiet()})
	defer h.Close(context.Background())
	owner := clew.Principal{User: "owner", Role: clew.RoleOwner}
	id, err := h.Create(b.Context(), owner, session.NewSession{})
	if err != nil {
		b.Fatal(err)
	}
	bare := bareEngine(b)
	other := clew.NewSessionID()
	lease, err := j.Claim(b.Context(), session.ShardOf(other))
	if err != nil {
		b.Fatal(err)
	}
	log, _, err := j.Open(b.Context(), lease, other)
	if err != nil {
		b.Fatal(err)
	}
	var head clew.Head
	var clewTook, bareTook, logTook []time.Duration
	payload := make([]byte, 512)
	for i := 0; b.Loop(); i++ {
		t := time.Now()
		if _, err := bare.Publish(b.Context(), "bare.x", payload); err != nil {
			b.Fatal(err)
		}
		bareTook = append(bareTook, time.Since(t))
		t = time.Now()
		r := head.Next(other, lease.Term, 1, "owner", clew.EventSessionRenamed, []byte(fmt.Sprintf(`{"title":"%0300d"}`, i)))
		if err := log.Append(b.Context(), []clew.Record{r}); err != nil {
			b.Fatal(err)
		}
		head = r.After()
		logTook = append(logTook, time.Since(t))
		t = time.Now()
		_, err := h.Do(b.Context(), id, clew.Command{
			Type: clew.CommandRenameSession, By: owner, ClientMessageID: clew.ClientMessageID(fmt.Sprint("c", i)),
			Data: &clew.RenameSessionData{Title: string(payload[:200:200])},
		})
		if err != nil {
			b.Fatal(err)
		}
		clewTook = append(clewTook, time.Since(t))
	}
	b.ReportMetric(float64(median(bareTook).Nanoseconds())/1e3, "bare-µs")
	b.ReportMetric(float64(median(logTook).Nanoseconds())/1e3, "log-µs")
	b.ReportMetric(float64(median(clewTook).Nanoseconds())/1e3, "clew-µs")
	b.ReportMetric(float64(median(bareTook))/float64(median(clewTook)), "ratio")
}

func bareEngine(b *testing.B) jetstream.JetStream {
	b.Helper()
	srv, err := server.NewServer(&server.Options{
		JetStream: true, StoreDir: b.TempDir(), SyncAlways: true, DontListen: true, NoSigs: true, NoLog: true,
	})
	if err != nil {
		b.Fatal(err)
	}
	srv.Start()
	b.Cleanup(func() { srv.Shutdown(); srv.WaitForShutdown() })
	if !srv.ReadyForConnections(10 * time.Second) {
		b.Fatal("the bare engine did not start")
	}
	nc, err := nats.Connect("", nats.InProcessServer(srv))
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(nc.Close)
	js, err := jetstream.New(nc)
	if err != nil {
		b.Fatal(err)
	}
	if _, err := js.CreateStream(b.Context(), jetstream.StreamConfig{Name: "BARE", Subjects: []string{"bare.>"}, AllowDirect: true}); err != nil {
		b.Fatal(err)
	}
	return js
}

func median(d []time.Duration) time.Duration {
	s := slices.Sorted(slices.Values(d))
	return s[len(s)/2]
}
