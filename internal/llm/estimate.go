package llm

import "github.com/clew-run/clew"

// Weights of an estimate, in tokens.
const (
	imageTokens   = 1600 // about what vendors count for an image of the largest useful size
	messageTokens = 4    // role and frame of a message or part
	toolTokens    = 12   // frame of a tool's description
)

// EstimateTokens guesses how many tokens a call sends, without a tokenizer: one
// for four bytes of ASCII, one for two bytes of anything else (which fits
// Chinese and Japanese, and is high for Cyrillic and Greek), a constant for each
// image. It is meant for reserving a budget before a call, and to be replaced by
// the provider's count after it. For prose it is a little high; for dense code
// it can be a quarter low.
func EstimateTokens(messages []clew.ModelMessage, system string, tools []Tool) int {
	n := EstimateText(system)
	for _, t := range tools {
		n += toolTokens + EstimateText(t.Name) + EstimateText(t.Description) + EstimateText(string(t.Schema))
	}
	for _, m := range messages {
		if m.Hidden() {
			continue
		}
		n += messageTokens
		for _, p := range m.Content {
			n += messageTokens + estimatePart(p)
		}
	}
	return n
}

func estimatePart(p clew.Part) int {
	return EstimateText(p.Text) + EstimateText(p.Tool) + EstimateText(string(p.Input)) +
		EstimateText(p.Encrypted) + len(p.Images)*imageTokens
}

// EstimateText guesses the tokens of a text, as EstimateTokens does.
func EstimateText(s string) int {
	wide := 0
	for i := range len(s) {
		if s[i] >= 0x80 {
			wide++
		}
	}
	return (len(s)-wide+3)/4 + (wide+1)/2
}
