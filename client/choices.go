package client

import "github.com/clew-run/clew"

// Choices lists what a question offers to choose from, as people read it and as an
// answer has it.
func Choices(q clew.Question) (labels []string, values []any) {
	switch d := q.Data.(type) {
	case *clew.HitlInputRequestData:
		for _, o := range d.Options {
			labels, values = append(labels, o.Label), append(values, o.Value)
		}
	case *clew.HitlClarificationData:
		for _, s := range d.Suggestions {
			labels, values = append(labels, s), append(values, s)
		}
	}
	return labels, values
}
