"""Printed decks, where their art is installed and has been drawn before."""

from __future__ import annotations

import numpy as np
import pytest

from scorer.synth.art import SOURCES, ArtSource, cache_folder, deck_art

DRAWN = [s for s in SOURCES if s.kind == "files" and (cache_folder() / s.name / "KS.png").exists()]

pytestmark = pytest.mark.skipif(
    not DRAWN, reason="no drawn card art: render scenes once with the card art packages installed"
)


@pytest.fixture(scope="module", params=DRAWN[:1], ids=lambda source: source.name)
def source(request: pytest.FixtureRequest) -> ArtSource:
    return request.param


def test_a_deck_has_the_faces_its_source_lists(source: ArtSource) -> None:
    faces = deck_art(source.name).faces
    assert {face[:-1] for face in faces} == {*source.ranks, *source.foreign}
    assert len(faces) == 4 * len({*source.ranks, *source.foreign})


def test_indices_are_found_in_the_corners_the_same_on_every_face(source: ArtSource) -> None:
    marks = [side.marks for side in deck_art(source.name).faces.values()]
    assert {len(m) for m in marks} == {2}
    suits = np.array([m[0].suit for m in marks])
    ranks = np.array([m[0].rank for m in marks])
    assert suits.max() < 0.4 and ranks[:, 1].max() < suits[:, 1].min()
    assert np.ptp(suits, axis=0).max() < 0.06
