package settings

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
)

// Handler gives a log handler that passes records on to h without secrets.
func (r *Redactor) Handler(h slog.Handler) slog.Handler { return &redactingHandler{r, h} }

type redactingHandler struct {
	redactor *Redactor
	to       slog.Handler
}

func (h *redactingHandler) Enabled(ctx context.Context, level slog.Level) bool {
	return h.to.Enabled(ctx, level)
}

func (h *redactingHandler) Handle(ctx context.Context, record slog.Record) error {
	clean := slog.NewRecord(record.Time, record.Level, h.redactor.Redact(record.Message), record.PC)
	record.Attrs(func(a slog.Attr) bool {
		clean.AddAttrs(h.redactor.attr(a))
		return true
	})
	return h.to.Handle(ctx, clean)
}

func (h *redactingHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return &redactingHandler{h.redactor, h.to.WithAttrs(h.redactor.attrs(attrs))}
}

func (h *redactingHandler) WithGroup(name string) slog.Handler {
	return &redactingHandler{h.redactor, h.to.WithGroup(h.redactor.Redact(name))}
}

func (r *Redactor) attrs(attrs []slog.Attr) []slog.Attr {
	out := make([]slog.Attr, len(attrs))
	for i, a := range attrs {
		out[i] = r.attr(a)
	}
	return out
}

func (r *Redactor) attr(a slog.Attr) slog.Attr {
	v := a.Value.Resolve()
	switch v.Kind() {
	case slog.KindString:
		v = slog.StringValue(r.Redact(v.String()))
	case slog.KindGroup:
		v = slog.GroupValue(r.attrs(v.Group())...)
	case slog.KindAny:
		v = r.any(v)
	}
	return slog.Attr{Key: r.Redact(a.Key), Value: v}
}

// any replaces a value by clean text if it shows a secret, printed or as JSON.
// Handlers do one or the other.
func (r *Redactor) any(v slog.Value) slog.Value {
	printed := fmt.Sprintf("%+v", v.Any())
	if clean := r.Redact(printed); clean != printed {
		return slog.StringValue(clean)
	}
	encoded, err := json.Marshal(v.Any())
	if err == nil && r.Contains(string(encoded)) {
		return slog.StringValue(r.Redact(string(encoded)))
	}
	return v
}
