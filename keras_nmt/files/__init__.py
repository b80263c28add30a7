"""Reading and writing of files: atomic writes, JSON, weights, locks of folders."""
