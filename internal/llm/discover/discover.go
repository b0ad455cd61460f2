// Package discover finds model servers on this machine: Ollama, LM Studio, llama.cpp
// and vLLM. It asks them what they are, on loopback alone, and sends no key. What
// answers without a known mark is not offered: the ports are anybody's.
package discover

import (
	"cmp"
	"context"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"
)

const (
	within    = 300 * time.Millisecond // for each server, all at once
	maxAnswer = 64 << 10
	// enough is the window that an agent needs.
	enough = 32_768
	// maxShown is how many of Ollama's models are looked at closely.
	maxShown = 20
)

// A LocalServer is one that was found.
type LocalServer struct {
	Name    string       `json:"name" enum:"ollama,lmstudio,llamacpp,vllm" doc:"For a profile that uses it"`
	Title   string       `json:"title"`
	Address string       `json:"address" doc:"Host and port"`
	BaseURL string       `json:"base_url" doc:"For a profile of the provider openai"`
	Loading bool         `json:"loading,omitempty" doc:"It is still loading its model"`
	Models  []LocalModel `json:"models" nullable:"false" doc:"The best ones for an agent first"`
}

// A LocalModel is one that a server on this machine has.
type LocalModel struct {
	Name          string `json:"name"`
	ContextWindow int    `json:"context_window" doc:"Tokens that fit; 0 = not known"`
	// WhyNot says what keeps an agent from working well with it.
	WhyNot  string `json:"why_not,omitempty" doc:"What an agent would miss, for people"`
	noTools bool
}

// Addresses say where each server is looked for, as host and port.
type Addresses struct{ Ollama, LMStudio, LlamaCpp, VLLM string }

// Usual are the addresses that the servers have unless told otherwise. environ is as
// os.Environ gives it.
func Usual(environ []string) Addresses {
	a := Addresses{Ollama: "127.0.0.1:11434", LMStudio: "127.0.0.1:1234", LlamaCpp: "127.0.0.1:8080", VLLM: "127.0.0.1:8000"}
	for _, entry := range environ {
		if host, ok := strings.CutPrefix(entry, "OLLAMA_HOST="); ok && host != "" {
			a.Ollama = ollamaAddress(host)
		}
	}
	return a
}

// ollamaAddress reads OLLAMA_HOST, which says where Ollama listens: a host, a port, both,
// or a URL. One that listens everywhere is on loopback, too.
func ollamaAddress(value string) string {
	if _, rest, ok := strings.Cut(value, "://"); ok {
		value = rest
	}
	value, _, _ = strings.Cut(value, "/")
	host, port, err := net.SplitHostPort(value)
	if err != nil {
		host, port = strings.Trim(value, "[]"), "11434"
	}
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	return net.JoinHostPort(host, cmp.Or(port, "11434"))
}

// Find asks at all addresses at once. It takes no longer than one of them may take.
func Find(ctx context.Context, a Addresses) []LocalServer {
	probes := []struct {
		server LocalServer
		look   func(context.Context, *caller, *LocalServer) bool
	}{
		{LocalServer{Name: "ollama", Title: "Ollama", Address: a.Ollama}, ollama},
		{LocalServer{Name: "lmstudio", Title: "LM Studio", Address: a.LMStudio}, lmStudio},
		{LocalServer{Name: "llamacpp", Title: "llama.cpp", Address: a.LlamaCpp}, llamaCpp},
		{LocalServer{Name: "vllm", Title: "vLLM", Address: a.VLLM}, vLLM},
	}
	found := make([]*LocalServer, len(probes))
	var all sync.WaitGroup
	for i, p := range probes {
		if !loopback(p.server.Address) {
			continue
		}
		all.Go(func() {
			ctx, cancel := context.WithTimeout(ctx, within)
			defer cancel()
			s := p.server
			s.BaseURL, s.Models = "http://"+s.Address+"/v1", []LocalModel{}
			c := newCaller(s.Address)
			defer c.http.CloseIdleConnections()
			if p.look(ctx, c, &s) {
				s.judge()
				found[i] = &s
			}
		})
	}
	all.Wait()
	list := []LocalServer{}
	for _, s := range found {
		if s != nil {
			list = append(list, *s)
		}
	}
	return list
}

func loopback(address string) bool {
	host, _, err := net.SplitHostPort(address)
	ip := net.ParseIP(host)
	return err == nil && (host == "localhost" || ip != nil && ip.IsLoopback())
}

// judge says what an agent would miss, and puts such models last.
func (s *LocalServer) judge() {
	for i := range s.Models {
		m := &s.Models[i]
		switch {
		case m.noTools:
			m.WhyNot = "it cannot use tools"
		case m.ContextWindow > 0 && m.ContextWindow < enough:
			m.WhyNot = "its window is small: an agent needs 32,768 tokens"
		}
	}
	slices.SortStableFunc(s.Models, func(a, b LocalModel) int {
		return cmp.Compare(min(1, len(a.WhyNot)), min(1, len(b.WhyNot)))
	})
}

// newCaller makes a client for one server. It follows no redirects, which could lead
// off this machine, and knows no proxy.
func newCaller(address string) *caller {
	return &caller{base: url.URL{Scheme: "http", Host: address}, http: &http.Client{
		Transport:     &http.Transport{Proxy: nil, DisableKeepAlives: true, MaxResponseHeaderBytes: maxAnswer},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}
