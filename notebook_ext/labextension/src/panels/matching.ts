/** How the reference is searched. Knows no page, so that tests need none. */

import type { EntryRow } from '../notebook/notebookProtocol.js';

/** Names whose line, group or description has all the words of a search; those whose name has them come first. */
export function matching(entries: readonly EntryRow[], search: string): EntryRow[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  const has = (text: string): boolean => words.every(word => text.toLowerCase().includes(word));
  const matches = entries.filter(({ usage, group, says }) => has(`${usage} ${group} ${says}`));
  return words.length === 0 ? matches : matches.sort((a, b) => Number(has(b.name)) - Number(has(a.name)));
}
