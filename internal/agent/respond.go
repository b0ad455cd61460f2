package agent

import (
	"context"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/report"
	"github.com/clew-run/clew/internal/session"
	"github.com/clew-run/clew/internal/session/core"
	"github.com/clew-run/clew/internal/session/decide"
)

// respond ends the run: its reports are stored first, so that the record that
// names them is true.
func (w *worker) respond(ctx context.Context, v session.View, c core.Call, in layerInput) error {
	if in.Format == "" {
		in.Format = clew.FormatMixed
	}
	response := clew.Response{Format: in.Format, Text: in.Text, Summary: in.Summary, NextActions: in.NextActions}
	files, err := report.Make(reportInput(v, response), report.Options{Font: w.cfg.ReportFont})
	if err != nil {
		w.cfg.Log.Error("reports of a run", "session", v.Session, "run", v.Run.ID, "err", err)
	}
	var reports []clew.Report
	for _, f := range files {
		hash, err := w.cfg.Blobs.PutBlob(ctx, f.Data)
		if err != nil {
			return clew.WrapError(clew.StorageFailed, err, "a report could not be stored")
		}
		name := v.Run.ID + "/" + f.Name
		reports = append(reports, clew.Report{Name: name, MediaType: f.MediaType, Size: len(f.Data), Blob: hash})
		response.Attachments = append(response.Attachments, clew.Attachment{Type: f.Attachment, Title: f.Title, URL: core.ReportPath(v.Session, name)})
	}
	_, err = w.desk.Do(decide.CompleteRun{Call: c, Response: response, Reports: reports})
	return ignoreTurnOver(err)
}

// reportInput is the run as its reports show it.
func reportInput(v session.View, response clew.Response) report.Input {
	r := v.Run
	in := report.Input{
		SessionID: v.Session, RunID: r.ID, Title: clipLine(v.Task.Text, 120), Request: r.Request, StartedMS: r.StartedMS, EndedMS: v.NowMS,
		Result: clew.ResultSuccess, Intent: r.Intent, Entities: r.Entities, PlanID: r.PlanID, Version: r.Version, Todos: r.Todos,
		Response: response, Statistics: r.Statistics(v.NowMS, v.Tree),
	}
	for _, d := range r.Decisions {
		in.Decisions = append(in.Decisions, report.Decision{
			AtMS: d.AtMS, Question: d.Question, Action: string(d.Action), By: string(d.By), Comment: d.Comment, ByTimeout: d.ByTimeout,
		})
	}
	return in
}
