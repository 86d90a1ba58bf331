"""Entity resolution at build: entities that curated mappings or cross-references call the same become one."""
