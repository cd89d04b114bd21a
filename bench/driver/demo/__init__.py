"""`terrace demo`: two Spark programs on stock and on Terrace, with a page of what they cost."""
