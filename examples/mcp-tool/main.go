// Mcp-tool is a tool server of one's own: it keeps a list of notes in a file and
// lets an agent add to it, read it and, after asking the person, clear it.
//
//	go build -o notes ./examples/mcp-tool
//
// README.md says how clew gets to know it.
package main

import (
	"context"
	"flag"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/signal"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil && ctx.Err() == nil {
		fmt.Fprintln(os.Stderr, "mcp-tool:", err) // stdout belongs to the protocol
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("mcp-tool", flag.ContinueOnError)
	file := flags.String("file", "notes.txt", "where the notes are kept")
	listen := flags.String("http", "", "serve HTTP on this address instead of stdin and stdout")
	if err := flags.Parse(args); err != nil {
		return err
	}
	server := newServer(&notes{file: *file})
	if *listen == "" {
		return server.Run(ctx, &mcp.StdioTransport{})
	}
	return serve(ctx, server, *listen)
}

func serve(ctx context.Context, server *mcp.Server, address string) error {
	web := &http.Server{
		Addr:              address,
		Handler:           mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, &mcp.StreamableHTTPOptions{Stateless: true}),
		ReadHeaderTimeout: 10 * time.Second,
	}
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return err
	}
	fmt.Fprintf(os.Stderr, "mcp-tool: serving http://%s\n", listener.Addr())
	defer context.AfterFunc(ctx, func() { _ = web.Close() })()
	return web.Serve(listener)
}
