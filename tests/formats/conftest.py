"""Small models to export."""

collect_ignore_glob = ["*_oracle.py"]  # programs of environments that have other toolkits
