"""Pictures, films and dashboards: what is drawn on paper."""
