"""Property graphs of other programs: CSV files of neo4j-admin, GraphML, NetworkX."""
