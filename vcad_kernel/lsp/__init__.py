"""The language server: Loon in any editor that speaks the protocol.

    documents    the open texts, as the editor's changes leave them
    workspace    folders on disk under those texts: modules, what is known, what is found wrong
    navigation   where a name is defined across those files, and a name given another one in all of them
    conversion   our answers, and a text's tokens, in the protocol's words
    server       which request is answered by what; the only file that imports pygls

What Loon means is the business of vcad_kernel.loon.analysis and of the checker.
"""
