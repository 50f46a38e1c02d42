/**
 * Reads a JSON list of texts from standard input and writes the tokens of each: with this, Python
 * compares the editor's tokenizer with its own.
 */

import { readFileSync } from 'node:fs';

import { highlighted } from './highlighted.js';

const texts = JSON.parse(readFileSync(0, 'utf8')) as string[];
process.stdout.write(JSON.stringify(texts.map(text => highlighted(text))));
