"""What others read of this process: spans of runs for a collector, numbers for Prometheus."""
