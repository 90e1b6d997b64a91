import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { referencePages } from '../../scripts/reference'
import { allOperations } from '../../src/api/contract/operations'
import { ROOT } from './documents'

const pages = [...(await referencePages())]

test.each(pages)('%s says what the program declares; `npm run reference` writes it anew', (path, text) => {
  expect(readFileSync(join(ROOT, path), 'utf8')).toBe(text)
})

test('every operation has its place in the reference', () => {
  const http = pages.find(([path]) => path.endsWith('http.md'))?.[1] ?? ''
  const headings = new Set(http.match(/(?<=^##+ ).+$/gm))
  expect(allOperations.map(({ name }) => name).filter((name) => !headings.has(name))).toEqual([])
})
