package anthropic

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"sync"

	"github.com/anthropics/anthropic-sdk-go/option"
	"golang.org/x/oauth2/google"

	"github.com/clew-run/clew/internal/llm/call"
)

// NewVertex makes a provider of Anthropic's models at Google Cloud. It calls with the
// machine's Google credentials, as the gcloud command leaves them, unless there is a
// key, which is a token then. The SDK's own package for it makes the linker keep every
// method of the program, see deploy/link_test.go.
func NewVertex(o Options) *Provider {
	p := New(o)
	p.find = findVertex
	return p
}

const (
	vertexVersion = "vertex-2023-10-16"
	vertexScope   = "https://www.googleapis.com/auth/cloud-platform"
)

func findVertex(ctx context.Context, o Options) (target, error) {
	key, err := call.Key(ctx, o.Key, false)
	t := target{secrets: call.KnownSecrets(key, o.Headers)}
	if err != nil {
		return t, err
	}
	region := cmp.Or(o.Region, os.Getenv("CLOUD_ML_REGION"), os.Getenv("GOOGLE_CLOUD_LOCATION"), "global")
	base, err := address(cmp.Or(o.BaseURL, vertexURL(region)))
	if err != nil {
		return t, err
	}
	t.base = base
	project := cmp.Or(o.Project, os.Getenv("ANTHROPIC_VERTEX_PROJECT_ID"), os.Getenv("GOOGLE_CLOUD_PROJECT"))
	if key == "" {
		if !googles(base) {
			return t, call.Refused(nil, "Google's credentials go to Google only: set key_name for another base_url")
		}
		found, err := googleCloud.find(ctx)
		if err != nil {
			return t, noCredentials(err, "there are no Google credentials: run gcloud auth application-default login, or set GOOGLE_APPLICATION_CREDENTIALS")
		}
		token, err := found.TokenSource.Token()
		if err != nil {
			return t, noCredentials(err, "Google gave no token for your credentials: run gcloud auth application-default login")
		}
		key, project = token.AccessToken, cmp.Or(project, found.ProjectID)
		t.secrets = append(t.secrets, key)
	}
	if project == "" {
		return t, call.Refused(nil, "Vertex needs a project: set project in the profile, or GOOGLE_CLOUD_PROJECT")
	}
	place := "v1/projects/" + url.PathEscape(project) + "/locations/" + url.PathEscape(region) + "/publishers/anthropic/models/"
	t.options = []option.RequestOption{option.WithMiddleware(bearer(key), vertexForm(place))}
	return t, nil
}

// vertexURL is where a region is. The names of two are those of continents.
func vertexURL(region string) string {
	switch region {
	case "global":
		return "https://aiplatform.googleapis.com/"
	case "us", "eu":
		return "https://aiplatform." + region + ".rep.googleapis.com/"
	}
	return "https://" + region + "-aiplatform.googleapis.com/"
}

// googles reports whether an address is Google's, or this machine's: a token for all
// of somebody's cloud goes nowhere else.
func googles(base string) bool {
	u, err := url.Parse(base)
	if err != nil {
		return false
	}
	host := strings.ToLower(u.Hostname())
	if ip := net.ParseIP(host); ip != nil {
		return ip.IsLoopback()
	}
	return u.Scheme == "https" && strings.HasSuffix(host, ".googleapis.com")
}

// vertexForm makes Google's form of a request: the model is part of the address, the
// version part of the body.
func vertexForm(place string) option.Middleware {
	return func(r *http.Request, next option.MiddlewareNext) (*http.Response, error) {
		text, err := io.ReadAll(r.Body)
		if err != nil {
			return nil, err
		}
		var body map[string]json.RawMessage
		if err := json.Unmarshal(text, &body); err != nil {
			return nil, err
		}
		var model string
		if err := json.Unmarshal(body["model"], &model); err != nil {
			return nil, err
		}
		delete(body, "model")
		body["anthropic_version"] = json.RawMessage(`"` + vertexVersion + `"`)
		if text, err = json.Marshal(body); err != nil {
			return nil, err
		}
		r.URL = r.URL.JoinPath("../../" + place + url.PathEscape(model) + ":streamRawPredict")
		r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(text)), int64(len(text))
		return next(r)
	}
}

// googleCloud keeps the machine's Google credentials, which keep their token until it
// ends.
var googleCloud googleCredentials

type googleCredentials struct {
	mu     sync.Mutex
	chosen string
	found  *google.Credentials
}

func (c *googleCredentials) find(ctx context.Context) (*google.Credentials, error) {
	chosen := os.Getenv("GOOGLE_APPLICATION_CREDENTIALS")
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.found != nil && c.chosen == chosen {
		return c.found, nil
	}
	// The credentials outlive the call: they get new tokens later.
	found, err := google.FindDefaultCredentials(context.WithoutCancel(ctx), vertexScope)
	if err == nil {
		c.found, c.chosen = found, chosen
	}
	return found, err
}
