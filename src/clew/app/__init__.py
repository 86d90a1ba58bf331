"""Where the parts are wired together for people: the command line and the drawing of an answer."""
