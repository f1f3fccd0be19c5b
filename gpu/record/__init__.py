"""What a run leaves behind: samples, events, traces, their files and exports."""
