"""The traces of runs: recorded during the run, stored for some days, and deleted with the questions."""
