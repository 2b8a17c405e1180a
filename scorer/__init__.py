"""The Nerts companion: reads foundation piles from photographs, scores rounds, keeps the match, plays the game."""
