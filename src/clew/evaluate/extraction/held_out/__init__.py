"""Held-out facts: does extraction find what was removed from the seed before training?"""
