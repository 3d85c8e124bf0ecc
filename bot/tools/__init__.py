"""Tools that a run may use: each computes or looks up what documents do not say."""
