import assert from 'node:assert/strict';
import { test } from 'node:test';

import { spelled } from './highlighted.js';

test('names play the part of the place where they stand', () => {
  assert.deepEqual(spelled('[fn hole [d] [cylinder d 12]]'), [
    'bracket:[', 'special:fn', 'definition:hole',
    'bracket:[', 'symbol:d', 'bracket:]',
    'bracket:[', 'library:cylinder', 'symbol:d', 'number:12', 'bracket:]', 'bracket:]'
  ]);
});

test('a special form is one only at the head of a list', () => {
  assert.deepEqual(spelled('[let if 5] if'), [
    'bracket:[', 'special:let', 'definition:if', 'number:5', 'bracket:]', 'symbol:if'
  ]);
});

test('constructors, effects, keywords and quotes have roles of their own', () => {
  assert.deepEqual(spelled('[Fail.fail :mm] [Bolt ~x]'), [
    'bracket:[', 'operation:Fail.fail', 'keyword::mm', 'bracket:]',
    'bracket:[', 'constructor:Bolt', 'quote:~', 'symbol:x', 'bracket:]'
  ]);
});

test('code in the braces of a string is code', () => {
  assert.deepEqual(spelled('"a {[+ 1 w]} b"'), [
    'string:"', 'string:a ', 'interpolation:{', 'bracket:[', 'builtin:+', 'number:1', 'symbol:w',
    'bracket:]', 'interpolation:}', 'string: b', 'string:"'
  ]);
});

test('a map in the braces of a string does not end the code', () => {
  assert.deepEqual(spelled('"{[get {:a 1} :a]}"').slice(-4), [
    'keyword::a', 'bracket:]', 'interpolation:}', 'string:"'
  ]);
});

test('a string inside the code of a string is written with escaped quotes', () => {
  assert.deepEqual(spelled(String.raw`"{[str \"a\" 1]}" x`), [
    'string:"', 'interpolation:{', 'bracket:[', 'builtin:str', String.raw`string:\"`, 'string:a',
    String.raw`string:\"`, 'number:1', 'bracket:]', 'interpolation:}', 'string:"', 'symbol:x'
  ]);
});

test('a quotation mark ends a string even where the braces in it are open', () => {
  assert.deepEqual(spelled('"{[a" b').at(-1), 'symbol:b');
});

test('escaped and doubled braces open no code', () => {
  assert.deepEqual(spelled(String.raw`"\{{{\"\n"`), [
    'string:"', String.raw`escape:\{`, 'escape:{{', String.raw`escape:\"`, String.raw`escape:\n`, 'string:"'
  ]);
});

test('a string spans lines', () => {
  assert.deepEqual(spelled('"a\n; b" 1'), ['string:"', 'string:a', 'string:; b', 'string:"', 'number:1']);
});

test('the line of the magic belongs to a cell alone, and may follow blank lines', () => {
  assert.deepEqual(spelled('\n%%loon part -q\n[f]', true).slice(0, 2), ['magic:%%loon part -q', 'bracket:[']);
  assert.equal(spelled('%%loon')[0], 'symbol:%%loon');
  assert.equal(spelled('x\n%%loon', true)[1], 'symbol:%%loon');
});
