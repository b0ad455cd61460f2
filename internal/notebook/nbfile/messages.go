package nbfile

import (
	"encoding/base64"
	"encoding/json"
	"strings"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/notebook/ipynb"
	"github.com/clew-run/clew/internal/session/core"
)

// fromMessages folds the messages that a run left in the transcript.
func (m *maker) fromMessages(c *core.Cell, f *fold) error {
	list, err := m.Messages(c.Outputs)
	if err != nil {
		return err
	}
	outputs, err := Published(list, m.Blob)
	if err != nil {
		return err
	}
	for _, r := range outputs {
		f.add(r)
	}
	f.left += c.LeftOut
	return nil
}

// Published gives what the kernel published of a run as far as its messages have it, in the
// form of the run's blob.
func Published(list []clew.Message, blob func(address string) ([]byte, error)) ([]RunOutput, error) {
	m := &maker{Source: Source{Blob: blob}}
	var outputs []RunOutput
	for i := range list {
		r, ok, err := m.runOutput(&list[i])
		if err != nil {
			return nil, err
		}
		if ok {
			outputs = append(outputs, r)
		}
	}
	return outputs, nil
}

// runOutput makes a message what the kernel published; false if it is none of that.
func (m *maker) runOutput(said *clew.Message) (r RunOutput, ok bool, err error) {
	if said.Cell == nil || said.Cell.Cleared || said.Metadata["left_out"] != nil {
		return r, false, nil
	}
	word := func(key string) string {
		s, _ := said.Metadata[key].(string)
		return s
	}
	r = RunOutput{Type: string(said.Cell.Output), DisplayID: said.Cell.DisplayID}
	switch said.Cell.Output {
	case clew.OutputStream:
		r.Name, r.Text = word("stream"), said.Text
		return r, true, nil
	case clew.OutputError:
		r.EName, r.EValue, r.Traceback = word("ename"), word("evalue"), strings.Split(said.Text, "\n")
		return r, true, nil
	case clew.OutputResult, clew.OutputDisplay:
		switch n := said.Metadata["execution_count"].(type) {
		case float64:
			r.ExecutionCount = int(n)
		case int:
			r.ExecutionCount = n
		}
		data, _ := said.Metadata["data"].(map[string]any)
		r.Data, err = m.bundle(data)
		return r, true, err
	case clew.OutputStatus:
	}
	return r, false, nil
}

// bundle gives a MIME bundle whole: what is large comes from its blob.
func (m *maker) bundle(data map[string]any) (map[string]json.RawMessage, error) {
	out := make(map[string]json.RawMessage, len(data))
	for mime, value := range data {
		large, _ := value.(map[string]any)
		_, sized := large["bytes"]
		if address, ok := large["blob"].(string); ok && sized && len(large) == 2 {
			b, err := m.blob(address)
			if err != nil {
				if err = ignoreMissing(err); err != nil {
					return nil, err
				}
				continue
			}
			value = text(mime, b)
		}
		b, err := clew.MarshalData(value)
		if err != nil {
			return nil, err
		}
		out[mime] = b
	}
	return out, nil
}

// text gives the content of a blob as a file has it: images in base64, JSON as it is.
func text(mime string, b []byte) any {
	switch {
	case strings.HasPrefix(mime, "image/") && mime != "image/svg+xml":
		return base64.StdEncoding.EncodeToString(b)
	case ipynb.IsJSON(mime) && json.Valid(b):
		return json.RawMessage(b)
	}
	return string(b)
}
