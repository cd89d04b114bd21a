def register_dev(commands): pass
