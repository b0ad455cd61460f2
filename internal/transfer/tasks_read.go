package transfer

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"

	"github.com/clew-run/clew"
)

// tasks makes a session of task folders.
func (t *importJob) tasks(f *folderFiles) error {
	var about fileSession
	if d, ok := f.root[sessionName]; ok {
		if err := d.value(&about); err != nil {
			return err
		}
	}
	if err := t.name(about.SessionID); err != nil {
		return err
	}
	t.title = about.Title
	b := &tasksBuilder{builder: t.builder(), jobs: map[string]*job{}}
	if err := b.items(f, about); err != nil {
		return err
	}
	for _, j := range b.order {
		if err := b.task(j, f.tasks[j.item.ID]); err != nil {
			return err
		}
	}
	b.finish(b.order)
	return b.build(about.CreatedAt)
}

type tasksBuilder struct {
	*builder
	jobs  map[string]*job
	order []*job // parents before children
}

// items reads what is known of each task: its own file, or its line in the list.
func (b *tasksBuilder) items(f *folderFiles, about fileSession) error {
	items := map[string]fileItem{}
	if d, ok := f.root[taskListName]; ok {
		err := d.elements(func(raw json.RawMessage) error {
			var item fileItem
			err := json.Unmarshal(raw, &item)
			if f.tasks[item.ID] != nil { // others are of other sessions
				items[item.ID] = item
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	for id, files := range f.tasks {
		item := items[id]
		if d, ok := files[metadataName]; ok {
			if err := d.value(&item); err != nil {
				return err
			}
		}
		item.ID = id
		items[id] = item
	}
	b.place(items, about)
	return nil
}

// place makes the tasks in an order in which parents come first. Who names a
// parent that is not there, or itself, has none.
func (b *tasksBuilder) place(items map[string]fileItem, about fileSession) {
	agents := map[string]clew.AgentID{}
	for agent, task := range about.ThreadIDs {
		if clew.ValidID(agent) {
			agents[task] = clew.AgentID(agent)
		}
	}
	sorted := slices.SortedFunc(maps.Values(items), func(x, y fileItem) int {
		return cmp.Or(cmp.Compare(x.Number, y.Number), cmp.Compare(x.TS, y.TS), cmp.Compare(x.ID, y.ID))
	})
	for len(sorted) > 0 {
		rest := sorted[:0:0]
		for _, item := range sorted {
			if _, ok := items[item.ParentTaskID]; ok && item.ParentTaskID != item.ID && b.jobs[item.ParentTaskID] == nil {
				rest = append(rest, item)
				continue
			}
			b.make(item, agents[item.ID])
		}
		if len(rest) == len(sorted) { // a circle
			rest[0].ParentTaskID = ""
		}
		sorted = rest
	}
}

func (b *tasksBuilder) make(item fileItem, agent clew.AgentID) {
	parent := b.jobs[item.ParentTaskID]
	if agent == "" && parent == nil {
		agent = mainAgent
	}
	j := newJob(item, agent)
	if parent != nil {
		j.ref.ParentTaskID, j.ref.RootTaskID = parent.ref.TaskID, parent.ref.RootTaskID
	}
	b.jobs[item.ID] = j
	b.order = append(b.order, j)
}

// task plans a task: its begin, both of its histories, its end.
func (b *tasksBuilder) task(j *job, files map[string]document) error {
	when := cmp.Or(b.sane(j.item.TS), b.now)
	talk, err := b.plan(files[uiName], when, b.spoken)
	if err != nil {
		return err
	}
	api, ok := files[apiName]
	if !ok {
		api = files[legacyName]
	}
	mind := &historyPlan{j: j}
	if len(talk) > 0 {
		when = talk[0].ts
	}
	heard, err := b.plan(api, when, mind.look)
	if err != nil {
		return err
	}
	mind.count()
	b.at(b.began(j, talk, heard), func(ts int64) error { return b.start(ts, j) })
	for _, p := range talk {
		b.at(p.ts, func(ts int64) error { return b.uiMessage(ts, j, files[uiName], p) })
	}
	for i, p := range heard {
		b.at(p.ts, func(ts int64) error { return b.apiMessage(ts, mind, api, heard, i) })
	}
	return nil
}

// A planned message waits in its file.
type planned struct {
	ts    int64
	place ref
}

// plan goes through a list of messages. Their times never go back; one without a
// time has that of the one before, or else of the one after. when is for a list
// without any.
func (b *tasksBuilder) plan(d document, when int64, look func(raw json.RawMessage) (ts int64, err error)) ([]planned, error) {
	if d.spool == nil {
		return nil, nil
	}
	var list []planned
	last := int64(0)
	err := d.elements(func(raw json.RawMessage) error {
		ts, err := look(raw)
		if err != nil {
			return err
		}
		last = max(last, b.sane(ts))
		place, err := d.spool.put(raw)
		list = append(list, planned{last, place})
		return err
	})
	if i := slices.IndexFunc(list, func(p planned) bool { return p.ts > 0 }); i >= 0 {
		when = list[i].ts
	}
	for i := range list {
		list[i].ts = cmp.Or(list[i].ts, when)
	}
	return list, err
}

func (b *tasksBuilder) spoken(raw json.RawMessage) (int64, error) {
	m, err := fromFile(raw)
	if err == nil {
		_, err = imageCodec{ctx: b.ctx, blobs: discardBlobs{}}.storeAll(m.Images)
	}
	return m.TS, err
}

// began says when a task began, as far as the files tell. It is there before its
// model hears anything, and after its parent.
func (b *tasksBuilder) began(j *job, talk, heard []planned) int64 {
	j.began = b.sane(j.item.TS)
	if len(talk) > 0 && j.began == 0 {
		j.began = talk[0].ts
	}
	if len(heard) > 0 {
		j.began = min(cmp.Or(j.began, heard[0].ts), heard[0].ts)
	}
	if parent := b.jobs[string(j.ref.ParentTaskID)]; parent != nil {
		j.began = max(j.began, parent.began)
	}
	return j.began
}

// start makes the task. A parent that its child completed waits for it meanwhile.
func (b *tasksBuilder) start(ts int64, j *job) error {
	if err := b.begin(ts, j); err != nil {
		return err
	}
	parent := b.jobs[string(j.ref.ParentTaskID)]
	if parent == nil || parent.item.CompletedByChildID != j.item.ID || j.item.Status != string(clew.TaskStatusCompleted) {
		return nil
	}
	return b.add(ts, &clew.TaskSpawnedData{TaskRef: parent.ref, ChildTaskID: j.ref.TaskID})
}

func (b *tasksBuilder) uiMessage(ts int64, j *job, d document, p planned) error {
	raw, err := d.spool.get(p.place)
	if err != nil {
		return err
	}
	m, err := fromFile(raw)
	if err == nil {
		err = b.speak(ts, j, m)
	}
	return err
}
