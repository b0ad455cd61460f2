package discover

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
)

// A caller asks one server.
type caller struct {
	base url.URL
	http *http.Client
}

// get reads the JSON at a path and gives its status, 0 if there is no such answer.
func (c *caller) get(ctx context.Context, path string, into any) int {
	return c.do(ctx, http.MethodGet, path, nil, into)
}

func (c *caller) do(ctx context.Context, method, path string, body []byte, into any) int {
	req, err := http.NewRequestWithContext(ctx, method, c.base.JoinPath(path).String(), bytes.NewReader(body))
	if err != nil {
		return 0
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return 0
	}
	defer func() { _ = resp.Body.Close() }()
	data, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer+1))
	if err != nil || len(data) > maxAnswer || json.Unmarshal(data, into) != nil {
		return 0
	}
	return resp.StatusCode
}

// listed is the answer of /v1/models, with what each server adds to it.
type listed struct {
	Data []struct {
		ID          string `json:"id"`
		OwnedBy     string `json:"owned_by"`
		MaxModelLen int    `json:"max_model_len"` // vLLM
		Meta        struct {
			Window int `json:"n_ctx"`
		} `json:"meta"` // llama.cpp
	} `json:"data"`
}

func ollama(ctx context.Context, c *caller, s *LocalServer) bool {
	var is struct {
		Version string `json:"version"`
	}
	var tags struct {
		Models []struct {
			Name string `json:"name"`
		} `json:"models"`
	}
	if c.get(ctx, "/api/version", &is) != http.StatusOK || is.Version == "" || c.get(ctx, "/api/tags", &tags) != http.StatusOK {
		return false
	}
	running := c.ollamaRunning(ctx)
	var all sync.WaitGroup
	s.Models = make([]LocalModel, len(tags.Models))
	for i, m := range tags.Models {
		s.Models[i] = LocalModel{Name: m.Name, ContextWindow: running[m.Name]}
		if i < maxShown {
			all.Go(func() { c.ollamaShow(ctx, &s.Models[i]) })
		}
	}
	all.Wait()
	return true
}

// ollamaRunning gives the windows in force, of the models that are loaded.
func (c *caller) ollamaRunning(ctx context.Context) map[string]int {
	var ps struct {
		Models []struct {
			Name   string `json:"name"`
			Window int    `json:"context_length"`
		} `json:"models"`
	}
	windows := map[string]int{}
	if c.get(ctx, "/api/ps", &ps) == http.StatusOK {
		for _, m := range ps.Models {
			windows[m.Name] = m.Window
		}
	}
	return windows
}

// ollamaShow fills in what a model can do. The window here is the most that it can; one
// that is in force already counts more.
func (c *caller) ollamaShow(ctx context.Context, m *LocalModel) {
	body, err := json.Marshal(map[string]string{"model": m.Name})
	if err != nil {
		return
	}
	var show struct {
		Capabilities []string       `json:"capabilities"`
		Info         map[string]any `json:"model_info"`
	}
	if c.do(ctx, http.MethodPost, "/api/show", body, &show) != http.StatusOK {
		return
	}
	m.noTools = true
	for _, can := range show.Capabilities {
		m.noTools = m.noTools && can != "tools"
	}
	for name, value := range show.Info {
		if n, ok := value.(float64); ok && strings.HasSuffix(name, ".context_length") && m.ContextWindow == 0 {
			m.ContextWindow = int(n)
		}
	}
}

func lmStudio(ctx context.Context, c *caller, s *LocalServer) bool {
	var is struct {
		Models []struct {
			Type         string `json:"type"`
			Key          string `json:"key"`
			Max          int    `json:"max_context_length"`
			Capabilities *struct {
				Tools bool `json:"trained_for_tool_use"`
			} `json:"capabilities"`
			Loaded []struct {
				Config struct {
					Window int `json:"context_length"`
				} `json:"config"`
			} `json:"loaded_instances"`
		} `json:"models"`
	}
	if c.get(ctx, "/api/v1/models", &is) != http.StatusOK || is.Models == nil {
		return false
	}
	for _, m := range is.Models {
		if m.Key == "" || m.Type == "embedding" {
			continue
		}
		model := LocalModel{Name: m.Key, ContextWindow: m.Max, noTools: m.Capabilities != nil && !m.Capabilities.Tools}
		if len(m.Loaded) > 0 && m.Loaded[0].Config.Window > 0 {
			model.ContextWindow = m.Loaded[0].Config.Window
		}
		s.Models = append(s.Models, model)
	}
	return true
}

func llamaCpp(ctx context.Context, c *caller, s *LocalServer) bool {
	var health struct {
		Status string `json:"status"`
		Error  struct {
			Message string `json:"message"`
			Type    string `json:"type"`
		} `json:"error"`
	}
	switch status := c.get(ctx, "/health", &health); {
	case status == http.StatusServiceUnavailable && health.Error.Type == "unavailable_error":
		s.Loading = true
		return true
	case status != http.StatusOK || health.Status != "ok":
		return false
	}
	if !c.list(ctx, s, "llamacpp") {
		return false
	}
	var props struct {
		Defaults struct {
			Window int `json:"n_ctx"`
		} `json:"default_generation_settings"`
	}
	if c.get(ctx, "/props", &props) == http.StatusOK && props.Defaults.Window > 0 {
		for i := range s.Models {
			s.Models[i].ContextWindow = props.Defaults.Window
		}
	}
	return true
}

func vLLM(ctx context.Context, c *caller, s *LocalServer) bool {
	var is struct {
		Version string `json:"version"`
	}
	return c.get(ctx, "/version", &is) == http.StatusOK && is.Version != "" && c.list(ctx, s, "vllm")
}

// list reads the models of /v1/models that carry the server's own mark.
func (c *caller) list(ctx context.Context, s *LocalServer, mark string) bool {
	var all listed
	if c.get(ctx, "/v1/models", &all) != http.StatusOK {
		return false
	}
	for _, m := range all.Data {
		if m.OwnedBy == mark && m.ID != "" {
			s.Models = append(s.Models, LocalModel{Name: m.ID, ContextWindow: max(m.MaxModelLen, m.Meta.Window)})
		}
	}
	return len(s.Models) > 0
}
