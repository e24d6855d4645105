"""Analysis: statistics, theory, and the measures of synchronization and of bursts."""
