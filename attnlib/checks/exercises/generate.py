"""Writing on by a whole model that keeps keys and values, so that it reads each letter once."""

import numpy as np

import attnlib
from attnlib.checks import promises
from attnlib.checks.exercise import Case, Exercise, Fact, Promise, close, mistake, wrongly_set
from attnlib.checks.exercises import layer_norm, sample
from attnlib.checks.exercises.decode_step import FIRST
from attnlib.checks.exercises.softmax_with_temperature import TEMPERATURE
from attnlib.checks.shapes import Shapes

MORE = Promise(
    "any number of letters is right, up to the places that the model has",
    "A letter's place is the number of those before it, which is how many rows are kept by then. "
    "It goes on by 1 with each letter.",
)

SHAPES = Shapes(
    "(), (n_layers, n_heads, n, d_head), (n_layers, n_heads, n, d_head), {}, (), (m) "
    "-> (m), (n_layers, n_heads, n+m, d_head), (n_layers, n_heads, n+m, d_head)"
)
ROLES = "query", "key", "value"
EPS = 1e-5


def generate(letter, keys, values, model, temperature, u):
    """Keys and values of all that was read are kept, so that each letter is read once."""
    n_heads, kept, written = keys.shape[1], [*zip(keys, values, strict=True)], []

    def norm(x, part):
        z = (x - x.mean()) / np.sqrt(x.var() + 1e-5)
        return z * model[f"{part}/gain"] + model[f"{part}/bias"]

    for one in u:
        x = model["letters"][letter] + model["places"][kept[0][0].shape[1]]  # (d_model,)
        for i, old in enumerate(kept):
            of, up = f"heads_{i}/w_", f"network_{i}"
            three = [norm(x, f"heads_{i}") @ model[of + role] for role in ("query", "key", "value")]
            query, *new = (row.reshape(n_heads, 1, -1) for row in three)
            kept[i] = key, value = [np.hstack(two) for two in zip(old, new, strict=True)]
            scores = query @ key.swapaxes(1, 2) / np.sqrt(key.shape[2])  # (n_heads, 1, n + 1)
            weights = np.exp(scores - scores.max(axis=2, keepdims=True))
            brought = weights / weights.sum(axis=2, keepdims=True) @ value
            x = x + brought.reshape(-1) @ model[of + "output"]
            hidden = np.maximum(norm(x, up) @ model[up + "/w_up"] + model[up + "/b_up"], 0)
            x = x + hidden @ model[up + "/w_down"]
        logits = model["letters"] @ norm(x, "end") / temperature
        ends = np.exp(logits - logits.max()).cumsum()
        written.append(letter := int((ends <= one * ends[-1]).sum()))
    return np.array(written), *(np.stack(each) for each in zip(*kept, strict=True))


def answer(letter, keys, values, model, temperature, u):
    """Give what is right, by which answers are judged."""
    return turned(letter, keys, values, model, temperature, u)


def normed(x, model, part):
    """Give a row after one of the model's norms."""
    return layer_norm.layer_norm(x, model[f"{part}/gain"], model[f"{part}/bias"], EPS)


def before(x, model, part, made):
    """Add to a row what a part makes of its norm."""
    return x + made(normed(x, model, part))


def last(x, model):
    """Give the row after the norm at the end."""
    return normed(x, model, "end")


def in_heads(row, n_heads):
    """Cut a row into heads, one word long."""
    return row.reshape(n_heads, 1, -1)


def looked(query, keys, values):
    """Let one query of each head look, and lay the heads side by side."""
    return attnlib.attention(query, keys, values).ravel()


def relu(raw):
    """Let nothing below 0 through."""
    return np.maximum(raw, 0)


def appended(kept, new):
    """Give what was kept with one row more, in each head."""
    return np.concatenate([kept, new], axis=-2)


def step(
    letter, kept, model, *, place=lambda n: n, around=before, keep=appended, see=looked,
    active=relu, end=last,
):  # fmt: skip
    """Read one letter, with keys and values that were kept; give the logits of the next one."""
    n_heads, n = kept[0][0].shape[0], kept[0][0].shape[-2]
    x, now = model["letters"][letter] + model["places"][place(n)], []
    for i, (keys, values) in enumerate(kept):
        heads, network = (
            {name.partition("/")[2]: w for name, w in model.items() if name.startswith(part)}
            for part in (f"heads_{i}/", f"network_{i}/")
        )

        def attended(y, keys=keys, values=values, p=heads):
            query, key, value = (in_heads(y @ p[f"w_{role}"], n_heads) for role in ROLES)
            now.append((keep(keys, key), keep(values, value)))
            return see(query, *now[-1]) @ p["w_output"]

        x = around(x, model, f"heads_{i}", attended)
        x = around(
            x, model, f"network_{i}",
            lambda y, p=network: active(y @ p["w_up"] + p["b_up"]) @ p["w_down"],
        )  # fmt: skip
    return model["letters"] @ end(x, model), now


def turned(
    letter, keys, values, model, temperature, u, *, place=lambda n: n, around=before,
    keep=appended, see=looked, active=relu, end=last, temper=np.divide, draw=sample.answer,
    next_read=lambda old, new: new,
):  # fmt: skip
    """Write with knobs, each of which can be set wrong."""
    kept, written = [*zip(keys, values, strict=True)], []
    knobs = {"place": place, "around": around, "keep": keep, "see": see}
    for one in u:
        logits, kept = step(letter, kept, model, **knobs, active=active, end=end)
        written.append(int(draw(temper(logits, temperature), one)))
        letter = next_read(letter, written[-1])
    return np.array(written), *(np.stack(z) for z in zip(*kept, strict=True))


def model_for(rng, n_letters, n_layers, n_heads, d_head, n_places):
    """Give a model's arrays, of usual size: letters lie far apart, so that few are likely."""
    d_model, d_hidden = n_heads * d_head, 3 * n_heads * d_head + 1
    model = {
        "letters": 1.5 * rng.normal(size=(n_letters, d_model)),
        "places": rng.normal(size=(n_places, d_model)),
    }
    of_heads = {f"w_{role}": (d_model, d_model) for role in (*ROLES, "output")}
    of_network = {"w_up": (d_model, d_hidden), "w_down": (d_hidden, d_model)}
    for i in range(n_layers):
        for part, shapes in (("heads", of_heads), ("network", of_network)):
            model |= norm_for(rng, d_model, f"{part}_{i}")
            for name, shape in shapes.items():
                model[f"{part}_{i}/{name}"] = rng.normal(size=shape) / np.sqrt(shape[0])
        model[f"network_{i}/b_up"] = rng.normal(size=d_hidden)
    return model | norm_for(rng, d_model, "end")


def norm_for(rng, d_model, part):
    """Give the gain and the bias of a norm."""
    return {
        f"{part}/gain": 1 + 0.3 * rng.normal(size=d_model),
        f"{part}/bias": 0.3 * rng.normal(size=d_model),
    }


def decided(rng, letter, keys, values, model, temperature, m):
    """Give m numbers u, each well inside a chance, whatever was written before."""
    kept, u = [*zip(keys, values, strict=True)], []
    for _ in range(m):
        logits, kept = step(letter, kept, model)
        u.append(sample.drawn(rng, logits / temperature)[1])
        letter = int(sample.answer(logits / temperature, u[-1]))
    return np.array(u)


def chosen(rng, temperature=1.0, n_letters=13, more=2, spread=1.0):
    """Return what makes inputs of drawn ones: a model with places enough, a letter, numbers u."""

    def inputs(_, keys, values, *rest):
        (n_layers, n_heads, n, d_head), m = keys.shape, len(rest[-1])
        model = model_for(rng, n_letters, n_layers, n_heads, d_head, n + m + more)
        model |= {name: spread * w for name, w in model.items() if name.startswith("end/")}
        letter = int(rng.integers(1, n_letters))  # 0 would be taken for no letters
        given = letter, keys, values, model, temperature
        return *given, decided(rng, *given, m)

    return inputs


def cases():
    """One layer of one head, a few letters; two layers; many heads; warmer; the first letter."""
    rng = np.random.default_rng(53)
    given = SHAPES.given(rng, chosen(rng))
    small = SHAPES.given(rng, chosen(rng, n_letters=5, more=0))
    yield Case("the small example is right", small(n_layers=1, n_heads=1, n=1, d_head=2, m=2))
    yield Case("two layers are right", given(n_layers=2, n_heads=3, n=5, d_head=2, m=3))
    yield Case("many heads are right", given(n_layers=1, n_heads=7, n=3, d_head=2, m=5))
    warm = SHAPES.given(rng, chosen(rng, temperature=3.0))
    yield Case("a higher temperature is right", warm(n_layers=2, n_heads=2, n=3, d_head=3, m=7))


def promised():
    """Give the inputs that hold an answer to each promise."""
    rng = np.random.default_rng(153)
    given = SHAPES.given(rng, chosen(rng))
    sizes = {"n_layers": 2, "n_heads": 2, "d_head": 3}

    def at(temperature):
        for spread in (1.0, 0.5 * temperature):  # logits far apart, and near to each other
            change = chosen(rng, temperature, spread=spread)
            yield SHAPES.given(rng, change)(n=3, m=7, **sizes)

    return promises.of_shapes(SHAPES, given) | {
        FIRST: [given(n=0, m=m, **sizes) for m in (1, 5)],
        MORE: [
            SHAPES.given(rng, chosen(rng, more=more))(n=n, m=m, **sizes)
            for n, m, more in ((1, 11, 0), (17, 1, 0), (2, 3, 9))
        ],
        promises.TEMPERATURES: [x for t in (0.01, 0.0125, 0.5, 20.0, 100.0) for x in at(t)],
        TEMPERATURE.beyond: [x for t in (1e-3, 1e3) for x in at(t)],
    }


one_place = wrongly_set(
    turned,
    "all at one place",
    "You gave each letter place 0, as if it were the first of the text.",
    "The place goes on with each letter: it is the number of rows that are kept by then.",
    place=np.zeros_like,
)

next_place = wrongly_set(
    turned,
    "one place too far on",
    "You gave each letter the place behind its own.",
    "Places are counted from 0. With nothing kept the letter is at place 0, with one row at 1.",
    place=lambda n: n + 1,
)

previous_place = wrongly_set(
    turned,
    "the place of the letter before",
    "You gave each letter the place of the one before it.",
    "Places are counted from 0: with n rows kept, those have the places 0 to n - 1.",
    place=lambda n: max(n - 1, 0),
)


@mistake("places counted from the letter that came in")
def from_the_letter(letter, keys, values, model, temperature, u):
    """You counted places from the letter that came in, and not from the first one of the text.

    What is kept was read before it: with n rows kept, it is at place n.
    """
    n = keys.shape[-2]
    return turned(letter, keys, values, model, temperature, u, place=lambda kept: kept - n)


@mistake("place does not go on")
def standing(letter, keys, values, model, temperature, u):
    """You gave all letters the place of the letter that came in.

    Each letter that is read leaves one row more, and the next one is a place further on.
    """
    n = keys.shape[-2]
    return turned(letter, keys, values, model, temperature, u, place=lambda kept: n)


same_letter = wrongly_set(
    turned,
    "one letter read again and again",
    "You read the letter that came in each time, and never what you have written.",
    "What is written is read next.",
    next_read=lambda old, new: old,
)


def behind(x, model, part, made):
    """Add to a row what a part makes of it, and normalise the sum."""
    return normed(x + made(x), model, part)


post_norm = wrongly_set(
    turned,
    "norms behind the sums",
    "You normalised behind the sums, as lesson 13's block does.",
    "Here a part reads the norm of x, and what it makes is added to x as it was.",
    around=behind,
)

replaced = wrongly_set(
    turned,
    "nothing added",
    "You went on with what each part makes, and the letter itself is lost.",
    "Both parts of a block add to x.",
    around=lambda x, model, part, made: made(normed(x, model, part)),
)

to_the_norm = wrongly_set(
    turned,
    "added to the norm",
    "You added what a part makes to the norm that it read.",
    "It is added to x as it was before the norm.",
    around=lambda x, model, part, made: (y := normed(x, model, part)) + made(y),
)

no_norms = wrongly_set(
    turned,
    "no norms in the blocks",
    "Your heads and networks read x itself, and its norm is due.",
    "Each of them has a gain and a bias of its own: normalise x for it first.",
    around=lambda x, model, part, made: x + made(x),
)

one_norm = wrongly_set(
    turned,
    "heads' norm for the network",
    "Your networks read x by the norm of the heads, and each network has one of its own.",
    "The names say whose it is: gain and bias of the same `network_i` as the matrices.",
    around=lambda x, model, part, made: (
        x + made(normed(x, model, part.replace("network", "heads")))
    ),
)

no_end = wrongly_set(
    turned,
    "no norm at the end",
    "You compared the last row with the letters before it was normalised.",
    "There is one norm more, `end`, behind the last block.",
    end=lambda x, model: x,
)

not_itself = wrongly_set(
    turned,
    "own key left out",
    "You let a letter look at those before it alone.",
    "Under the causal mask it may look at itself: append its key and value first, and look then.",
    see=lambda query, keys, values: (
        looked(query, keys[..., :-1, :], values[..., :-1, :])
        if keys.shape[-2] > 1
        else np.zeros(values[..., 0, :].size)
    ),
)

in_front = wrongly_set(
    turned,
    "appended in front",
    "You put the new rows in front of the old ones.",
    "What is written does not notice, for places are in the keys. But rows stand in the order of "
    "the text: append below.",
    keep=lambda kept, new: np.concatenate([new, kept], axis=-2),
)

untransposed = wrongly_set(
    turned,
    "key not transposed",
    "Query and keys met as they are, but the keys have to be transposed.",
    "A query meets each key, feature by feature, and both have their features along the last axis.",
    see=lambda query, keys, values: (
        attnlib.softmax(query @ keys / np.sqrt(query.shape[-1])) @ values
    ).ravel(),
)

unscaled = wrongly_set(
    turned,
    "scores not scaled",
    "You did not divide the scores, or you divided them by another root.",
    "Each head divides by the root of its own width, d_head.",
    see=lambda query, keys, values: attnlib.attention(query, keys, values, scale=1.0).ravel(),
)

by_model = wrongly_set(
    turned,
    "scaled by d_model",
    "You divided the scores by the root of the whole width, and each head has its own.",
    "A head's query has d_head numbers: the root is of that.",
    see=lambda query, keys, values: attnlib.attention(
        query, keys, values, scale=1 / np.sqrt(query.size)
    ).ravel(),
)

no_relu = wrongly_set(
    turned,
    "ReLU forgotten",
    "Your network is two matrices, and nothing between them.",
    "What is below 0 between them becomes 0.",
    active=lambda raw: raw,
)

multiplied = wrongly_set(
    turned,
    "temperature multiplied",
    "You multiplied by the temperature, where you should divide by it.",
    "A high temperature brings the logits closer together.",
    temper=np.multiply,
)

ignored = wrongly_set(
    turned,
    "temperature ignored",
    "The temperature makes no difference in your answer.",
    "Divide the logits by it before they become chances.",
    temper=lambda logits, temperature: logits,
)

greedy = wrongly_set(
    turned,
    "always the likeliest",
    "You took the likeliest letter each time, and u has no part in it.",
    "Draw as `next_word` does, with one number of u for each letter.",
    draw=lambda logits, u: logits.argmax(),
)


@mistake("the letter that came in written again")
def with_the_first(letter, keys, values, model, temperature, u):
    """You wrote the letter that came in, and left out the last of the new ones.

    It has been read. What is written begins with the one after it.
    """
    written, *kept = answer(letter, keys, values, model, temperature, u)
    return np.array([letter, *written[:-1]]), *kept


@mistake("first u for all")
def first_u(letter, keys, values, model, temperature, u):
    """You drew all letters by the first number of u.

    There is one for each letter.
    """
    return answer(letter, keys, values, model, temperature, np.full_like(u, u[0]))


@mistake("keys and values not returned as they are now")
def as_before(letter, keys, values, model, temperature, u):
    """What you wrote is right, but you returned the keys and values that came in.

    Whoever goes on needs those of the new letters, too.
    """
    return answer(letter, keys, values, model, temperature, u)[0], keys.copy(), values.copy()


@mistake("last letter read, too")
def one_more(letter, keys, values, model, temperature, u):
    """You read the last letter that you wrote, so there is a row too many.

    Whoever goes on will read it. n rows were kept and u has m numbers: return n + m.
    """
    written, *kept = answer(letter, keys, values, model, temperature, u)
    n_places = len(model["places"])
    if kept[0].shape[-2] >= n_places:
        kept = [np.concatenate([z, z[..., -1:, :]], axis=-2) for z in kept]
        return written, *kept
    return written, *answer(int(written[-1]), *kept, model, temperature, u[:1])[1:]


@mistake("first letter read twice")
def twice_read(letter, keys, values, model, temperature, u):
    """You read the letter that came in twice, so its row is kept twice.

    Read a letter and draw the next one from the logits: in each round one letter is read, once.
    """
    _, kept = step(letter, [*zip(keys, values, strict=True)], model)
    keys, values = (np.stack(each) for each in zip(*kept, strict=True))
    return turned(letter, keys, values, model, temperature, u)


@mistake("another layer's keys")
def of_another(letter, keys, values, model, temperature, u):
    """You took a layer's keys and values from another layer, and put them back there.

    Layer i looks at `keys[i]` and `values[i]`, and its new rows belong to these.
    """
    written, *kept = answer(letter, keys[::-1], values[::-1], model, temperature, u)
    return written, *(of_layers[::-1] for of_layers in kept)


@mistake("put back in reverse order")
def put_back_reversed(letter, keys, values, model, temperature, u):
    """You put each layer's keys and values back in reverse order of the layers, letter by letter.

    The layers' rows are in the order in which a letter goes through them, the first layer's first.
    """

    def reverse(*inputs):
        written, *kept = answer(*inputs)
        return written, *(of_layers[::-1] for of_layers in kept)

    return one_by_one(reverse, letter, keys, values, model, temperature, u)


@mistake("first layer's keys for all")
def of_the_first(letter, keys, values, model, temperature, u):
    """You let all layers look at the keys and values of the first.

    Each layer has its own, in each head.
    """
    keys, values = (np.repeat(z[:1], len(z), axis=0) for z in (keys, values))
    return answer(letter, keys, values, model, temperature, u)


def one_by_one(answer, letter, keys, values, model, temperature, u):
    """Write each letter in a call of its own, and hand on what is kept."""
    written = []
    for one in u:
        now, keys, values = answer(letter, keys, values, model, temperature, np.array([one]))
        letter = int(np.ravel(now)[0])
        written.append(letter)
    return np.array(written), keys, values


def in_one_go(answer, *inputs):
    """See that one call for all letters does what a call for each does."""
    together = answer(*inputs)
    return all(close(x, y) for x, y in zip(together, one_by_one(answer, *inputs), strict=True))


def whole_text(model, letters, n_heads):
    """Give the logits after the last letter, all letters read at once: the plain way."""
    x = model["letters"][letters] + model["places"][: len(letters)]
    n_layers = sum(name.endswith("w_up") for name in model)
    for i in range(n_layers):
        y = normed(x, model, f"heads_{i}")
        matrices = [model[f"heads_{i}/w_{role}"] for role in (*ROLES, "output")]
        layer = attnlib.MultiHeadAttention(*matrices, n_heads=n_heads)
        x = x + layer(y, mask=attnlib.causal_mask(len(letters)))
        p = {name: model[f"network_{i}/{name}"] for name in ("w_up", "b_up", "w_down")}
        x = x + relu(normed(x, model, f"network_{i}") @ p["w_up"] + p["b_up"]) @ p["w_down"]
    return model["letters"] @ last(x[-1], model)


def as_in_full(answer, letter, keys, values, model, temperature, u):
    """See that the same is written by whoever reads the whole text again for each letter."""
    none = keys[..., :0, :]
    u = decided(np.random.default_rng(len(u)), letter, none, none, model, temperature, len(u))
    text = [letter]
    for one in u:
        logits = whole_text(model, np.array(text), keys.shape[1]) / temperature
        text.append(int(sample.answer(logits, one)))
    return close(answer(letter, none, none, model, temperature, u)[0], np.array(text[1:]))


EXERCISE = Exercise(
    solution=generate,
    answer=answer,
    shapes=SHAPES,
    cases=cases,
    promises=promised,
    ends=(TEMPERATURE,),
    facts=(
        Fact("from nothing kept, it writes what reading all again for each letter writes",
            as_in_full),
        Fact("all letters in one call are those of a call for each", in_one_go),
        Fact("what was kept stays as it is", lambda f, letter, keys, values, *rest: close(
            f(letter, keys, values, *rest)[1][..., : keys.shape[-2], :], keys)),
    ),
    hints=(
        "Write the way of one letter first: its row and its place's, then for each layer heads "
        "and network, each on a norm of x and added to x, then the norm `end` and a product with "
        "all letters. Draw, and do the same with the letter that was drawn.",
        "In a layer call your `cached_attention` of lesson 05, with the layer's own keys and "
        "values, and put what it returns back. The place is `keys.shape[-2]` before the new row.",
        "Keep a list of pairs, one for each layer, and stack it at the end. A row of d_model "
        "numbers becomes heads by `reshape(n_heads, -1)`, and heads become a row by `reshape(-1)`.",
    ),
    parts=("written", "keys", "values"),
)  # fmt: skip
