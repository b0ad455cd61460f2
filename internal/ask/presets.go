package ask

// A Preset is how much agents may do without asking.
type Preset struct{ Name, Text string }

// PresetQuestion is the question that Presets answer.
const PresetQuestion = "How much may the agent do without asking?"

// Presets are the choices, the strictest first.
var Presets = []Preset{
	{"ask", "Ask before every command and every edit"},
	{"edits", "Edit files in this folder; ask before commands"},
	{"sandbox", "Everything inside the sandbox"},
}
