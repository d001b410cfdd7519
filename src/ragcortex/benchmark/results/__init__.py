"""What a run leaves for people and programs: its document, tables, pictures, pages, and comparisons of two runs."""
