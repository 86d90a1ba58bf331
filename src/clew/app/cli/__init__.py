"""The command line `clew`, one file for each group of commands; nothing heavy is imported before a command runs."""
