"""The balance questions: frames of a run in, frames with ``estimate, low, high, n`` out.

One module a question. Frames are those of a `Run` (``run.players``, ``run.rounds``, ...), of several
runs one below the other (`tables.stack`), or the user's own with the same columns.

==================  =================================================================
`win_rates`         who wins, by policy, seat, table (all games)
`pick_rates`        which power-ups are taken, when, and their worth (Sushi Otter)
`card_outcomes`     how players with a card fare: association, not cause (Sushi Otter)
`card_values`       what a card is worth to who gets it: the cause, by force (Sushi Otter)
`catch_up`          what the order of picking causes (Sushi Otter)
`hand_frequencies`  which hands are played, and exact chances (Sushi Otter)
`vp_curves`         how VP grow, and who is ahead (Sushi Otter)
`leads`             who leads, lead changes, drama, comebacks (Sushi Otter)
`victory_odds`      how games end and by whom they are won (Nightmares of Sushi)
`served_values`     what a served grade, a played ability causes (Nightmares of Sushi)
`opponents`         a policy against each table of others (all games)
`points_by_kind`    where points come from (Sushi Go!)
`draft_rates`       which cards are taken out of the hands, and when (Sushi Go!)
`puddings`          what puddings decide (Sushi Go!)
`misreadings`       what a misread rule changes (Sushi Go!)
`compare`           a base against variants: every headline number, with verdicts (all games)
`robustness`        verdicts in every group of policies and players (all games)
`luck`              what of the outcome comes from the deal, the seat, the policies (all games)
`checks`            simulated frequencies against those that can be calculated (all games)
==================  =================================================================
"""
