import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { JSONObject, JSONValue } from '@lumino/coreutils';

import { readAsks, readMessage, Refusal } from '../src/notebook/notebookProtocol.js';

const OF_CELL = { path: 'plan.ipynb', cell: 'c1' };

test('each request is read with its fields, and no others', () => {
  const requests: JSONObject[] = [
    { method: 'notebooks' },
    { method: 'list', path: 'plan.ipynb' },
    { method: 'get', ...OF_CELL },
    { method: 'set', ...OF_CELL, source: 'b', expected: 'a', kind: null, agent: 'robot' },
    { method: 'insert', path: 'plan.ipynb', after: null, source: 'b', kind: 'code', agent: '' },
    { method: 'delete', ...OF_CELL, expected: 'a', agent: 'robot' },
    { method: 'run', ...OF_CELL, expected: 'a', agent: 'robot' },
    { method: 'stop', run: 3 }
  ];
  for (const request of requests) {
    assert.deepEqual(readMessage({ id: 7, ...request, more: true }), { id: 7, request });
  }
});

test('a request that is not whole is refused, with its number', () => {
  const broken: JSONObject[] = [
    {},
    { method: 'list' },
    { method: 'get', path: 'plan.ipynb' },
    { method: 'set', ...OF_CELL, source: 'b' },
    { method: 'insert', path: 'plan.ipynb', source: 'b', kind: 'other' },
    { method: 'run', ...OF_CELL },
    { method: 'stop', run: 'x' },
    { method: 'erase', ...OF_CELL }
  ];
  for (const request of broken) {
    const told = readMessage({ id: 7, ...request });
    assert.ok(told !== null && 'request' in told && told.request instanceof Refusal);
    assert.deepEqual([told.id, told.request.code], [7, 'INVALID_REQUEST']);
  }
});

test('what is neither request nor event is nothing', () => {
  for (const data of [null, 1, [], { id: 'x', method: 'notebooks' }, { result: {} }] as JSONValue[]) {
    assert.equal(readMessage(data), null);
  }
});

test('questions are read from what is told, and what is none is left out', () => {
  assert.deepEqual(readMessage({ event: 'asks' }), { event: 'asks', number: 0, value: null });
  const ask = { request_id: 'a', model_id: 'm' };
  assert.deepEqual(readAsks([ask, { request_id: 'b' }, null, 'x']), [ask]);
  assert.deepEqual(readAsks({ request_id: 'a' }), []);
});
