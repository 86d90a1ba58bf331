"""What Clew itself wrote: graph directories, Parquet exports, and what is declared beside KGX files."""
