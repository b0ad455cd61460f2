package server

import "github.com/clew-run/clew/internal/session"

// slots counts the agents at work on this node, by the limits that hold at the time.
func (s *Server) slots() *session.Limiter {
	l := session.NewLimiter(func() (owner, node int) {
		v, _ := s.shop.settings.For(nil)
		return v.AgentLimit, v.AgentLimitNode
	})
	s.shop.settings.Subscribe(func([]string) { l.Changed() })
	return l
}
