"""What a language model may do for an answer: choose among plans, write one."""
