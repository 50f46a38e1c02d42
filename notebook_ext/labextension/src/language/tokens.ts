/**
 * The table of tokens, typed. It is written in Python (`vcad_kernel/loon/reading/tokens.py`) and generated
 * from there by `tools/labextension_tokens.py`; a test holds the two equal.
 */

import generated from './tokens.json' with { type: 'json' };

/** What Loon text is made of. */
export interface TokenTable {
  /** Kind and regular expression, in the order of trying; the first that matches wins. */
  readonly lexicon: readonly { readonly kind: string; readonly pattern: string }[];
  /** The roles that tokens play, the kinds that highlighting knows. */
  readonly roles: readonly string[];
  readonly symbols: {
    /** Heads that are no calls, to what they are for. */
    readonly special: Readonly<Record<string, string>>;
    /** Special forms that a name to be defined follows, to the words that may stand in between. */
    readonly definers: Readonly<Record<string, readonly string[]>>;
    readonly operation: string;
    readonly constructor: string;
    /** The language's own functions. */
    readonly builtin: readonly string[];
    /** The functions of the CAD library. */
    readonly library: readonly string[];
  };
  readonly strings: { readonly escape: string; readonly open: string; readonly close: string };
}

export const table: TokenTable = generated;
