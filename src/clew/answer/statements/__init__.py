"""What a question says of statements themselves: their sources and dates, how often they hold."""
