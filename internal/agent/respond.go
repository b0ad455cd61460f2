package agent

import (
	"cmp"
	"context"
	"slices"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/report"
	"github.com/clew-run/clew/internal/session"
	"github.com/clew-run/clew/internal/session/blob"
	"github.com/clew-run/clew/internal/session/core"
	"github.com/clew-run/clew/internal/session/decide"
)

// respond ends the run: what it leaves behind is stored first, so that the record
// that names it is true.
func (w *worker) respond(ctx context.Context, v session.View, c core.Call, in layerInput) error {
	w.settleTodos(ctx, v, "")
	results, problems := w.results(v, in.Attachments)
	if len(problems) > 0 {
		return w.wrong(c, listed(problems))
	}
	response := clew.Response{Format: cmp.Or(in.Format, clew.FormatMixed), Text: in.Text, Summary: in.Summary, NextActions: in.NextActions}
	for _, r := range results {
		response.Attachments = append(response.Attachments, r.Attachment)
	}
	files, err := report.Make(reportInput(v, response), report.Options{Font: w.cfg.ReportFont})
	if err != nil {
		w.cfg.Log.Error("reports of a run", "session", v.Session, "run", v.Run.ID, "err", err)
	}
	for _, f := range files {
		name := v.Run.ID + "/" + f.Name
		results = append(results, result{
			Attachment: clew.Attachment{Type: f.Attachment, Title: f.Title, URL: core.ReportPath(v.Session, name)},
			report:     clew.Report{Name: name, MediaType: f.MediaType, Size: len(f.Data)}, data: f.Data,
		})
		response.Attachments = append(response.Attachments, results[len(results)-1].Attachment)
	}
	kept, err := w.storeResults(ctx, v, &response, results)
	if err != nil {
		return err
	}
	_, err = w.desk.Do(decide.CompleteRun{Call: c, Response: response, Reports: kept})
	return ignoreTurnOver(err)
}

// storeResults stores the files of an answer. One that the user has no room for is
// left out of the answer, which says so: it is worth having without.
func (w *worker) storeResults(ctx context.Context, v session.View, response *clew.Response, results []result) (kept []clew.Report, err error) {
	for _, r := range results {
		r.report.Blob, err = w.cfg.Blobs.PutBlob(ctx, blob.For{User: v.Owner, Session: v.Session}, r.data)
		switch {
		case clew.CodeOf(err) == clew.BudgetExceeded:
			response.Text += "\n\n(" + r.report.Name + " is not stored: " + clew.AsError(err).Message + ".)"
			response.Attachments = slices.DeleteFunc(response.Attachments, func(a clew.Attachment) bool { return a.URL == r.URL })
		case err != nil:
			return nil, clew.WrapError(clew.StorageFailed, err, "a file of the answer could not be stored")
		default:
			kept = append(kept, r.report)
		}
	}
	return kept, nil
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
