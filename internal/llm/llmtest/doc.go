// Package llmtest has the scripted model: an HTTP server that speaks the
// streaming APIs of Anthropic (at home and in two clouds), OpenAI (Chat Completions
// and Responses) and Gemini, and plays a script instead of thinking.
// Tests use it through the vendors' own SDKs, and the demo needs no key and no
// network with it.
//
// A script says which request it waits for and what it answers, faults of the
// wire included. docs/scripted-model.md describes every field.
//
// The server checks requests about as strictly as the vendors do. A history
// with a tool call that has no result is refused here too, so that a test finds
// it before a user does.
package llmtest
