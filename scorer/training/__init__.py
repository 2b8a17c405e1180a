"""Training of the reader's networks from rendered scenes. The only part that imports torch and ultralytics (extra `[train]`)."""
