"""Runs the programs of bench/programs and others, measures them, and reports. Loaded for `bench`, `demo` and `report` only."""
