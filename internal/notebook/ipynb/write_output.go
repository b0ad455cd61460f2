package ipynb

import "fmt"

func (w *writer) outputs(outputs []Output) error {
	w.add(`,"outputs":[`)
	for i := range outputs {
		if err := w.output(i + 1); err != nil {
			return err
		}
		w.comma()
		if err := w.oneOutput(&outputs[i]); err != nil {
			return fmt.Errorf("output %d: %w", i, err)
		}
	}
	w.add("]")
	return nil
}

func (w *writer) oneOutput(o *Output) error {
	switch o.Type {
	case Stream:
		w.add(`{"name":`)
		w.addText(o.Name)
		w.add(`,"output_type":"stream","text":`)
		w.addLines(o.Text)
		w.add("}")
		return nil
	case DisplayData, ExecuteResult:
		return w.display(o)
	case Error:
		return w.failure(o)
	}
	return fmt.Errorf("its type is %q, not stream, display_data, execute_result or error", o.Type)
}

func (w *writer) display(o *Output) error {
	w.add(`{"data":`)
	if err := w.bundle(o.Data, 6); err != nil {
		return err
	}
	if o.Type == ExecuteResult {
		w.add(`,"execution_count":`)
		if err := w.addCount(o.ExecutionCount); err != nil {
			return err
		}
	}
	w.add(`,"metadata":`)
	if err := w.metadata(o.Metadata, nil, nil, 6); err != nil {
		return err
	}
	w.add(`,"output_type":"` + string(o.Type) + `"}`)
	return nil
}

func (w *writer) failure(o *Output) error {
	w.add(`{"ename":`)
	w.addText(o.EName)
	w.add(`,"evalue":`)
	w.addText(o.EValue)
	w.add(`,"output_type":"error","traceback":[`)
	for _, line := range o.Traceback {
		if err := w.part(); err != nil {
			return err
		}
		w.comma()
		w.addText(line)
	}
	w.add("]}")
	return nil
}

// pretty gives canonical JSON with one space of indentation for each level, as Python's
// json.dumps writes it, and a final newline.
func pretty(text []byte, limit int) ([]byte, error) {
	out := make([]byte, 0, len(text)+len(text)/4)
	depth := 0
	newline := func() {
		out = append(out, '\n')
		for range depth {
			out = append(out, ' ')
		}
	}
	for at := 0; at < len(text); {
		if len(out) >= limit { // deep lists have more spaces than text
			return nil, over("it would have more than %d bytes", limit)
		}
		b := text[at]
		switch b {
		case '{', '[':
			if closed := text[at+1]; closed == '}' || closed == ']' {
				out = append(out, b, closed)
				at += 2
				continue
			}
			depth++
			out = append(out, b)
			newline()
		case '}', ']':
			depth--
			newline()
			out = append(out, b)
		case ',':
			out = append(out, b)
			newline()
		case ':':
			out = append(out, ": "...)
		default:
			n := length(text[at:])
			out = append(out, text[at:at+n]...)
			at += n
			continue
		}
		at++
	}
	if len(out) >= limit {
		return nil, over("it would have more than %d bytes", limit)
	}
	return append(out, '\n'), nil
}
