"""Updates: new snapshots of a graph that hold a base and the rows that replace some of its rows."""
