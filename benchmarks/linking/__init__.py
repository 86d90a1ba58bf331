"""Names found in text and near names: how right and how fast."""
