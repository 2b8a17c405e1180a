"""The software game: complete rules, simulated table, bots, records. Standard library only; it ends in a tally."""
