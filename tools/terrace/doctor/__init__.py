"""`terrace doctor`: what is wrong with a running program, and what to change."""
