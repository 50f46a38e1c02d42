"""Which binding a name means, in texts of whatever state.

nodes        the text as forms, whatever state it is in
bindings     what the walk over the forms finds: scopes, variables, definitions, occurrences
walk         that walk, by the rules of §5, §7-§9 and §12-§14; forms/ says what each special form binds
patterns     how patterns and parameters bind
"""
