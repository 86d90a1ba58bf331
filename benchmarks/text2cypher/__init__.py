"""Questions of Neo4j's text2cypher, asked on graphs that are made from its schemas: a test of generality."""
