/** The document that `opencode import` takes, made of a journal. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { importableDocument } from '../../../src/harness/opencode/rows/importable'
import { folderIn, journalsBelow, journalsOf, journalsOfStory, OPENCODE_FIXTURES, rowsOf, sessionOf } from './database'

let home: string
beforeAll(() => {
  home = mkdtempSync('/tmp/ld-')
})
afterAll(() => rmSync(home, { recursive: true, force: true }))

const documentOf = (bytes: Uint8Array) => JSON.parse(new TextDecoder().decode(importableDocument(bytes) ?? undefined))

test('of an exported session it is that document again', async () => {
  const path = join(OPENCODE_FIXTURES, 'export.json')
  const [journal] = journalsBelow(await journalsOf(path, folderIn(home, 'exported')))
  expect(documentOf(journal?.bytes ?? Buffer.alloc(0))).toEqual(JSON.parse(readFileSync(path, 'utf8')))
})

test('of rows it has the form of an exported session', async () => {
  const [journal] = await journalsOfStory(home, 'plan')
  const document = documentOf(journal?.bytes ?? Buffer.alloc(0))
  const { info } = JSON.parse(readFileSync(join(OPENCODE_FIXTURES, 'export.json'), 'utf8'))
  expect(Object.keys(document.info).sort()).toEqual(Object.keys(info).sort())
  expect(document.info).toMatchObject({
    id: sessionOf('plan'),
    model: { id: 'scripted-model' },
    tokens: { input: 500 },
  })
  const rows = rowsOf('plan')
  expect(document.messages).toHaveLength(rows.filter(({ table }) => table === 'message').length)
  const parts = document.messages.flatMap(({ parts: each }: { parts: object[] }) => each)
  expect(parts).toHaveLength(rows.filter(({ table }) => table === 'part').length)
})

test('the newest version of a row counts, and a row that went is left out', () => {
  const line = (value: object): string => `${JSON.stringify(value)}\n`
  const text =
    line({
      table: 'session',
      id: 's',
      version: '1',
      row: { id: 's', title: 'old', time_created: 1, time_updated: 1 },
    }) +
    line({
      table: 'message',
      id: 'm',
      version: '1',
      row: { id: 'm', session_id: 's', time_created: 1, data: { role: 'user' } },
    }) +
    line({
      table: 'part',
      id: 'p',
      version: '1',
      row: { id: 'p', message_id: 'm', session_id: 's', data: { text: 'a' } },
    }) +
    line({
      table: 'part',
      id: 'q',
      version: '1',
      row: { id: 'q', message_id: 'm', session_id: 's', data: { text: 'b' } },
    }) +
    line({
      table: 'part',
      id: 'p',
      version: '2',
      row: { id: 'p', message_id: 'm', session_id: 's', data: { text: 'c' } },
    }) +
    line({ table: 'part', id: 'q', version: 'gone' }) +
    line({ table: 'session', id: 's', version: '2', row: { id: 's', title: 'new', time_created: 1, time_updated: 2 } })
  expect(documentOf(Buffer.from(text))).toEqual({
    info: { id: 's', title: 'new', time: { created: 1, updated: 2 } },
    messages: [
      {
        info: { role: 'user', id: 'm', sessionID: 's' },
        parts: [{ text: 'c', id: 'p', sessionID: 's', messageID: 'm' }],
      },
    ],
  })
  expect(importableDocument(Buffer.from('nothing\n'))).toBeNull()
})

test('whatever a journal holds, the document is made of it or is none', () => {
  const words = ['{', '}', '"', '\n', '{"table":"', 'part', '"row":', '"data":', '[', '\0', '\r\n', '"version":"']
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...words), { maxLength: 80 }), (parts) => {
      const document = importableDocument(Buffer.from(parts.join('')))
      if (document !== null) expect(JSON.parse(new TextDecoder().decode(document))).toBeObject()
    }),
    { numRuns: 300 },
  )
})
