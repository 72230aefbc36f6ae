"""Choices that are forced, counted game by game: what `card_values` and `served_values` are made of.

==========  ============================================================
`effects`   two arms over the same games, set against each other
`cards`     pairs of games with a card and without (Sushi Otter)
==========  ============================================================
"""
