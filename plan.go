package clew

// A Layer is one of the four stages of a run.
type Layer string

// The layers, in the order a run passes them.
const (
	LayerCognitive Layer = "cognitive"
	LayerPlanning  Layer = "planning"
	LayerExecution Layer = "execution"
	LayerResponse  Layer = "response"
)

// Values lists the layers.
func (Layer) Values() []string {
	return []string{string(LayerCognitive), string(LayerPlanning), string(LayerExecution), string(LayerResponse)}
}

// A TodoStatus is where a todo stands.
type TodoStatus string

// The todo statuses.
const (
	TodoPending    TodoStatus = "pending"
	TodoInProgress TodoStatus = "in_progress"
	TodoCompleted  TodoStatus = "completed"
	TodoFailed     TodoStatus = "failed"
	TodoSkipped    TodoStatus = "skipped"
)

// Values lists the statuses.
func (TodoStatus) Values() []string {
	return []string{string(TodoPending), string(TodoInProgress), string(TodoCompleted), string(TodoFailed), string(TodoSkipped)}
}

// A Todo is one step of a plan.
type Todo struct {
	ID                   string       `json:"id"`
	Task                 string       `json:"task"` // what to do, in words
	Tool                 string       `json:"tool"`
	Status               TodoStatus   `json:"status"`
	Priority             int          `json:"priority"` // larger first
	DependsOn            List[string] `json:"depends_on"`
	EstimatedDurationSec int          `json:"estimated_duration_sec,omitempty"`
	EstimatedCostUSD     *float64     `json:"estimated_cost_usd,omitempty"`
	Mode                 string       `json:"mode,omitempty"`    // of the agent that carries it out
	Profile              string       `json:"profile,omitempty"` // the model profile in place of the usual one
	TaskID               TaskID       `json:"task_id,omitempty"` // the task that carries it out
	ProgressPercentage   int          `json:"progress_percentage,omitempty"`
	CurrentStep          string       `json:"current_step,omitempty"`
	ResultSummary        any          `json:"result_summary,omitempty"`
	Error                *Failure     `json:"error,omitempty"` // of the last attempt
	RetryCount           int          `json:"retry_count,omitempty"`
	StartedMS            int64        `json:"started_ms,omitempty"`
	DurationMS           int64        `json:"duration_ms,omitempty"`
}

// A PlanStatus is where a plan stands.
type PlanStatus string

// The plan statuses.
const (
	PlanPendingApproval PlanStatus = "pending_approval"
	PlanApproved        PlanStatus = "approved"
	PlanRejected        PlanStatus = "rejected"
)

// Values lists the statuses.
func (PlanStatus) Values() []string {
	return []string{string(PlanPendingApproval), string(PlanApproved), string(PlanRejected)}
}

// A Plan is a versioned graph of todos.
type Plan struct {
	Todos                List[Todo]              `json:"todos"`
	DependencyGraph      map[string]List[string] `json:"dependency_graph"` // todo → todos it waits for
	EstimatedDurationSec int                     `json:"estimated_duration_sec"`
	EstimatedCostUSD     *float64                `json:"estimated_cost_usd"`
	MermaidDiagram       string                  `json:"mermaid_diagram,omitempty"`
}

// PlanSummary is a plan as session_state shows it; the todos stand beside it.
type PlanSummary struct {
	ID         string     `json:"id"`
	Status     PlanStatus `json:"status"`
	Version    int        `json:"version,omitempty"`
	TotalTodos int        `json:"total_todos"`
}

// A TodoRef names a todo to people.
type TodoRef struct {
	ID   string `json:"id"`
	Task string `json:"task"`
}

// A PlanChange is one difference between two versions of a plan.
type PlanChange struct {
	Action PlanChangeAction `json:"action"`
	TodoID string           `json:"todo_id"`
	Task   string           `json:"task,omitempty"`
}

// A PlanChangeAction says whether a todo came or went.
type PlanChangeAction string

// The plan changes.
const (
	PlanAdd    PlanChangeAction = "add"
	PlanRemove PlanChangeAction = "remove"
	PlanUpdate PlanChangeAction = "update"
)

// Values lists the changes.
func (PlanChangeAction) Values() []string {
	return []string{string(PlanAdd), string(PlanRemove), string(PlanUpdate)}
}

// A PlanEdit is a change of the plan that a person asks for. An update changes
// what it names and leaves the rest; an add without an id is given one.
type PlanEdit struct {
	Action               PlanChangeAction `json:"action"`
	TodoID               string           `json:"todo_id,omitempty"`
	Task                 string           `json:"task,omitempty"`
	Tool                 string           `json:"tool,omitempty"`
	Priority             *int             `json:"priority,omitempty"`
	DependsOn            *[]string        `json:"depends_on,omitempty"`
	EstimatedDurationSec *int             `json:"estimated_duration_sec,omitempty"`
	EstimatedCostUSD     *float64         `json:"estimated_cost_usd,omitempty"`
	Mode                 *string          `json:"mode,omitempty"`
	Profile              *string          `json:"profile,omitempty"`
}

// A Budget is the most that a run may use. 0 is no limit.
type Budget struct {
	USD     float64 `json:"usd,omitempty"`
	Tokens  int64   `json:"tokens,omitempty"`
	TimeSec int     `json:"time_sec,omitempty"` // of work; waiting for people does not count
}

// Statistics sums a run up.
type Statistics struct {
	TotalTodos      int     `json:"total_todos"`
	Completed       int     `json:"completed"`
	Failed          int     `json:"failed"`
	Skipped         int     `json:"skipped"`
	ExecutionTimeMS int64   `json:"execution_time_ms"`
	TokensUsed      int64   `json:"tokens_used"`
	CostUSD         float64 `json:"cost_usd"`
}

// PartialResults is what a run had when it ended early.
type PartialResults struct {
	CompletedTodos List[string]   `json:"completed_todos"`
	AvailableData  map[string]any `json:"available_data"`
}
