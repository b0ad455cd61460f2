package plan

import "github.com/clew-run/clew"

// Again makes people's edits hold in a list that was proposed after them, as far
// as they fit: what they added is there, what they removed is not, what they
// changed is as they said. An edit that the proposal left no place for is passed
// over; the plan is reviewed once more anyway.
func Again(proposed []clew.Todo, edits []clew.PlanEdit, max int) []clew.Todo {
	now := proposed
	for _, e := range edits {
		there := Find(now, e.TodoID) != nil
		switch {
		case e.Action == clew.PlanAdd && there:
			e.Action = clew.PlanUpdate
		case e.Action != clew.PlanAdd && !there:
			continue
		}
		next, _, err := Edit(now, []clew.PlanEdit{e}, max)
		if err != nil { // it may wait for what is no longer there
			e.DependsOn = nil
			next, _, err = Edit(now, []clew.PlanEdit{e}, max)
		}
		if err == nil {
			now = next
		}
	}
	return now
}

// Named gives edits with the ids that were made for what they add.
func Named(edits []clew.PlanEdit, changes []clew.PlanChange) []clew.PlanEdit {
	given := map[string]bool{}
	for _, e := range edits {
		given[e.TodoID] = true
	}
	out := make([]clew.PlanEdit, 0, len(edits))
	for _, e := range edits {
		for _, c := range changes {
			if e.TodoID == "" && c.Action == clew.PlanAdd && !given[c.TodoID] {
				e.TodoID = c.TodoID
				given[c.TodoID] = true
			}
		}
		out = append(out, e)
	}
	return out
}
