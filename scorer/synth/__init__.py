"""Rendered photographs with truth: deck art, scenes on a table, and a camera.

Nothing here is imported by the reader (`scorer.vision`): shared geometry would hide a shared bug.
"""
