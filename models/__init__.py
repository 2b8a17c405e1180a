"""The trained networks of the reader, each with a manifest; README.md is the model card."""
