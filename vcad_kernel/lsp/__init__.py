"""The language server: Loon in any editor that speaks the protocol.

    documents    the open texts, as the editor's changes leave them
    workspace    folders on disk under those texts: modules, what is known, what is found wrong
    renaming     a name given another one across the files that use it
    conversion   our answers in the protocol's words
    server       which request is answered by what; only this file and conversion know pygls

What Loon means is the business of vcad_kernel.loon.analysis and of the checker.
"""
