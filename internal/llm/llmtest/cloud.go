package llmtest

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws/protocol/eventstream"
	"github.com/aws/aws-sdk-go-v2/aws/protocol/eventstream/eventstreamapi"
)

// Amazon and Google Cloud pass Anthropic's messages on. The model is part of the
// address, the version part of the body, and Amazon's stream is binary.

// decodeCloud reads and checks a request to Anthropic's models in a cloud.
func decodeCloud(vendor Vendor, model string, stream bool, body []byte) (*Request, *refusal) {
	r := &Request{Vendor: vendor, Model: model, Stream: stream}
	var in struct {
		anthropicRequest
		Version string          `json:"anthropic_version"`
		Streams json.RawMessage `json:"stream"`
	}
	if err := json.Unmarshal(body, &in); err != nil {
		return r, badRequest("the body is no request: %v", err)
	}
	switch {
	case in.Version == "": // older SDKs name the cloud in it, newer ones the API
		return r, badRequest("anthropic_version: the field is missing")
	case in.Model != "":
		return r, badRequest("model: Extra inputs are not permitted")
	case vendor == Bedrock && in.Streams != nil:
		return r, badRequest("stream: Extra inputs are not permitted")
	}
	in.Model, in.Stream = model, stream
	return r, in.decode(r)
}

// bedrockKey gives what tells the caller: a bearer token, or the id of the key that
// signed the request. The signature itself is not checked.
func bedrockKey(authorization string) string {
	if token, ok := strings.CutPrefix(authorization, "Bearer "); ok {
		return token
	}
	_, credential, _ := strings.Cut(authorization, "AWS4-HMAC-SHA256 Credential=")
	id, scope, _ := strings.Cut(credential, "/")
	if !strings.Contains(scope, "/bedrock/aws4_request") {
		return ""
	}
	return id
}

// amazonError is an error as Amazon writes it.
func amazonError(_ int, f Failure) any { return object{"message": f.Message} }

// amazonErrorType is what Amazon says of an error in a header.
func amazonErrorType(status int) string {
	switch status {
	case http.StatusUnauthorized, http.StatusForbidden:
		return "AccessDeniedException"
	case http.StatusNotFound:
		return "ResourceNotFoundException"
	case http.StatusTooManyRequests:
		return "ThrottlingException"
	case http.StatusServiceUnavailable:
		return "ServiceUnavailableException"
	}
	if status >= 500 {
		return "InternalServerException"
	}
	return "ValidationException"
}

// frame sends an event of Anthropic's in a frame of Amazon's. An error is an exception
// there.
func (s *sink) frame(name string, data []byte) {
	s.begin(http.StatusOK, "application/vnd.amazon.eventstream")
	m := eventstream.Message{}
	if name == "error" {
		var e struct{ Error struct{ Message string } }
		_ = json.Unmarshal(data, &e)
		m.Headers.Set(eventstreamapi.MessageTypeHeader, eventstream.StringValue(eventstreamapi.ExceptionMessageType))
		m.Headers.Set(eventstreamapi.ExceptionTypeHeader, eventstream.StringValue("modelStreamErrorException"))
		m.Payload, _ = json.Marshal(object{"message": e.Error.Message})
	} else {
		m.Headers.Set(eventstreamapi.MessageTypeHeader, eventstream.StringValue(eventstreamapi.EventMessageType))
		m.Headers.Set(eventstreamapi.EventTypeHeader, eventstream.StringValue("chunk"))
		m.Payload, _ = json.Marshal(object{"bytes": base64.StdEncoding.EncodeToString(data)})
	}
	m.Headers.Set(eventstreamapi.ContentTypeHeader, eventstream.StringValue("application/json"))
	var frame bytes.Buffer
	if s.err = eventstream.NewEncoder().Encode(&frame, m); s.err == nil {
		s.raw(frame.String())
	}
}
