import assert from 'node:assert/strict';
import { test } from 'node:test';

import { matching } from '../src/panels/matching.js';

const ENTRIES = [
  { name: 'fillet-2d', group: 'Profiles', usage: '[fillet-2d r k]', says: 'Rounded corners.', isModel: true },
  { name: 'chamfer', group: 'Features', usage: '[chamfer d s]', says: 'Cut edges; see fillet.', isModel: true },
  { name: 'fillet', group: 'Features', usage: '[fillet r s]', says: 'Rounded edges.', isModel: true },
  { name: 'cube', group: 'Primitives', usage: '[cube x y z]', says: 'A box.', isModel: true }
];

test('a search finds names, groups and descriptions, the searched name first', () => {
  const found = (search: string): string[] => matching(ENTRIES, search).map(({ name }) => name);
  assert.deepEqual(found(''), ['fillet-2d', 'chamfer', 'fillet', 'cube']);
  assert.deepEqual(found('Fillet '), ['fillet', 'fillet-2d', 'chamfer']);
  assert.deepEqual(found('features EDGES cut'), ['chamfer']);
  assert.deepEqual(found('sphere'), []);
});
