package anthropic

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/clew-run/clew/internal/llm"
)

// noCloud takes away whatever credentials the machine has.
func noCloud(t *testing.T) {
	t.Helper()
	none := filepath.Join(t.TempDir(), "none")
	for name, value := range map[string]string{
		"HOME": t.TempDir(), "AWS_CONFIG_FILE": none, "AWS_SHARED_CREDENTIALS_FILE": none, "AWS_EC2_METADATA_DISABLED": "true",
		"AWS_REGION": "", "AWS_DEFAULT_REGION": "", "AWS_PROFILE": "", "AWS_ACCESS_KEY_ID": "", "AWS_SECRET_ACCESS_KEY": "", "AWS_SESSION_TOKEN": "",
		"AWS_CONTAINER_CREDENTIALS_RELATIVE_URI": "", "AWS_CONTAINER_CREDENTIALS_FULL_URI": "", "AWS_WEB_IDENTITY_TOKEN_FILE": "", bedrockToken: "",
		"GOOGLE_APPLICATION_CREDENTIALS": none, "GOOGLE_CLOUD_PROJECT": "", "ANTHROPIC_VERTEX_PROJECT_ID": "", "CLOUD_ML_REGION": "", "GOOGLE_CLOUD_LOCATION": "",
	} {
		t.Setenv(name, value)
	}
}

// hear answers each call with a refusal and gives what it got.
func hear(t *testing.T) (base string, got func() (*http.Request, string)) {
	t.Helper()
	var last *http.Request
	var body []byte
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		last = r
		body, _ = io.ReadAll(r.Body)
		w.WriteHeader(http.StatusTeapot)
	}))
	t.Cleanup(s.Close)
	return s.URL, func() (*http.Request, string) { return last, string(body) }
}

func TestBedrockSigns(t *testing.T) {
	noCloud(t)
	t.Setenv("AWS_ACCESS_KEY_ID", "AKIDEXAMPLE")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "canary-secret")
	t.Setenv("AWS_REGION", "eu-central-1")
	t.Setenv(bedrockToken, "token-of-the-environment")
	t.Setenv("ANTHROPIC_API_KEY", "another-vendors")
	base, got := hear(t)
	req := hello()
	req.Model = "anthropic.claude-sonnet-4-v1:0"
	for _, c := range []struct {
		options Options
		want    string
	}{
		// The variable with a token goes to Amazon's own addresses only.
		{Options{BaseURL: base}, "/eu-central-1/bedrock/aws4_request"},
		{Options{BaseURL: base, Region: "us-east-1"}, "/us-east-1/bedrock/aws4_request"},
		{Options{BaseURL: base, Key: withKey}, "Bearer " + key},
		{Options{HTTP: &http.Client{Transport: divert{base, "bedrock-runtime.eu-central-1.amazonaws.com"}}}, "Bearer token-of-the-environment"},
	} {
		_, err := NewBedrock(c.options).Stream(t.Context(), req, nil)
		r, body := got()
		if llm.AsError(err).Status != http.StatusTeapot || !strings.Contains(r.Header.Get("Authorization"), c.want) {
			t.Errorf("%+v: %q %v", c.options, r.Header.Get("Authorization"), err)
		}
		if r.URL.EscapedPath() != "/model/anthropic.claude-sonnet-4-v1%3A0/invoke-with-response-stream" || strings.Contains(body, `"model"`) || !strings.Contains(body, "bedrock-2023-05-31") {
			t.Errorf("%s %s", r.URL, body)
		}
		if strings.Contains(fmt.Sprint(r.Header), "another-vendors") {
			t.Errorf("headers %v", r.Header)
		}
	}
}

// divert answers calls to a host from a server of ours.
type divert struct{ to, host string }

func (d divert) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.URL.Host != d.host || r.URL.Scheme != "https" {
		return nil, fmt.Errorf("a call to %s", r.URL)
	}
	r = r.Clone(r.Context())
	r.URL.Scheme, r.URL.Host = "http", strings.TrimPrefix(d.to, "http://")
	return http.DefaultTransport.RoundTrip(r)
}

func TestCloudsWithoutCredentials(t *testing.T) {
	noCloud(t)
	for name, c := range map[string]struct {
		provider *Provider
		kind     llm.Kind
		want     string
	}{
		"no region":              {NewBedrock(Options{}), llm.KindRequest, "AWS_REGION"},
		"no AWS credentials":     {NewBedrock(Options{Region: "eu-west-1"}), llm.KindAuth, "aws configure"},
		"no Google credentials":  {NewVertex(Options{Project: "p"}), llm.KindAuth, "gcloud auth application-default login"},
		"no project":             {NewVertex(Options{Key: withKey}), llm.KindRequest, "GOOGLE_CLOUD_PROJECT"},
		"a token for a stranger": {NewVertex(Options{Project: "p", BaseURL: "https://example.org"}), llm.KindRequest, "Google only"},
	} {
		_, err := c.provider.Stream(t.Context(), hello(), nil)
		if e := llm.AsError(err); e.Kind != c.kind || !strings.Contains(e.Message, c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// The token comes by way of a file of credentials, once for many calls.
func TestVertexGetsAToken(t *testing.T) {
	noCloud(t)
	tokens := 0
	google := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		tokens++
		w.Header().Set("Content-Type", "application/json")
		_, _ = fmt.Fprintf(w, `{"access_token":"token-%d","expires_in":3600,"token_type":"Bearer"}`, tokens)
	}))
	defer google.Close()
	t.Setenv("GOOGLE_APPLICATION_CREDENTIALS", serviceAccount(t, google.URL))
	base, got := hear(t)
	req := hello()
	req.Model = "claude-sonnet-4-5@20250929"
	for _, c := range []struct {
		options Options
		want    string
	}{
		{Options{}, "/v1/projects/of-the-file/locations/global"},
		{Options{Region: "europe-west1", Project: "mine"}, "/v1/projects/mine/locations/europe-west1"},
	} {
		c.options.BaseURL = base
		_, err := NewVertex(c.options).Stream(t.Context(), req, nil)
		r, body := got()
		if llm.AsError(err).Status != http.StatusTeapot || r.URL.Path != c.want+"/publishers/anthropic/models/claude-sonnet-4-5@20250929:streamRawPredict" {
			t.Fatalf("%s %v", r.URL, err)
		}
		if r.Header.Get("Authorization") != "Bearer token-1" || strings.Contains(body, `"model"`) || !strings.Contains(body, vertexVersion) {
			t.Errorf("%q %s", r.Header.Get("Authorization"), body)
		}
	}
	for region, want := range map[string]string{
		"global": "aiplatform.googleapis.com", "eu": "aiplatform.eu.rep.googleapis.com", "us-east5": "us-east5-aiplatform.googleapis.com",
	} {
		o := Options{Region: region, Project: "p", HTTP: &http.Client{Transport: divert{base, want}}}
		if _, err := NewVertex(o).Stream(t.Context(), req, nil); llm.AsError(err).Status != http.StatusTeapot {
			t.Errorf("%s: %v", region, err)
		}
	}
}

// serviceAccount writes a file of credentials whose tokens come from an address.
func serviceAccount(t *testing.T, tokenURL string) string {
	t.Helper()
	private, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	data, err := json.Marshal(map[string]string{
		"type": "service_account", "project_id": "of-the-file", "client_email": "a@of-the-file.example", "token_uri": tokenURL,
		"private_key": string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})),
	})
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "credentials.json")
	if err := os.WriteFile(name, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// A stream of Amazon's that is none, or ends with an exception, is no answer.
func TestBedrockBrokenStreams(t *testing.T) {
	for name, body := range map[string]string{"nothing": "", "text": "event: ping\ndata: {}\n\n", "a frame too large": "\xff\xff\xff\xff\x00\x00\x00\x00\x00\x00\x00\x00"} {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/vnd.amazon.eventstream")
			_, _ = io.WriteString(w, body)
		}))
		_, err := NewBedrock(Options{BaseURL: s.URL, Region: "x", Key: withKey}).Stream(t.Context(), hello(), nil)
		if e := llm.AsError(err); err == nil || !e.Temporary() {
			t.Errorf("%s: %v", name, err)
		}
		s.Close()
	}
}
