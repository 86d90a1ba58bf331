"""Bolt, the protocol of Neo4j: the address of a server, and a connection with a time limit on every wait."""
