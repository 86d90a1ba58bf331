"""Plans and the schema of a graph: the paths it allows, plans checked against it and fitted to it."""
