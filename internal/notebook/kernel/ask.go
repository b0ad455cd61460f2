package kernel

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/clew-run/clew"
)

// subshells is the feature of kernels that run several things at a time (JEP 91).
const subshells = "kernel subshells"

// Info is what a kernel says of itself.
type Info struct {
	Protocol       string   `json:"protocol_version"`
	Implementation string   `json:"implementation"`
	Version        string   `json:"implementation_version"`
	Banner         string   `json:"banner"`
	Language       Language `json:"language_info"`
	Features       []string `json:"supported_features"`
}

// A Language is that of a kernel.
type Language struct {
	Name      string `json:"name"`
	Version   string `json:"version"`
	MIME      string `json:"mimetype"`
	Extension string `json:"file_extension"`
}

// Subshells says whether the kernel can run something beside a cell.
func (i Info) Subshells() bool { return slices.Contains(i.Features, subshells) }

// Info asks the kernel for what it is, on control, so that a running cell does
// not hold up the answer.
func (c *Client) Info(ctx context.Context) (Info, error) {
	var i Info
	return i, c.request(ctx, Control, "kernel_info_request", struct{}{}, &i)
}

// A Completion is what could stand at a place in code.
type Completion struct {
	Matches  []string        `json:"matches"`
	Start    int             `json:"cursor_start"` // where a match would begin, in code points
	End      int             `json:"cursor_end"`   // and what it would replace
	Metadata json.RawMessage `json:"metadata"`
}

// Complete asks what could stand at the cursor, counted in code points. It waits
// for a cell that runs.
func (c *Client) Complete(ctx context.Context, code string, cursor int) (Completion, error) {
	var out Completion
	return out, c.request(ctx, Shell, "complete_request", map[string]any{"code": code, "cursor_pos": cursor}, &out)
}

// An Inspection is what a kernel knows of a name, by MIME type.
type Inspection struct {
	Found bool                       `json:"found"`
	Data  map[string]json.RawMessage `json:"data"`
}

// Inspect asks what stands at the cursor, counted in code points; detail is 0 or
// 1. It waits for a cell that runs.
func (c *Client) Inspect(ctx context.Context, code string, cursor, detail int) (Inspection, error) {
	var out Inspection
	return out, c.request(ctx, Shell, "inspect_request", map[string]any{"code": code, "cursor_pos": cursor, "detail_level": detail}, &out)
}

// OpenSubshell makes a subshell, in which code runs beside a cell. Info says
// whether the kernel has them.
func (c *Client) OpenSubshell(ctx context.Context) (id string, err error) {
	var out struct {
		ID string `json:"subshell_id"`
	}
	if err := c.request(ctx, Control, "create_subshell_request", struct{}{}, &out); err != nil {
		return "", err
	}
	if out.ID == "" || len(out.ID) > maxName {
		return "", clew.Errorf(clew.InvalidMessage, "the kernel gave a subshell no usable id")
	}
	return out.ID, nil
}

// CloseSubshell ends a subshell.
func (c *Client) CloseSubshell(ctx context.Context, id string) error {
	return c.request(ctx, Control, "delete_subshell_request", map[string]string{"subshell_id": id}, nil)
}
