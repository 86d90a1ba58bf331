"""What is asked for as a plan: read from Cypher, written as Cypher, checked against a schema, compared."""
