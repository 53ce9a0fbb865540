"""A small world of animals and friends: of each next word of a story it knows the exact chance.

Three animals of different colours find somebody each: with this a story opens. From then on an
animal finds one of the three people, as chance decides, or likes whom it found last. Where somebody
has been found, the next sentence may say that he or she is glad. So a story can be judged word by
word, and no writer can do better than know these chances.
"""

import numpy as np

from attnlib._inputs import as_count, refuse, require_generator

__all__ = [  # noqa: RUF022 (the reference has this order)
    "World",
    "story",
    "chances",
    "encode",
    "spell",
]

NAMES = ["Ann", "Eva", "Ben", "Tom"]
ANIMALS = ["cat", "dog", "fox", "hen"]
COLOURS = ["black", "grey", "red", "white"]
PRONOUNS = {"Ann": "she", "Eva": "she", "Ben": "he", "Tom": "he"}
VOCABULARY = [*NAMES, *ANIMALS, *COLOURS, ".", "finds", "glad", "he", "is", "likes", "she", "the"]
N_OPENING = 18  # words of the three sentences with which a story opens
GLAD = 1 / 3  # the chance that somebody is glad to have been found


class World:
    """What is true after the words of a story that have been heard so far.

    Attributes
    ----------
    animal : dict
        For each colour the animal that has it, in the order in which they came.
    friend : dict
        For each animal whom it found last.
    sentence : list of str
        The words of the sentence that is not finished.
    glad : str or None
        Who may be glad: whom the sentence before has found, once the opening is over.

    Examples
    --------
    >>> world = World()
    >>> for word in "the black cat finds Ann . the grey hen".split():
    ...     world.hear(word)
    >>> world.friend, world.next_words()
    ({'cat': 'Ann'}, {'finds': 1.0})
    """

    def __init__(self):
        self.animal, self.friend, self.sentence, self.glad = {}, {}, [], None
        self._people = ()

    def next_words(self):
        """Return each word that can come next, with its chance: {word: chance}."""
        if not self.sentence and self.glad:
            return {"the": 1 - GLAD, PRONOUNS[self.glad]: GLAD}
        possible = self._possible()
        return dict.fromkeys(possible, 1 / len(possible))  # all equally likely

    def _possible(self):
        """Return the words that can come next, but for the first where somebody may be glad."""
        match self.sentence:
            case []:
                return ["the"]
            case ["the"]:
                return self.animal if self._is_told else _without(COLOURS, self.animal)
            case ["the", colour]:
                known = self.animal.values()
                return [self.animal[colour]] if self._is_told else _without(ANIMALS, known)
            case ["the", _, _]:
                return ["finds", "likes"] if self._is_told else ["finds"]
            case [*_, "finds"]:
                return self._people if self._is_told else _without(NAMES, self.friend.values())
            case [*_, animal, "likes"]:
                return [self.friend[animal]]
            case [_]:
                return ["is"]
            case [_, "is"]:
                return ["glad"]
            case _:
                return ["."]

    @property
    def _is_told(self):
        """Whether the opening is over: no new animals come."""
        return bool(self._people)

    def hear(self, word):
        """Take in the next word; ValueError where it could not come."""
        possible = self.next_words()
        if word not in possible:
            clash = f"only {', '.join(map(repr, possible))} can"
            refuse("a story goes on with a possible word", clash, **{"the word": repr(word)})
        self._take(word)

    def _take(self, word):
        """Take in a word that is known to be possible."""
        if word != ".":
            self.sentence.append(word)
            return
        match self.sentence:
            case ["the", colour, animal, "finds", name]:
                self.animal[colour], self.friend[animal] = animal, name
                self.glad = name if self._is_told else None
                if len(self.friend) == 3:
                    self._people = self._people or tuple(self.friend.values())
            case _:
                self.glad = None
        self.sentence = []


def _without(words, used):
    return [word for word in words if word not in used]


def story(rng, n_words=49):
    """Return the first words of a story.

    Parameters
    ----------
    rng : numpy.random.Generator
        Where chance comes from.
    n_words : int, default 49
        After so many words it is cut, be it in the middle of a sentence.

    Returns
    -------
    list of str

    Raises
    ------
    TypeError, ValueError
        Where rng is no Generator, or n_words is no count.

    Examples
    --------
    >>> spell(story(np.random.default_rng(0), 18))
    'The grey cat finds Tom. The white fox finds Ben. The black hen finds Eva.'
    """
    require_generator(rng)
    world, words = World(), []
    for u in rng.random(as_count("n_words", n_words)).tolist():
        words.append(_drawn(world.next_words(), u))
        world._take(words[-1])
    return words


def _drawn(chances, u):
    """Return the word on which u falls, where chances are laid end to end."""
    for word, chance in chances.items():
        u -= chance
        if u < 0:
            return word
    return word  # rounding has left something of u


def chances(words):
    """Return the exact chance of each word of a story, given the words before it.

    Parameters
    ----------
    words : list of str
        A story from its first word on, perhaps one that somebody else has written.

    Returns
    -------
    ndarray, (n,), float64
        From the first impossible word on, all are 0.

    Raises
    ------
    TypeError
        Where words is one string, which would come apart into letters.

    Examples
    --------
    >>> chances("the black cat finds Ann . the black".split())
    array([1.  , 0.25, 0.25, 1.  , 0.25, 1.  , 1.  , 0.  ])
    """
    _refuse_one_string(words)
    world, found = World(), np.zeros(len(words))
    for i, word in enumerate(words):
        found[i] = world.next_words().get(word, 0)
        if not found[i]:
            break
        world._take(word)
    return found


def encode(words):
    """Return the places of words in the vocabulary, as an array of their shape.

    Parameters
    ----------
    words : list of str, or of such lists of one length

    Returns
    -------
    ndarray of int

    Raises
    ------
    TypeError, ValueError
        Where words is one string, or holds something that the world has no word for.

    Examples
    --------
    >>> encode(["the", "black", "cat"])
    array([19,  8,  4])
    """
    _refuse_one_string(words)
    return np.vectorize(_place, otypes=[int])(words) if len(words) else np.zeros(0, int)


def _place(word):
    """Return the place of a word in the vocabulary."""
    if word not in VOCABULARY:
        clash = f"{str(word)!r} is none of {', '.join(VOCABULARY)}"
        refuse(f"words must be of the world's {len(VOCABULARY)}", clash, **{"the word": f"{word}"})
    return VOCABULARY.index(word)


def _refuse_one_string(words):
    if isinstance(words, str):
        rule = "words must be a list of words, like ['the', 'cat']"
        refuse(rule, "str is no list", TypeError, words=repr(words))


def spell(words):
    """Return the finished sentences of a story as one reads them.

    Examples
    --------
    >>> spell("the cat is glad . the".split())
    'The cat is glad.'
    """
    sentences = " ".join(words).split(" .")[:-1]
    return " ".join(s.strip()[:1].upper() + s.strip()[1:] + "." for s in sentences)
