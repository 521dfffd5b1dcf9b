"""From text to an authorised plan: statements, names, the gate, the planner."""
