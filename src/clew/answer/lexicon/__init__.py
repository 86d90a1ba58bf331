"""What people call the types and relations of a graph."""
