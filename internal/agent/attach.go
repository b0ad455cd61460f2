package agent

import (
	"cmp"
	"fmt"
	"path"
	"regexp"
	"strings"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session"
	"github.com/clew-run/clew/internal/session/core"
	"github.com/clew-run/clew/internal/tool/files"
)

// What an answer may have with it. All of it is kept with the session.
const (
	attachmentBytes  = 10 << 20 // one file
	attachmentsBytes = 32 << 20 // all of an answer
)

// An attachmentInput is a file of the workspace that a model names as a result.
type attachmentInput struct {
	Path  string              `json:"path"`
	Title string              `json:"title"`
	Type  clew.AttachmentType `json:"type"`
}

// A result is a file that a run made, as it is kept.
type result struct {
	clew.Attachment
	report clew.Report
	data   []byte
}

// results reads the files that an answer names. The problems are for the model,
// which can name others.
func (w *worker) results(v session.View, list []attachmentInput) (found []result, problems []string) {
	if len(list) > 0 && w.noPlace != nil {
		return nil, []string{"there is no workspace to take files from"}
	}
	size := 0
	for i, in := range list {
		base, data, err := files.Attached(w.workspace, in.Path, attachmentBytes)
		if err != nil {
			problems = append(problems, err.Error())
			continue
		}
		if size += len(data); size > attachmentsBytes {
			return nil, append(problems, fmt.Sprintf("the attachments have more than %d MB together", attachmentsBytes>>20))
		}
		known := attachmentKinds[strings.ToLower(path.Ext(base))]
		name := fmt.Sprintf("%s/%d-%s", v.Run.ID, i+1, fileName(base))
		found = append(found, result{
			Attachment: clew.Attachment{
				Type: cmp.Or(in.Type, known.kind, clew.AttachmentFile), Title: cmp.Or(visible(strings.TrimSpace(in.Title)), visible(base)),
				URL: core.ReportPath(v.Session, name),
			},
			report: clew.Report{Name: name, MediaType: cmp.Or(known.media, "application/octet-stream"), Size: len(data)},
			data:   data,
		})
	}
	return found, problems
}

// attachmentKinds says what a file is by its ending. Whatever is not here is handed
// out as bytes.
var attachmentKinds = map[string]struct {
	kind  clew.AttachmentType
	media string
}{
	".svg":  {clew.AttachmentChart, "image/svg+xml"},
	".png":  {clew.AttachmentImage, "image/png"},
	".jpg":  {clew.AttachmentImage, "image/jpeg"},
	".jpeg": {clew.AttachmentImage, "image/jpeg"},
	".gif":  {clew.AttachmentImage, "image/gif"},
	".webp": {clew.AttachmentImage, "image/webp"},
	".csv":  {clew.AttachmentTable, "text/csv"},
	".tsv":  {clew.AttachmentTable, "text/tab-separated-values"},
	".md":   {clew.AttachmentFile, "text/markdown"},
	".txt":  {clew.AttachmentFile, "text/plain"},
	".json": {clew.AttachmentFile, "application/json"},
	".html": {clew.AttachmentFile, "text/html"},
	".pdf":  {clew.AttachmentFile, "application/pdf"},
}

var notInFileName = regexp.MustCompile(`[^A-Za-z0-9._-]+`)

// fileName makes a name that can stand in a path as it is; the number before it
// keeps two files apart.
func fileName(base string) string {
	name := notInFileName.ReplaceAllString(base, "_")
	return name[max(0, len(name)-core.ReportNameLen):]
}
