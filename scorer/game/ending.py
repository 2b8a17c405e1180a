"""What a round ends in: piles with owners for the renderer, and a tally for the score."""

from __future__ import annotations

from collections.abc import Sequence

from scorer.cards import Face, Joker
from scorer.game.codes import JOKER, KING, RANK, card_of
from scorer.game.layout import Laid
from scorer.game.state import State
from scorer.piles import Pile, PileCard
from scorer.scoring import DeckTally, RoundScore, Tally, score_round


def foundation_piles(state: State, decks: Sequence[str]) -> tuple[Pile, ...]:
    """Return the foundations, complete ones too, in the order they were started.

    Args:
        state: the round.
        decks: for each seat the name of its deck, which every card's back shows.
    """
    return tuple(
        Pile(tuple(PileCard(_face(laid), decks[laid.owner]) for laid in foundation.cards))
        for foundation in state.foundations
    )


def _face(laid: Laid) -> Face:
    card = card_of(laid.card)
    return Joker(card) if laid.printed >= JOKER else card


def tally_round(state: State, decks: Sequence[str], players: Sequence[str]) -> Tally:
    """Count the round: for each seat its cards on the foundations and those left in its Nerts pile."""
    laid = [card for foundation in state.foundations for card in foundation.cards]
    return Tally(
        tuple(
            DeckTally(
                back=decks[seat],
                player=players[seat],
                foundation=sum(card.owner == seat for card in laid),
                nerts_left=len(layout.nerts),
                kings=sum(card.owner == seat and card.card & RANK == KING for card in laid),
                called=seat in state.callers,
                false_calls=state.false_calls[seat],
            )
            for seat, layout in enumerate(state.layouts)
        )
    )


def score(state: State, decks: Sequence[str], players: Sequence[str]) -> RoundScore:
    """Score the round by its house rules."""
    return score_round(tally_round(state, decks, players), state.rules)
