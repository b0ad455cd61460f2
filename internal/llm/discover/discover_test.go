package discover_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/clew-run/clew/internal/llm/discover"
)

// serve answers at paths as a server's documentation shows it. The status of an answer
// that is not 200 stands before it.
func serve(t *testing.T, answers map[string]string) (address string) {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "" {
			t.Error("a key was sent")
		}
		answer, ok := answers[r.Method+" "+r.URL.Path]
		if !ok {
			http.NotFound(w, r)
			return
		}
		var status int
		if n, _ := fmt.Sscanf(answer, "%d ", &status); n == 1 {
			if status/100 == 3 {
				w.Header().Set("Location", strings.TrimPrefix(answer, fmt.Sprint(status, " ")))
			}
			w.WriteHeader(status)
			_, answer, _ = strings.Cut(answer, " ")
		}
		_, _ = fmt.Fprint(w, answer)
	}))
	t.Cleanup(s.Close)
	return strings.TrimPrefix(s.URL, "http://")
}

// nobody is where no server listens.
const nobody = "127.0.0.1:1"

func find(t *testing.T, a discover.Addresses) []discover.LocalServer {
	t.Helper()
	for _, address := range []*string{&a.Ollama, &a.LMStudio, &a.LlamaCpp, &a.VLLM} {
		if *address == "" {
			*address = nobody
		}
	}
	return discover.Find(t.Context(), a)
}

var ollamaAnswers = map[string]string{
	"GET /api/version": `{"version":"0.12.6"}`,
	"GET /api/tags": `{"models":[{"name":"gemma3:4b","model":"gemma3:4b","size":3338801804,"details":{"family":"gemma3"}},
		{"name":"qwen3:8b","model":"qwen3:8b","size":5225388164,"details":{"family":"qwen3"}}]}`,
	"GET /api/ps":    `{"models":[]}`,
	"POST /api/show": `{"capabilities":["completion","tools","thinking"],"model_info":{"general.architecture":"qwen3","qwen3.context_length":40960}}`,
}

func TestOllama(t *testing.T) {
	at := serve(t, ollamaAnswers)
	found := find(t, discover.Addresses{Ollama: at})
	if len(found) != 1 || found[0].Name != "ollama" || found[0].BaseURL != "http://"+at+"/v1" || len(found[0].Models) != 2 {
		t.Fatalf("%+v", found)
	}
	if m := found[0].Models[1]; m.Name != "qwen3:8b" || m.ContextWindow != 40960 || m.WhyNot != "" {
		t.Errorf("%+v", m)
	}
}

// The window in force counts more than the one that would be possible, and what cannot
// use tools is offered last.
func TestOllamaJudged(t *testing.T) {
	answers := map[string]string{}
	for path, answer := range ollamaAnswers {
		answers[path] = answer
	}
	answers["GET /api/ps"] = `{"models":[{"name":"gemma3:4b","context_length":4096}]}`
	found := find(t, discover.Addresses{Ollama: serve(t, answers)})
	if len(found) != 1 || found[0].Models[0].Name != "qwen3:8b" || found[0].Models[1].ContextWindow != 4096 || !strings.Contains(found[0].Models[1].WhyNot, "window") {
		t.Errorf("%+v", found)
	}
	answers["POST /api/show"] = `{"capabilities":["completion"],"model_info":{"gemma3.context_length":131072}}`
	found = find(t, discover.Addresses{Ollama: serve(t, answers)})
	if len(found) != 1 || slices.ContainsFunc(found[0].Models, func(m discover.LocalModel) bool { return m.WhyNot != "it cannot use tools" }) {
		t.Errorf("%+v", found)
	}
}

func TestLMStudio(t *testing.T) {
	found := find(t, discover.Addresses{LMStudio: serve(t, map[string]string{
		"GET /api/v1/models": `{"models":[
			{"type":"embedding","key":"text-embedding-nomic","max_context_length":2048,"loaded_instances":[]},
			{"type":"llm","key":"openai/gpt-oss-20b","max_context_length":131072,"capabilities":{"vision":false,"trained_for_tool_use":true},
			 "loaded_instances":[{"id":"openai/gpt-oss-20b","config":{"context_length":65536}}]},
			{"type":"llm","key":"old","max_context_length":131072,"capabilities":{"trained_for_tool_use":false},"loaded_instances":[]}]}`,
	})})
	if len(found) != 1 || found[0].Name != "lmstudio" || len(found[0].Models) != 2 || found[0].Models[0].Name != "openai/gpt-oss-20b" ||
		found[0].Models[0].ContextWindow != 65536 || found[0].Models[1].WhyNot == "" {
		t.Errorf("%+v", found)
	}
}

func TestLlamaCpp(t *testing.T) {
	models := `{"object":"list","data":[{"id":"qwen3.gguf","object":"model","owned_by":"llamacpp","meta":{"n_ctx_train":262144,"n_ctx":49152}}]}`
	found := find(t, discover.Addresses{LlamaCpp: serve(t, map[string]string{"GET /health": `{"status":"ok"}`, "GET /v1/models": models})})
	if len(found) != 1 || found[0].Name != "llamacpp" || found[0].Models[0].ContextWindow != 49152 {
		t.Errorf("%+v", found)
	}
	loading := find(t, discover.Addresses{LlamaCpp: serve(t, map[string]string{
		"GET /health": `503 {"error":{"code":503,"message":"Loading model","type":"unavailable_error"}}`,
	})})
	if len(loading) != 1 || !loading[0].Loading || len(loading[0].Models) != 0 {
		t.Errorf("%+v", loading)
	}
}

func TestVLLM(t *testing.T) {
	found := find(t, discover.Addresses{VLLM: serve(t, map[string]string{
		"GET /version":   `{"version":"0.11.0"}`,
		"GET /v1/models": `{"object":"list","data":[{"id":"Qwen/Qwen3-8B","object":"model","owned_by":"vllm","max_model_len":40960}]}`,
	})})
	if len(found) != 1 || found[0].Name != "vllm" || found[0].Models[0].Name != "Qwen/Qwen3-8B" || found[0].Models[0].ContextWindow != 40960 {
		t.Errorf("%+v", found)
	}
}

// The ports are anybody's: what has no known mark, sends elsewhere, says too much or is
// not on this machine is not offered.
func TestNotOffered(t *testing.T) {
	real := serve(t, ollamaAnswers)
	for name, a := range map[string]discover.Addresses{
		"health alone":   {LlamaCpp: serve(t, map[string]string{"GET /health": `{"status":"ok"}`})},
		"another mark":   {VLLM: serve(t, map[string]string{"GET /version": `{"version":"1"}`, "GET /v1/models": `{"data":[{"id":"m","owned_by":"me"}]}`})},
		"no JSON":        {Ollama: serve(t, map[string]string{"GET /api/version": "<html>"})},
		"a redirect":     {Ollama: serve(t, map[string]string{"GET /api/version": "302 http://" + real + "/api/version", "GET /api/tags": ollamaAnswers["GET /api/tags"]})},
		"too long":       {Ollama: serve(t, map[string]string{"GET /api/version": `{"version":"1","x":"` + strings.Repeat("x", 64<<10) + `"}`, "GET /api/tags": `{"models":[]}`})},
		"nobody":         {},
		"not loopback":   {Ollama: "192.0.2.1:11434"},
		"name elsewhere": {Ollama: "models.example:11434"},
	} {
		if found := find(t, a); len(found) != 0 {
			t.Errorf("%s: %+v", name, found)
		}
	}
}

func TestOllamaHost(t *testing.T) {
	for value, want := range map[string]string{
		"": "127.0.0.1:11434", "0.0.0.0": "127.0.0.1:11434", "127.0.0.1:7000": "127.0.0.1:7000", ":7000": "127.0.0.1:7000",
		"http://localhost:7000/": "localhost:7000", "[::1]:7000": "[::1]:7000", "models.example": "models.example:11434",
	} {
		if got := discover.Usual([]string{"OLLAMA_HOST=" + value}).Ollama; got != want {
			t.Errorf("%q is %s", value, got)
		}
	}
}
