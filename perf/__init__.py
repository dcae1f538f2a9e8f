"""hybridad against its peers: `python -m perf` from a checkout; nothing here is installed."""
