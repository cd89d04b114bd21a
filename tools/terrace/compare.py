def register(commands): pass
