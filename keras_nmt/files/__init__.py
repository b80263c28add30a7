"""Files that are whole or absent, locks of folders, weights."""
