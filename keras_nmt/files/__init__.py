"""Reading and writing of files: atomic writes, text, JSON, weights, locks of folders."""
