/** How the reference is searched. Knows no page, so that tests need none. */

import type { EntryRow } from '../notebook/notebookProtocol.js';

/**
 * Names whose line, group or description has all the words of a search. First comes the name that was searched, then
 * those that begin so, then those that have the words.
 */
export function matching(entries: readonly EntryRow[], search: string): EntryRow[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  const has = (text: string): boolean => words.every(word => text.toLowerCase().includes(word));
  const matches = entries.filter(({ usage, group, says }) => has(`${usage} ${group} ${says}`));
  const wanted = search.trim().toLowerCase();
  const rank = ({ name }: EntryRow): number =>
    [name === wanted, name.startsWith(wanted), has(name), true].findIndex(Boolean);
  return words.length === 0 ? matches : matches.sort((a, b) => rank(a) - rank(b));
}
