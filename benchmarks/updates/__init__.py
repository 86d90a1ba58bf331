"""What updates cost beside a rebuild, and hops over them beside the same graph built as one."""
