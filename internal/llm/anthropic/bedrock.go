package anthropic

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"net/http"
	"os"
	"sync"
	"time"

	"github.com/anthropics/anthropic-sdk-go/bedrock"
	"github.com/anthropics/anthropic-sdk-go/option"
	"github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"
	"github.com/aws/aws-sdk-go-v2/config"

	"github.com/clew-run/clew/internal/llm"
	"github.com/clew-run/clew/internal/llm/call"
)

// NewBedrock makes a provider of Anthropic's models at Amazon Bedrock. Calls are
// signed with the machine's AWS credentials, as the aws command finds them, unless
// there is a key of Bedrock's own.
func NewBedrock(o Options) *Provider {
	p := New(o)
	p.find = findBedrock
	return p
}

// bedrockToken is the variable with a key of Bedrock's own. The SDK takes it before
// all else and sends it to any address; here it goes to Amazon only, and a stored
// key goes before it.
const bedrockToken = "AWS_BEARER_TOKEN_BEDROCK"

func findBedrock(ctx context.Context, o Options) (target, error) {
	key, err := call.Key(ctx, o.Key, false)
	if key == "" && o.BaseURL == "" {
		key = os.Getenv(bedrockToken)
	}
	t := target{base: o.BaseURL, secrets: call.KnownSecrets(key, o.Headers)}
	if err != nil {
		return t, err
	}
	cfg, err := amazon.load(ctx)
	if err != nil {
		return t, noCredentials(err, "the AWS configuration cannot be read")
	}
	if o.Region != "" {
		cfg.Region = o.Region
	}
	if cfg.Region == "" {
		return t, call.Refused(nil, "Bedrock needs a region: set region in the profile, or AWS_REGION")
	}
	if t.base == "" {
		t.base = "https://bedrock-runtime." + cfg.Region + ".amazonaws.com/"
	}
	sign := bearer(key)
	if key == "" {
		credentials, err := cfg.Credentials.Retrieve(ctx)
		if err != nil {
			return t, noCredentials(err, "there are no AWS credentials: run aws configure, or set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY")
		}
		t.secrets = append(t.secrets, credentials.SecretAccessKey, credentials.SessionToken)
		sign = signer(credentials, cfg.Region)
	}
	// The SDK's option makes Amazon's form of request and answer. It would choose who
	// signs by the environment: it gets a word that signs nothing, and the middleware
	// after it signs.
	form := aws.Config{Region: cfg.Region, BearerAuthTokenProvider: bedrock.NewStaticBearerTokenProvider("none")}
	t.options = []option.RequestOption{bedrock.WithConfig(form), option.WithMiddleware(sign)}
	return t, nil
}

func noCredentials(cause error, message string) error {
	return &llm.Error{Kind: llm.KindAuth, Message: message, Err: errors.New(call.Secrets{}.Clean(cause.Error()))}
}

func bearer(key string) option.Middleware {
	return func(r *http.Request, next option.MiddlewareNext) (*http.Response, error) {
		r.Header.Set("Authorization", "Bearer "+key)
		return next(r)
	}
}

func signer(credentials aws.Credentials, region string) option.Middleware {
	return func(r *http.Request, next option.MiddlewareNext) (*http.Response, error) {
		body, err := r.GetBody()
		if err != nil {
			return nil, err
		}
		text, err := io.ReadAll(body)
		if err != nil {
			return nil, err
		}
		if r.Body, err = r.GetBody(); err != nil {
			return nil, err
		}
		r.Header.Del("Authorization")
		sum := sha256.Sum256(text)
		if err := v4.NewSigner().SignHTTP(r.Context(), credentials, r, hex.EncodeToString(sum[:]), "bedrock", region, time.Now()); err != nil {
			return nil, err
		}
		return next(r)
	}
}

// amazon keeps the machine's AWS configuration: temporary credentials are had by a
// call, and renewed by the configuration that got them.
var amazon awsConfigs

type awsConfigs struct {
	mu     sync.Mutex
	chosen string
	config aws.Config
}

func (c *awsConfigs) load(ctx context.Context) (aws.Config, error) {
	chosen := os.Getenv("AWS_PROFILE") + "\x00" + os.Getenv("AWS_ACCESS_KEY_ID") + "\x00" + os.Getenv("AWS_REGION")
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.config.Credentials != nil && c.chosen == chosen {
		return c.config, nil
	}
	cfg, err := config.LoadDefaultConfig(context.WithoutCancel(ctx))
	if err == nil {
		c.config, c.chosen = cfg, chosen
	}
	return cfg, err
}
