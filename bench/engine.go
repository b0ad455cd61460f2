package main

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/synadia-io/orbit.go/jetstreamext"
)

// A baseline engine is JetStream as clew embeds it, and nothing around it: one
// stream; with sync, every publish is flushed before it is acknowledged.
type baseline struct {
	server *server.Server
	conn   *nats.Conn
	js     jetstream.JetStream
	fence  uint64
}

func startBare(dir string, sync bool) (*baseline, error) {
	srv, err := server.NewServer(&server.Options{
		ServerName: "bare", JetStream: true, StoreDir: dir, SyncAlways: sync, DontListen: true, NoSigs: true, NoLog: true,
		MaxPayload: 8 << 20, MaxPending: 256 << 20, JetStreamMaxStore: 1 << 50, JetStreamMaxMemory: 256 << 20,
	})
	if err != nil {
		return nil, err
	}
	srv.Start()
	if !srv.ReadyForConnections(30 * time.Second) {
		return nil, fmt.Errorf("the bare engine did not start")
	}
	b := &baseline{server: srv}
	if b.conn, err = nats.Connect("", nats.InProcessServer(srv)); err != nil {
		return nil, err
	}
	if b.js, err = jetstream.New(b.conn); err != nil {
		return nil, err
	}
	ctx := context.Background()
	if _, err = b.js.CreateStream(ctx, jetstream.StreamConfig{
		Name: "BARE", Subjects: []string{"bare.>"}, Discard: jetstream.DiscardNew, AllowDirect: true,
		Duplicates: 100 * time.Millisecond,
	}); err != nil {
		return nil, err
	}
	ack, err := b.js.Publish(ctx, "bare.fence", []byte("bench"))
	if err != nil {
		return nil, err
	}
	b.fence = ack.Sequence
	return b, nil
}

func (b *baseline) stop() {
	b.conn.Close()
	b.server.Shutdown()
	b.server.WaitForShutdown()
}

// publish times one synchronous publish.
func (b *baseline) publish(data []byte) (time.Duration, error) {
	start := time.Now()
	_, err := b.js.Publish(context.Background(), "bare.s.1", data)
	return time.Since(start), err
}

// publishFenced is publish with the condition that clew's appends carry.
func (b *baseline) publishFenced(data []byte) (time.Duration, error) {
	m := &nats.Msg{Subject: "bare.s.2", Data: data, Header: nats.Header{
		jetstream.ExpectedLastSubjSeqHeader:     {strconv.FormatUint(b.fence, 10)},
		jetstream.ExpectedLastSubjSeqSubjHeader: {"bare.fence"},
	}}
	start := time.Now()
	_, err := b.js.PublishMsg(context.Background(), m)
	return time.Since(start), err
}

// fill stores messages for readBatch, without waiting for each.
func (b *baseline) fill(count int, data []byte) error {
	for done := 0; done < count; {
		n := min(count-done, 1000)
		acks := make([]jetstream.PubAckFuture, n)
		for i := range acks {
			var err error
			if acks[i], err = b.js.PublishAsync("bare.fill", data, jetstream.WithStallWait(10*time.Second)); err != nil {
				return err
			}
		}
		for _, a := range acks {
			select {
			case <-a.Ok():
			case err := <-a.Err():
				return err
			}
		}
		done += n
	}
	return nil
}

// readBatch times a direct-get batch of everything that fill stored.
func (b *baseline) readBatch(count int) (time.Duration, error) {
	start := time.Now()
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	got := 0
	batch, err := jetstreamext.GetBatch(ctx, b.js, "BARE", count, jetstreamext.GetBatchSeq(1), jetstreamext.GetBatchSubject("bare.fill"))
	if err != nil {
		return 0, err
	}
	for _, err := range batch {
		if err != nil {
			return 0, err
		}
		got++
	}
	if got != count {
		return 0, fmt.Errorf("the bare engine gave %d of %d messages", got, count)
	}
	return time.Since(start), nil
}
