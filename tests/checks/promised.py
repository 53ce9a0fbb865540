"""The inputs by which a spec keeps its promises."""


def inputs_of(exercise, promise):
    return [case.inputs for case in exercise.all_cases() if case.promise is promise]
